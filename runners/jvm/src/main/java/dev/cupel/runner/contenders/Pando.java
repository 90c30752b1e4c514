package dev.cupel.runner.contenders;

import dev.cupel.runner.Call;
import dev.cupel.runner.Task;
import java.util.Arrays;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import software.pando.crypto.siphash.SipHash;

/**
 * The SipHash of software.pando.crypto, which takes whole arrays and returns a new one. Version
 * 1.0.0 is wrong if a message ends within a word and one of these last bytes is above 0x7f, because
 * it extends the byte's sign. It is called as it is; verification reports the fault.
 */
public final class Pando extends Call {
  private final SipHash sip;

  private Pando(SipHash sip) {
    this.sip = sip;
  }

  /** A prepared call for a tag of either length. */
  public static Call prepare(Task task) throws Exception {
    task.inOnePiece();
    task.keyOf(16);
    int c = task.primitive().startsWith("siphash-1") ? 1 : 2;
    int d = c == 1 ? 3 : 4;
    int bits = task.primitive().endsWith("128") ? 128 : 64;
    return Keyed.of(
        task,
        () -> {
          // It accepts keys of this algorithm only.
          SecretKey key = new SecretKeySpec(task.key(), "RAW");
          // The overload without numbers of rounds calls the unrolled code.
          return new Pando(
              c == 2 && bits == 64
                  ? SipHash.getInstance(key)
                  : SipHash.getInstance(c, d, bits, key));
        });
  }

  @Override
  public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to) {
    byte[] whole =
        offset == 0 && length == input.length
            ? input
            : Arrays.copyOfRange(input, offset, offset + length);
    byte[] tag = sip.mac(whole);
    System.arraycopy(tag, 0, output, to, tag.length);
    return tag.length;
  }

  @Override
  public boolean wholeArrays() {
    return true;
  }
}

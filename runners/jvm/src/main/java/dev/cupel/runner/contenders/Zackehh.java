package dev.cupel.runner.contenders;

import com.zackehh.siphash.SipHash;
import com.zackehh.siphash.SipHashDigest;
import dev.cupel.runner.Bytes;
import dev.cupel.runner.Call;
import dev.cupel.runner.Task;

/** The SipHash of com.zackehh. */
public final class Zackehh {
  private Zackehh() {}

  /** A prepared call, whole or in pieces. */
  public static Call prepare(Task task) throws Exception {
    task.keyOf(16);
    int c = task.primitive().startsWith("siphash-1") ? 1 : 2;
    int d = c == 1 ? 3 : 4;
    if (task.chunks().length > 0) {
      return new Pieces(task, c, d);
    }
    return Keyed.of(task, () -> new Whole(new SipHash(task.key(), c, d)));
  }

  private static final class Whole extends Call {
    private final SipHash sip;

    Whole(SipHash sip) {
      this.sip = sip;
    }

    @Override
    public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to) {
      Bytes.put(output, to, sip.hash(input).get());
      return 8;
    }

    @Override
    public boolean wholeArrays() {
      return true;
    }
  }

  /** An object computes one tag only, and each update takes a whole array. */
  private static final class Pieces extends Chunks {
    private final byte[] key;
    private final int c;
    private final int d;
    private SipHashDigest digest;

    Pieces(Task task, int c, int d) {
      super(task);
      key = task.key();
      this.c = c;
      this.d = d;
    }

    @Override
    void begin() {
      digest = new SipHashDigest(key, c, d);
    }

    @Override
    void update(byte[] input, int offset, int length) {
      digest.update(java.util.Arrays.copyOfRange(input, offset, offset + length));
    }

    @Override
    int finish(byte[] output, int to) {
      Bytes.put(output, to, digest.finish().get());
      return 8;
    }
  }
}

package dev.cupel.runner.contenders;

import com.godaddy.asherah.appencryption.exceptions.AppEncryptionException;
import com.godaddy.asherah.crypto.engine.bouncycastle.BouncyAes256GcmCrypto;
import com.godaddy.asherah.crypto.keys.CryptoKey;
import dev.cupel.runner.Call;
import dev.cupel.runner.Task;
import java.time.Instant;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Function;
import org.bouncycastle.crypto.params.AEADParameters;

/**
 * Asherah's engine on BouncyCastle, unchanged except for its nonces, which come from the contract's
 * counter instead of its generator. It returns new arrays, with the nonce after the tag.
 */
public final class Asherah extends Call {
  private final Engine engine;
  private final PlainKey key;
  private final boolean sealing;

  private Asherah(Task task) throws Exception {
    task.inOnePiece();
    task.keyOf(32);
    engine = new Engine(task.ad());
    key = new PlainKey(task.key());
    sealing = task.operation().equals("seal");
  }

  /** A prepared call; the key schedule is inside it. */
  public static Call prepare(Task task) throws Exception {
    return new Asherah(task);
  }

  @Override
  public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to)
      throws Exception {
    byte[] made;
    if (sealing) {
      engine.nonce = nonce;
      byte[] plain =
          offset == 0 && length == input.length
              ? input
              : Arrays.copyOfRange(input, offset, offset + length);
      made = engine.encrypt(plain, key);
      int written = made.length - nonce.length;
      System.arraycopy(made, 0, output, to, written);
      return written;
    }
    byte[] sealed = Arrays.copyOfRange(input, offset, offset + length + nonce.length);
    System.arraycopy(nonce, 0, sealed, length, nonce.length);
    try {
      made = engine.decrypt(sealed, key);
    } catch (AppEncryptionException e) {
      throw new NotAuthentic(e);
    }
    System.arraycopy(made, 0, output, to, made.length);
    return made.length;
  }

  @Override
  public boolean wholeArrays() {
    return true;
  }

  @Override
  public String codePath() {
    return "BouncyCastle's AESEngine, which uses tables";
  }

  private static final class Engine extends BouncyAes256GcmCrypto {
    private final byte[] ad;
    private byte[] nonce;

    Engine(byte[] ad) {
      this.ad = ad;
    }

    /** The engine has no associated data of its own; if a message has some, it is added here. */
    @Override
    protected AEADParameters getParameters(CryptoKey key, byte[] nonce) {
      AEADParameters plain = super.getParameters(key, nonce);
      return ad.length == 0
          ? plain
          : new AEADParameters(plain.getKey(), plain.getMacSize(), plain.getNonce(), ad);
    }

    @Override
    protected byte[] generateNonce() {
      return nonce.clone();
    }
  }

  private static final class PlainKey extends CryptoKey {
    private final byte[] bytes;

    PlainKey(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public Instant getCreated() {
      return Instant.EPOCH;
    }

    @Override
    public boolean isRevoked() {
      return false;
    }

    @Override
    public void markRevoked() {}

    @Override
    public void withKey(Consumer<byte[]> action) {
      action.accept(bytes.clone());
    }

    @Override
    public <T> T withKey(Function<byte[], T> action) {
      return action.apply(bytes.clone());
    }

    @Override
    public void close() {}
  }
}

package dev.cupel.runner.contenders;

import dev.cupel.runner.Call;
import dev.cupel.runner.Task;
import java.security.Provider;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * AES-256-GCM by {@code Cipher}, of any provider. Every message has its own {@code init} with its
 * nonce.
 */
public final class JcaGcm extends Call {
  private final int mode;
  private final Provider provider;
  private final byte[] key;
  private final byte[] ad;
  private final SecretKeySpec keySpec;
  private final Cipher kept;
  private final String path;

  /**
   * Creates one.
   *
   * @param keepsSchedule whether an {@code init} with the same key skips the key schedule; a cipher
   *     of such a provider is created again if the contract has the key schedule inside the call
   */
  public JcaGcm(Task task, String provider, boolean keepsSchedule) throws Exception {
    task.inOnePiece();
    task.keyOf(32);
    mode = task.operation().equals("seal") ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE;
    this.provider = Jca.provider(provider);
    key = task.key();
    ad = task.ad();
    boolean perCall = task.contract().keyPerCall();
    keySpec = perCall ? null : new SecretKeySpec(key, "AES");
    kept = perCall && keepsSchedule ? null : cipher();
    path =
        provider == null
            ? Hotspot.path("UseAESIntrinsics", "UseAESCTRIntrinsics", "UseGHASHIntrinsics")
            : provider;
  }

  @Override
  public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to)
      throws Exception {
    Cipher cipher = kept == null ? cipher() : kept;
    SecretKeySpec keyed = keySpec == null ? new SecretKeySpec(key, "AES") : keySpec;
    try {
      cipher.init(mode, keyed, new GCMParameterSpec(128, nonce));
      if (ad.length > 0) {
        cipher.updateAAD(ad);
      }
      return cipher.doFinal(input, offset, length, output, to);
    } catch (AEADBadTagException e) {
      // BouncyCastle has already written plaintext, which the owner of the buffer must clear.
      Arrays.fill(output, to, to + Math.max(0, length - 16), (byte) 0);
      throw new NotAuthentic(e);
    } catch (ShortBufferException e) {
      // JDK 17 reports an input that is too short for a tag in this way.
      if (mode == Cipher.DECRYPT_MODE && length < 16) {
        throw new NotAuthentic(e);
      }
      throw e;
    }
  }

  @Override
  public String codePath() {
    return path;
  }

  private Cipher cipher() throws Exception {
    String name = "AES/GCM/NoPadding";
    return provider == null ? Cipher.getInstance(name) : Cipher.getInstance(name, provider);
  }
}

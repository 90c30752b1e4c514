package dev.cupel.runner.contenders;

import dev.cupel.runner.Call;
import dev.cupel.runner.Refused;
import dev.cupel.runner.Task;
import java.security.InvalidKeyException;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * AEADs by {@code Cipher}, of any provider. Every message has its own {@code init} with its nonce.
 */
public final class JcaAead extends Call {
  private final String name;
  private final String algorithm;
  private final boolean tagLengthInParameters;
  private final int mode;
  private final Provider provider;
  private final byte[] key;
  private final byte[] ad;
  private final SecretKeySpec keySpec;
  private Cipher kept;
  private final String path;

  /**
   * Creates one.
   *
   * @param keepsSchedule whether an {@code init} with the same key skips the key schedule; a cipher
   *     of such a provider is created again if the contract has the key schedule inside the call
   */
  public JcaAead(Task task, String provider, boolean keepsSchedule) throws Exception {
    task.inOnePiece();
    boolean aes = task.primitive().startsWith("aes-");
    task.keyOf(task.primitive().startsWith("aes-128-") ? 16 : 32);
    name =
        switch (task.primitive()) {
          case "aes-128-gcm", "aes-256-gcm" -> "AES/GCM/NoPadding";
          case "aes-256-gcm-siv" -> "AES/GCM-SIV/NoPadding";
          case "chacha20-poly1305" -> "ChaCha20-Poly1305";
          case "xchacha20-poly1305" -> "XChaCha20-Poly1305";
          default -> throw Refused.unsupported("no " + task.primitive());
        };
    algorithm = aes ? "AES" : "ChaCha20";
    tagLengthInParameters = aes;
    mode = task.operation().equals("seal") ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE;
    this.provider = Jca.provider(provider);
    key = task.key();
    ad = task.ad();
    boolean perCall = task.contract().keyPerCall();
    keySpec = perCall ? null : new SecretKeySpec(key, algorithm);
    // Also created if it is not kept: a provider without the cipher says so here, not in a call.
    Cipher first = cipher();
    kept = perCall && keepsSchedule ? null : first;
    path =
        provider != null
            ? provider
            : aes
                ? Hotspot.path("UseAESIntrinsics", "UseAESCTRIntrinsics", "UseGHASHIntrinsics")
                : Hotspot.path("UseChaCha20Intrinsics", "UsePoly1305Intrinsics");
  }

  @Override
  public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to)
      throws Exception {
    Cipher cipher = kept == null ? cipher() : kept;
    SecretKeySpec keyed = keySpec == null ? new SecretKeySpec(key, algorithm) : keySpec;
    AlgorithmParameterSpec parameters =
        tagLengthInParameters ? new GCMParameterSpec(128, nonce) : new IvParameterSpec(nonce);
    try {
      try {
        cipher.init(mode, keyed, parameters);
      } catch (InvalidKeyException e) {
        // JDK 17's ChaCha20 refuses the nonce of the message before, even to open a message twice.
        if (mode == Cipher.ENCRYPT_MODE) {
          throw e;
        }
        cipher = cipher();
        cipher.init(mode, keyed, parameters);
        kept = kept == null ? null : cipher;
      }
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
    return provider == null ? Cipher.getInstance(name) : Cipher.getInstance(name, provider);
  }
}

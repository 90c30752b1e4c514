import com.godaddy.asherah.crypto.AeadCrypto;
import com.godaddy.asherah.crypto.engine.bouncycastle.BouncyAes256GcmCrypto;
import com.godaddy.asherah.crypto.keys.CryptoKey;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Document 004: 10,000 calls after 1,000 of warm-up, all payloads encrypted, then all decrypted,
 * BouncyCastle's engine before the JDK's. With an argument, each test runs that often, and prints
 * what it took the last time.
 */
public final class Document004 {
  private static final int CALLS = 10_000;
  private static final int WARM_UP = 1_000;
  private static final AeadCrypto BOUNCY = new BouncyAes256GcmCrypto();
  private static final AeadCrypto JDK = new JdkCrypto();
  private static int used;
  private static boolean last;

  /** The engine on the JDK, which the released Asherah does not have. */
  private static final class JdkCrypto extends BouncyAes256GcmCrypto {
    private byte[] cipher(int mode, byte[] in, int length, byte[] nonce, CryptoKey key, int room) {
      return key.withKey(
          bytes -> {
            try {
              Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
              var parameters = new GCMParameterSpec(128, nonce);
              cipher.init(mode, new SecretKeySpec(bytes, "AES"), parameters);
              byte[] out = new byte[cipher.getOutputSize(length) + room];
              cipher.doFinal(in, 0, length, out, 0);
              return out;
            } catch (java.security.GeneralSecurityException e) {
              throw new IllegalStateException(e);
            }
          });
    }

    @Override
    public byte[] encrypt(byte[] input, CryptoKey key) {
      byte[] nonce = generateNonce();
      byte[] output =
          cipher(Cipher.ENCRYPT_MODE, input, input.length, nonce, key, nonce.length);
      appendNonce(output, nonce);
      return output;
    }

    @Override
    public byte[] decrypt(byte[] input, CryptoKey key) {
      byte[] nonce = getAppendedNonce(input);
      return cipher(Cipher.DECRYPT_MODE, input, input.length - nonce.length, nonce, key, 0);
    }
  }

  private static void encryption(String name, AeadCrypto engine, int size) {
    CryptoKey key = engine.generateKey();
    byte[] payload = new byte[size];
    for (int i = 0; i < WARM_UP; i++) {
      used += engine.encrypt(payload, key)[0];
    }
    long start = System.nanoTime();
    for (int i = 0; i < CALLS; i++) {
      used += engine.encrypt(payload, key)[0];
    }
    print(name, "seal", size, System.nanoTime() - start);
  }

  private static void decryption(String name, AeadCrypto engine, int size) {
    CryptoKey key = engine.generateKey();
    byte[] sealed = engine.encrypt(new byte[size], key);
    if (!Arrays.equals(engine.decrypt(sealed, key), new byte[size])) {
      throw new IllegalStateException("the plaintext differs");
    }
    for (int i = 0; i < WARM_UP; i++) {
      used += engine.decrypt(sealed, key)[0];
    }
    long start = System.nanoTime();
    for (int i = 0; i < CALLS; i++) {
      used += engine.decrypt(sealed, key)[0];
    }
    print(name, "open", size, System.nanoTime() - start);
  }

  private static void print(String name, String operation, int size, long nanos) {
    if (last) {
      System.out.printf("%s/%s/%d %.1f ns%n", name, operation, size, (double) nanos / CALLS);
    }
  }

  /** Runs a test of both engines, one after the other, for each payload. */
  private static void each(int times, Test test) {
    for (int size : new int[] {64, 256, 1024, 4096}) {
      for (int time = 1; time <= times; time++) {
        last = time == times;
        test.run("bc", BOUNCY, size);
        test.run("jdk", JDK, size);
      }
    }
  }

  private interface Test {
    void run(String name, AeadCrypto engine, int size);
  }

  public static void main(String[] args) {
    int times = args.length > 0 ? Integer.parseInt(args[0]) : 1;
    each(times, Document004::encryption);
    each(times, Document004::decryption);
    System.err.println(used);
  }
}

import java.nio.ByteBuffer;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.Security;
import java.security.Signature;
import java.util.ArrayList;
import java.util.List;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** A program with known calls: {@code java Known digests macs ...}. */
public final class Known {
  private static final byte[] DATA = new byte[1 << 20];

  private Known() {}

  public static void main(String[] all) throws Exception {
    for (String what : all) {
      switch (what) {
        case "digests" -> digests();
        case "macs" -> macs();
        case "aeads" -> aeads();
        case "bouncycastle" -> bouncyCastle();
        case "within" -> within();
        case "threads" -> threads();
        case "killed" -> killed();
        default -> sizes();
      }
    }
    System.out.println("done");
  }

  private static void digests() throws Exception {
    MessageDigest kept = MessageDigest.getInstance("SHA-256");
    for (int i = 0; i < 3; i++) {
      kept.digest(piece(64));
    }
    kept.update(DATA, 0, 10);
    kept.update((byte) 1);
    kept.update(ByteBuffer.wrap(DATA, 0, 20));
    kept.digest();
    kept.update(piece(37));
    kept.digest(new byte[64], 32, 32);
    kept.update(piece(99));
    kept.reset();
    kept.digest();
    // Both sides of a copy, and one that was copied before its message.
    kept.update(piece(30));
    MessageDigest copy = (MessageDigest) kept.clone();
    copy.update(piece(5));
    copy.digest();
    kept.digest();
    ((MessageDigest) kept.clone()).digest(piece(41));
    // A message that another thread ends.
    MessageDigest passed = MessageDigest.getInstance("SHA-512");
    passed.update(piece(100));
    Thread other = new Thread(() -> passed.digest(piece(1)));
    other.start();
    other.join();
    MessageDigest.getInstance("SHA-384").digest(piece(7));
    MessageDigest.getInstance("SHA-1").digest(piece(8));
    MessageDigest.getInstance("SHA3-256").digest(piece(9));
    // A call that throws is not counted, and the next one is.
    try {
      kept.digest(new byte[1], 0, 1);
    } catch (java.security.DigestException e) {
      kept.reset();
    }
    kept.digest(piece(77));
  }

  private static void macs() throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(piece(32), "x"));
    mac.doFinal(piece(40));
    mac.doFinal(piece(90));
    mac.update(piece(50));
    mac.update(piece(40));
    mac.doFinal(new byte[32], 0);
    mac.init(new SecretKeySpec(piece(32), "x"));
    Mac copy = (Mac) mac.clone();
    copy.doFinal(piece(60));
    mac.update(piece(61));
    copy = (Mac) mac.clone();
    copy.doFinal();
    mac.reset();
    mac.doFinal(piece(62));
    mac = Mac.getInstance("HmacSHA1");
    mac.init(new SecretKeySpec(piece(32), "x"));
    mac.doFinal(piece(63));
  }

  private static void aeads() throws Exception {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    SecretKeySpec key = new SecretKeySpec(piece(32), "AES");
    byte[] sealed = null;
    for (int i = 0; i < 3; i++) {
      cipher.init(Cipher.ENCRYPT_MODE, key, nonce(i));
      cipher.updateAAD(piece(13));
      sealed = cipher.doFinal(piece(1000));
    }
    cipher.init(Cipher.DECRYPT_MODE, key, nonce(2));
    cipher.updateAAD(piece(13));
    cipher.doFinal(sealed, 0, sealed.length, new byte[1016], 0);
    sealed[5] ^= 1;
    cipher.init(Cipher.DECRYPT_MODE, key, nonce(2));
    cipher.updateAAD(piece(13));
    try {
      cipher.doFinal(sealed);
    } catch (AEADBadTagException e) {
      // As it should.
    }
    sealed[5] ^= 1;
    cipher.init(Cipher.DECRYPT_MODE, key, nonce(2));
    cipher.updateAAD(piece(13));
    cipher.update(sealed, 0, 500);
    cipher.doFinal(sealed, 500, 516);
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(piece(16), "AES"), nonce(1));
    cipher.update(ByteBuffer.wrap(DATA, 0, 160), ByteBuffer.allocate(400));
    cipher.doFinal(ByteBuffer.wrap(DATA, 0, 40), ByteBuffer.allocate(400));
    cipher = Cipher.getInstance("ChaCha20-Poly1305");
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(piece(32), "ChaCha20"), iv(12));
    cipher.doFinal(piece(500));
    cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
    cipher.init(Cipher.ENCRYPT_MODE, key, iv(16));
    cipher.doFinal(piece(500));
  }

  private static void bouncyCastle() throws Exception {
    Provider provider =
        (Provider)
            Class.forName("org.bouncycastle.jce.provider.BouncyCastleProvider")
                .getConstructor()
                .newInstance();
    Security.addProvider(provider);
    MessageDigest digest = MessageDigest.getInstance("SHA-256", provider);
    for (int i = 0; i < 5; i++) {
      digest.digest(piece(640));
    }
    digest.update(piece(30));
    ((MessageDigest) digest.clone()).digest(piece(12));
    digest.digest();
    MessageDigest.getInstance("BLAKE2B-512", provider).digest(piece(11));
    Mac mac = Mac.getInstance("HMACSHA256", provider);
    mac.init(new SecretKeySpec(piece(32), "x"));
    mac.doFinal(piece(400));
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", provider);
    SecretKeySpec key = new SecretKeySpec(piece(32), "AES");
    cipher.init(Cipher.ENCRYPT_MODE, key, nonce(1));
    cipher.update(piece(160));
    byte[] end = cipher.doFinal(piece(41));
    cipher.init(Cipher.ENCRYPT_MODE, key, nonce(2));
    byte[] sealed = cipher.doFinal(piece(201));
    cipher.init(Cipher.DECRYPT_MODE, key, nonce(2));
    cipher.doFinal(sealed);
    if (end.length == 0) {
      throw new IllegalStateException();
    }
  }

  /** Nothing here counts but one digest. */
  private static void within() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(1024);
    KeyPair pair = generator.generateKeyPair();
    Signature signature = Signature.getInstance("SHA256withRSA");
    signature.initSign(pair.getPrivate());
    signature.update(piece(300));
    byte[] signed = signature.sign();
    signature.initVerify(pair.getPublic());
    signature.update(piece(300));
    if (!signature.verify(signed)) {
      throw new IllegalStateException();
    }
    PBEKeySpec password = new PBEKeySpec("password".toCharArray(), piece(16), 1000, 256);
    SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(password);
    java.security.SecureRandom.getInstance("DRBG").nextBytes(new byte[100]);
    MessageDigest.getInstance("SHA-256").digest(piece(3));
  }

  /** Eight threads at a time with sizes of their own, then 500 one after the other. */
  private static void threads() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      int base = 100 * t;
      threads.add(new Thread(() -> digestSizes(base)));
    }
    for (Thread thread : threads) {
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    for (int t = 0; t < 500; t++) {
      Thread thread = new Thread(() -> digestOnce(5000));
      thread.start();
      thread.join();
    }
  }

  private static void digestSizes(int base) {
    for (int i = 0; i < 100_000; i++) {
      digestOnce(base + i % 10);
    }
  }

  private static void digestOnce(int size) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(DATA, 0, size);
      digest.digest();
    } catch (java.security.GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void killed() throws Exception {
    for (int i = 0; i < 400; i++) {
      digestOnce(200);
    }
    new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid())).start();
    Thread.sleep(60_000);
  }

  private static void sizes() {
    for (int i = 0; i < 30_000; i++) {
      digestOnce(i);
    }
  }

  private static byte[] piece(int size) {
    return new byte[size];
  }

  private static GCMParameterSpec nonce(int number) {
    byte[] nonce = new byte[12];
    nonce[0] = (byte) number;
    return new GCMParameterSpec(128, nonce);
  }

  private static IvParameterSpec iv(int size) {
    return new IvParameterSpec(new byte[size]);
  }
}

import dev.cupel.hash.Sha256;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * Document 000: 10,000 calls by System.nanoTime after 1,000 of warm-up, size by size, the JDK's
 * SHA-256 first. With an argument, each test runs that often, and prints what it took the last time.
 */
public final class Document000 {
  private static final int CALLS = 10_000;
  private static final int WARM_UP = 1_000;
  private static final Sha256 PURE_JAVA = new Sha256();

  private static byte[] jdk(byte[] data) throws Exception {
    return MessageDigest.getInstance("SHA-256").digest(data);
  }

  private static byte[] custom(byte[] data) {
    byte[] digest = new byte[Sha256.DIGEST_LENGTH];
    PURE_JAVA.hash(data, 0, data.length, digest, 0);
    return digest;
  }

  private static int test(int size, boolean last) throws Exception {
    byte[] data = new byte[size];
    Arrays.fill(data, (byte) 'a');
    if (!Arrays.equals(jdk(data), custom(data))) {
      throw new IllegalStateException("the digests differ");
    }
    int used = 0;
    for (int i = 0; i < WARM_UP; i++) {
      used += jdk(data)[0] + custom(data)[0];
    }
    long start = System.nanoTime();
    for (int i = 0; i < CALLS; i++) {
      used += jdk(data)[0];
    }
    long between = System.nanoTime();
    for (int i = 0; i < CALLS; i++) {
      used += custom(data)[0];
    }
    long end = System.nanoTime();
    if (last) {
      System.out.printf("jdk/%d %.2f ns%n", size, (double) (between - start) / CALLS);
      System.out.printf("custom/%d %.2f ns%n", size, (double) (end - between) / CALLS);
    }
    return used;
  }

  public static void main(String[] args) throws Exception {
    int times = args.length > 0 ? Integer.parseInt(args[0]) : 1;
    int used = 0;
    for (int size : new int[] {13, 100, 1024, 10_240}) {
      for (int time = 1; time <= times; time++) {
        used += test(size, time == times);
      }
    }
    // So that no digest is dead code.
    System.err.println(used);
  }
}

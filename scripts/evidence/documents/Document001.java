import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import com.zackehh.siphash.SipHash;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import javax.crypto.spec.SecretKeySpec;

/**
 * Document 001: each SipHash-2-4 for a time in each of five rounds of random order, the best of the
 * five. Arguments: the seconds, the size, and the names of the implementations.
 */
public final class Document001 {
  private static long used;

  private static Map<String, ToLongFunction<byte[]>> implementations() throws Exception {
    byte[] key = new byte[16];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) i;
    }
    var pando = software.pando.crypto.siphash.SipHash.getInstance(new SecretKeySpec(key, "RAW"));
    SipHash zackehh = new SipHash(key);
    HashFunction guava = Hashing.sipHash24(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
    Map<String, ToLongFunction<byte[]>> all = new LinkedHashMap<>();
    all.put("pando", message -> pando.mac(message)[0]);
    all.put("zackehh", message -> zackehh.hash(message).get());
    all.put("guava", message -> guava.hashBytes(message).asLong());
    return all;
  }

  private static double nanosPerCall(ToLongFunction<byte[]> hash, byte[] message, double seconds) {
    long start = System.nanoTime();
    long end = start + (long) (seconds * 1e9);
    long calls = 0;
    long now = start;
    while (now < end) {
      for (int i = 0; i < 1_000; i++) {
        used += hash.applyAsLong(message);
      }
      calls += 1_000;
      now = System.nanoTime();
    }
    return (double) (now - start) / calls;
  }

  public static void main(String[] args) throws Exception {
    double seconds = Double.parseDouble(args[0]);
    byte[] message = new byte[Integer.parseInt(args[1])];
    List<String> names = new ArrayList<>(List.of(args).subList(2, args.length));
    Map<String, ToLongFunction<byte[]>> all = implementations();
    Map<String, Double> best = new LinkedHashMap<>();
    for (int round = 0; round < 5; round++) {
      Collections.shuffle(names);
      for (String name : names) {
        best.merge(name, nanosPerCall(all.get(name), message, seconds), Math::min);
      }
    }
    best.forEach((name, ns) -> System.out.printf("%s/%d %.2f ns%n", name, message.length, ns));
    System.err.println(used);
  }
}

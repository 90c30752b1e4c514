package dev.cupel.jmh;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import dev.cupel.hash.SipHash;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** SipHash beside its peers and beside unkeyed hashes: document 001. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SipHashBenchmark {
  /** Bytes of a message. */
  @Param({"8", "32", "512", "2048"})
  public int size;

  private static final byte[] KEY = new byte[16];

  private final SipHash cupel13 = SipHash.sipHash13(KEY);
  private final SipHash cupel24 = SipHash.sipHash24(KEY);
  private final software.pando.crypto.siphash.SipHash pando =
      software.pando.crypto.siphash.SipHash.getInstance(new SecretKeySpec(KEY, "RAW"));
  private final com.zackehh.siphash.SipHash zackehh = new com.zackehh.siphash.SipHash(KEY);
  private final HashFunction guava = Hashing.sipHash24(0, 0);
  private final HashFunction murmur32 = Hashing.murmur3_32_fixed();
  private final HashFunction murmur128 = Hashing.murmur3_128();
  private final byte[] output = new byte[32];
  private Messages messages;
  private Mac hmac;

  /** Makes the messages. */
  @Setup
  public void setUp() throws Exception {
    messages = new Messages(size);
    hmac = Mac.getInstance("HmacSHA256");
    hmac.init(new SecretKeySpec(KEY, "HmacSHA256"));
  }

  /** Cupel's SipHash-1-3. */
  @Benchmark
  public long cupel13() {
    return cupel13.hash(messages.next());
  }

  /** Cupel's SipHash-2-4. */
  @Benchmark
  public long cupel24() {
    return cupel24.hash(messages.next());
  }

  /** Document 001's own code, SipHash-2-4. */
  @Benchmark
  public byte[] pando24() {
    return pando.mac(messages.next());
  }

  /** com.zackehh's SipHash-2-4. */
  @Benchmark
  public long zackehh24() {
    return zackehh.hash(messages.next()).get();
  }

  /** Guava's SipHash-2-4. */
  @Benchmark
  public long guava24() {
    return guava.hashBytes(messages.next()).asLong();
  }

  /** Guava's Murmur3 of 32 bits. */
  @Benchmark
  public int murmur32() {
    return murmur32.hashBytes(messages.next()).asInt();
  }

  /** Guava's Murmur3 of 128 bits. */
  @Benchmark
  public long murmur128() {
    return murmur128.hashBytes(messages.next()).asLong();
  }

  /** The JDK's HMAC-SHA-256. */
  @Benchmark
  public byte[] hmacSha256() throws Exception {
    hmac.update(messages.next());
    hmac.doFinal(output, 0);
    return output;
  }
}

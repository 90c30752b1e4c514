package dev.cupel.jmh;

import com.google.common.hash.HashCode;
import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import dev.cupel.hash.SipHash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
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

/**
 * SipHash and its alternatives, keyed and unkeyed, each into a given buffer: document 001.
 * Libraries that take only whole arrays get whole arrays.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SipHashBenchmark {
  /** Length of a message in bytes. */
  @Param({"8", "32", "512", "2048"})
  public int size;

  private static final byte[] KEY = new byte[16];
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

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
  private Messages whole;
  private Mac hmac;

  /** Creates the messages. */
  @Setup
  public void setUp() throws Exception {
    messages = Messages.anywhere(size);
    whole = Messages.whole(size);
    hmac = Mac.getInstance("HmacSHA256");
    hmac.init(new SecretKeySpec(KEY, "HmacSHA256"));
  }

  /** Cupel's SipHash-1-3. */
  @Benchmark
  public byte[] cupel13() {
    return word(cupel13.hash(messages.next(), messages.offset, size));
  }

  /** Cupel's SipHash-2-4. */
  @Benchmark
  public byte[] cupel24() {
    return word(cupel24.hash(messages.next(), messages.offset, size));
  }

  /** Document 001's own code, SipHash-2-4. */
  @Benchmark
  public byte[] pando24() {
    byte[] tag = pando.mac(whole.next());
    System.arraycopy(tag, 0, output, 0, tag.length);
    return output;
  }

  /** com.zackehh's SipHash-2-4. */
  @Benchmark
  public byte[] zackehh24() {
    return word(zackehh.hash(whole.next()).get());
  }

  /** Guava's SipHash-2-4. */
  @Benchmark
  public byte[] guava24() {
    return hashed(guava);
  }

  /** Guava's Murmur3 of 32 bits. */
  @Benchmark
  public byte[] murmur32() {
    return hashed(murmur32);
  }

  /** Guava's Murmur3 of 128 bits. */
  @Benchmark
  public byte[] murmur128() {
    return hashed(murmur128);
  }

  /** The JDK's HMAC-SHA-256. */
  @Benchmark
  public byte[] hmacSha256() throws Exception {
    hmac.update(messages.next(), messages.offset, size);
    hmac.doFinal(output, 0);
    return output;
  }

  private byte[] word(long tag) {
    WORD.set(output, 0, tag);
    return output;
  }

  private byte[] hashed(HashFunction function) {
    HashCode hash = function.hashBytes(messages.next(), messages.offset, size);
    hash.writeBytesTo(output, 0, hash.bits() / 8);
    return output;
  }
}

package dev.cupel.evidence;

import java.security.MessageDigest;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The calls of Contenders.java, for JMH. The fields are not final, so no count is a constant. */
@State(Scope.Thread)
public class KnownBenchmark {
  private MessageDigest digest;
  private final byte[] message = new byte[16];
  private final byte[] output = new byte[32];
  private int steps = 40_000;
  private int plus3 = 41_200;
  private int plus5 = 42_000;

  @Setup
  public void prepare() throws Exception {
    digest = MessageDigest.getInstance("SHA-256");
  }

  @Benchmark
  public long same() throws Exception {
    return call(steps);
  }

  @Benchmark
  public long copy() throws Exception {
    return call(steps);
  }

  @Benchmark
  public long plus3() throws Exception {
    return call(plus3);
  }

  @Benchmark
  public long plus5() throws Exception {
    return call(plus5);
  }

  private long call(int count) throws Exception {
    digest.update(message, 0, message.length);
    digest.digest(output, 0, output.length);
    long x = output[0];
    for (int left = count; left > 0; left--) {
      x = (x ^ (x >>> 29)) * 0xbf58476d1ce4e5b9L;
    }
    return x;
  }
}

package dev.cupel.jmh;

import dev.cupel.hash.SipHash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * How much of a call of a few nanoseconds is the loop around it? SipHash as JMH calls it, and in a
 * loop that folds the outputs, as in Cupel's runner.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LoopBenchmark {
  private static final int CALLS = 1000;
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Length of a message in bytes. */
  @Param({"8", "32", "512", "2048"})
  public int size;

  private final SipHash cupel13 = SipHash.sipHash13(new byte[16]);
  private final SipHash cupel24 = SipHash.sipHash24(new byte[16]);
  private final byte[] output = new byte[32];

  /** How many bytes of the output are written. No constant, as in the runner. */
  private int written = 8;

  private Messages messages;

  /** Creates the messages. */
  @Setup
  public void setUp() {
    messages = Messages.anywhere(size);
  }

  /** No hash: the time of JMH's own loop and of taking the next message. */
  @Benchmark
  public byte[] nothing() {
    WORD.set(output, 0, (long) messages.next()[0]);
    return output;
  }

  /** One call of SipHash-1-3 in each iteration of JMH's loop. */
  @Benchmark
  public byte[] one() {
    WORD.set(output, 0, cupel13.hash(messages.next(), messages.offset, size));
    return output;
  }

  /** A thousand calls of SipHash-1-3 in each iteration, in a loop of the benchmark's own. */
  @Benchmark
  @OperationsPerInvocation(CALLS)
  public long cupel13() {
    long fold = 0;
    for (int i = 0; i < CALLS; i++) {
      WORD.set(output, 0, cupel13.hash(messages.next(), messages.offset, size));
      fold += word();
    }
    return fold;
  }

  /** The same with SipHash-2-4. */
  @Benchmark
  @OperationsPerInvocation(CALLS)
  public long cupel24() {
    long fold = 0;
    for (int i = 0; i < CALLS; i++) {
      WORD.set(output, 0, cupel24.hash(messages.next(), messages.offset, size));
      fold += word();
    }
    return fold;
  }

  /** The word that the runner folds: the first and the last eight bytes of an output. */
  private long word() {
    return (long) WORD.get(output, 0) + (long) WORD.get(output, written - 8);
  }
}

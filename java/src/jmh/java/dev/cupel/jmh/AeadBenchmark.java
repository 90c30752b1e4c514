package dev.cupel.jmh;

import dev.cupel.aead.Aead;
import dev.cupel.aead.AeadEngine;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** AES-256-GCM by engine, sealed, opened, and both: document 004. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AeadBenchmark {
  /** Length of a plaintext in bytes. */
  @Param({"64", "256", "1024", "4096"})
  public int size;

  /** The engine under test. */
  @Param public AeadEngine engine;

  private Messages messages;
  private Aead aead;
  private byte[] sealed;

  /** Creates the messages, and a sealed one. */
  @Setup
  public void setUp() throws Exception {
    messages = Messages.whole(size);
    aead = Aead.of(engine, new byte[Aead.KEY_LENGTH]);
    sealed = aead.seal(messages.next());
  }

  /** Seals. */
  @Benchmark
  public byte[] seal() throws Exception {
    return aead.seal(messages.next());
  }

  /** Opens. */
  @Benchmark
  public byte[] open() throws Exception {
    return aead.open(sealed);
  }

  /** Seals and opens. */
  @Benchmark
  public byte[] roundTrip() throws Exception {
    return aead.open(aead.seal(messages.next()));
  }
}

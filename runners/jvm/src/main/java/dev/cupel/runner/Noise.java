package dev.cupel.runner;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * The work of the measuring thread and the JVM up to a moment. The difference of two such moments
 * is the noise of the time between them. Its field {@code compile_ns} is the time of compiler
 * threads, which the JVM reports in milliseconds. It reports the time of collections so, too, and
 * most take less. So for one thread, {@code gc_ns} is the time for which a collection stopped it.
 */
final class Noise {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();
  private static final GarbageCollectorMXBean[] COLLECTORS =
      ManagementFactory.getGarbageCollectorMXBeans().toArray(new GarbageCollectorMXBean[0]);

  /** One for each thread that asks. Only one thread does, except in tests. */
  private static volatile Waiting waiting = new Waiting();

  private final long at;
  private final long wait;
  private final long collected;
  private final long collections;
  private final long compilation;
  private final long cpu;

  /** The state of the calling thread, which is the first one. */
  Noise() {
    this(waiting());
  }

  /** The state of the calling thread. */
  Noise(Waiting waiting) {
    at = System.nanoTime();
    wait = waiting.nanoseconds();
    collected = collected();
    collections = collections();
    compilation = COMPILER == null ? 0 : COMPILER.getTotalCompilationTime();
    cpu = THREADS.getCurrentThreadCpuTime();
  }

  /** The processor time of the thread since an earlier moment, in ns. */
  long ran(Noise earlier) {
    return cpu - earlier.cpu;
  }

  /**
   * How long the thread has waited for a processor since an earlier moment, in ns; -1 if unknown.
   */
  long waited(Noise earlier) {
    return wait >= 0 && earlier.wait >= 0 ? wait - earlier.wait : -1;
  }

  /** Writes the work of the whole process since an earlier moment. */
  void process(Noise earlier, ReplyLine to) {
    long reported = 1_000_000 * Math.max(0, collections - earlier.collections);
    // A collection of less than a millisecond is one, too.
    process(earlier, collected > earlier.collected ? Math.max(1, reported) : reported, to);
  }

  private void process(Noise earlier, long collecting, ReplyLine to) {
    to.text(",\"gc_ns\":").number(collecting);
    to.text(",\"compile_ns\":").number(1_000_000 * Math.max(0, compilation - earlier.compilation));
  }

  /** Bytes that this thread has allocated. */
  static long allocated() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }

  /** Writes the noise between an earlier moment and this one, as fields of a JSON object. */
  void since(Noise earlier, ReplyLine to) {
    to.text("\"cpu_ns\":").number(cpu - earlier.cpu);
    // Absent if the system does not report it: unknown is not the same as quiet.
    if (wait >= 0 && earlier.wait >= 0) {
      to.text(",\"wait_ns\":").number(wait - earlier.wait);
    }
    process(earlier, stopped(earlier), to);
  }

  /**
   * For how long collections stopped the thread since an earlier moment, in ns: it neither ran nor
   * waited for a processor. At least 1 if there was a collection, and 0 if there was none.
   */
  private long stopped(Noise earlier) {
    if (collected <= earlier.collected) {
      return 0;
    }
    return Math.max(1, at - earlier.at - ran(earlier) - Math.max(0, waited(earlier)));
  }

  private static Waiting waiting() {
    Waiting known = waiting;
    if (known.thread != Thread.currentThread()) {
      known = new Waiting();
      waiting = known;
    }
    return known;
  }

  /** How many collections there were. */
  private static long collected() {
    long sum = 0;
    for (GarbageCollectorMXBean collector : COLLECTORS) {
      sum += Math.max(0, collector.getCollectionCount());
    }
    return sum;
  }

  /** The time that they took, in ms. */
  private static long collections() {
    long sum = 0;
    for (GarbageCollectorMXBean collector : COLLECTORS) {
      sum += Math.max(0, collector.getCollectionTime());
    }
    return sum;
  }

  /**
   * How long the thread has waited for a processor: the second number of its {@code schedstat}. The
   * file stays open and its bytes are parsed directly: a slice of a new process costs little more
   * than the work around its calls. The other counters of Linux (context switches, page faults)
   * would need two more files, and decide nothing once this number is known.
   */
  static final class Waiting {
    private final Thread thread = Thread.currentThread();
    private final byte[] text = new byte[128];
    private RandomAccessFile file;

    Waiting() {
      try {
        file = new RandomAccessFile("/proc/thread-self/schedstat", "r");
      } catch (IOException e) {
        file = null;
      }
    }

    /** In ns, or -1 if the system does not report it. */
    long nanoseconds() {
      if (file == null) {
        return -1;
      }
      try {
        file.seek(0);
        int length = file.read(text);
        int at = 0;
        while (at < length && text[at] != ' ') {
          at++;
        }
        long number = at + 1 < length ? 0 : -1;
        for (at++; at < length && text[at] >= '0' && text[at] <= '9'; at++) {
          number = 10 * number + text[at] - '0';
        }
        return number;
      } catch (IOException e) {
        return -1;
      }
    }
  }
}

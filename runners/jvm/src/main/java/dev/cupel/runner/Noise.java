package dev.cupel.runner;

import com.google.gson.JsonObject;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What the measuring thread and the JVM did up to a moment. Two of them give the noise of what lies
 * between: beside the protocol's fields {@code gc_ns} and {@code compile_ns}, the time of
 * collections and of compiler threads, which the JVM tells in milliseconds.
 */
final class Noise {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();
  private static final List<GarbageCollectorMXBean> COLLECTORS =
      ManagementFactory.getGarbageCollectorMXBeans();

  /**
   * The thread's files, open: a warm-up has thousands of slices, and to open them takes longest.
   */
  private static final ThreadLocal<Map<String, ThreadFile>> FILES =
      ThreadLocal.withInitial(HashMap::new);

  private final OptionalLong wait = word("schedstat", 1);
  private final OptionalLong involuntary = field("status", "nonvoluntary_ctxt_switches:");
  private final OptionalLong faults = faults();
  private final long collections = collections();
  private final long compilation = COMPILER == null ? 0 : COMPILER.getTotalCompilationTime();
  private final long cpu = THREADS.getCurrentThreadCpuTime();

  /** Bytes that this thread has allocated. */
  static long allocated() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }

  /** The noise between an earlier moment and this one. */
  JsonObject since(Noise earlier) {
    JsonObject noise = new JsonObject();
    noise.addProperty("cpu_ns", cpu - earlier.cpu);
    add(noise, "wait_ns", earlier.wait, wait);
    add(noise, "involuntary", earlier.involuntary, involuntary);
    add(noise, "faults", earlier.faults, faults);
    noise.addProperty("gc_ns", 1_000_000 * (collections - earlier.collections));
    noise.addProperty("compile_ns", 1_000_000 * (compilation - earlier.compilation));
    return noise;
  }

  /** Absent where the system does not tell: not knowing is not a quiet machine. */
  private static void add(JsonObject noise, String name, OptionalLong from, OptionalLong to) {
    if (from.isPresent() && to.isPresent()) {
      noise.addProperty(name, to.getAsLong() - from.getAsLong());
    }
  }

  private static long collections() {
    long sum = 0;
    for (GarbageCollectorMXBean collector : COLLECTORS) {
      sum += Math.max(0, collector.getCollectionTime());
    }
    return sum;
  }

  private static OptionalLong faults() {
    // The second field, the thread's name, may have spaces; it ends with the last parenthesis.
    String stat = read("stat");
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
    return fields.length < 10
        ? OptionalLong.empty()
        : OptionalLong.of(Long.parseLong(fields[7]) + Long.parseLong(fields[9]));
  }

  private static OptionalLong word(String file, int number) {
    String[] words = read(file).strip().split("\\s+");
    return words.length <= number
        ? OptionalLong.empty()
        : OptionalLong.of(Long.parseLong(words[number]));
  }

  private static OptionalLong field(String file, String name) {
    String text = read(file);
    int at = text.indexOf("\n" + name);
    if (at < 0) {
      return OptionalLong.empty();
    }
    int end = text.indexOf('\n', at + 1);
    String value = text.substring(at + 1 + name.length(), end < 0 ? text.length() : end);
    return OptionalLong.of(Long.parseLong(value.strip()));
  }

  private static String read(String file) {
    return FILES.get().computeIfAbsent(file, ThreadFile::new).read();
  }

  /** A file that the system makes anew for every reader; empty where it has none. */
  private static final class ThreadFile {
    private final byte[] buffer = new byte[8192];
    private RandomAccessFile file;

    ThreadFile(String name) {
      try {
        file = new RandomAccessFile("/proc/thread-self/" + name, "r");
      } catch (IOException e) {
        file = null;
      }
    }

    String read() {
      if (file == null) {
        return "";
      }
      try {
        file.seek(0);
        int read = file.read(buffer);
        return new String(buffer, 0, Math.max(read, 0), StandardCharsets.ISO_8859_1);
      } catch (IOException e) {
        return "";
      }
    }
  }
}

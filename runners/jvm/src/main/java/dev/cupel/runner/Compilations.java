package dev.cupel.runner;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The work of the JVM's compilers since this process began, as the JVM logs it. A time that has
 * stopped falling may be the plateau of a lower compilation level, which can last for seconds; only
 * the log shows whether it is the last one.
 *
 * <p>HotSpot's unified log is written to a file that only this process has open. On other JVMs
 * nothing is known and nothing is reported.
 */
final class Compilations {
  /** HotSpot's highest level: code of the optimising compiler. */
  static final int HIGHEST = 4;

  /** The interval at which the compile queue is read while it is not empty, in ns. */
  private static final long PATIENCE = 5_000_000;

  /**
   * Code that only the runner itself executes, between slices. It becomes hot late, and does not
   * affect the timed calls.
   */
  private static final byte[][] OURS =
      ascii(
          "dev.cupel.runner.",
          "java.io.",
          "sun.management.",
          "com.sun.management.",
          "jdk.internal.event.");

  /** The part of it that runs inside the timed loops. */
  private static final byte[][] TIMED =
      ascii(
          "dev.cupel.runner.RoundTrip.", "dev.cupel.runner.Bytes.", "dev.cupel.runner.contenders.");

  /** The timed loops themselves: methods of {@link Cell}, indexed by {@link Cell#loop}. */
  private static final byte[][] LOOPS =
      ascii(
          "dev.cupel.runner.Cell.throughput",
          "dev.cupel.runner.Cell.fresh",
          "dev.cupel.runner.Cell.latency",
          "dev.cupel.runner.Cell.seal",
          "dev.cupel.runner.Cell.open",
          "dev.cupel.runner.Cell.sealOpen",
          "dev.cupel.runner.Cell.drawn",
          "dev.cupel.runner.Cell.many",
          "dev.cupel.runner.Cell.refuse");

  private static final byte[] INSTALLING = ascii("Installing ")[0];
  private static final byte[] DISCARDED = ascii("made not entrant")[0];
  private static final byte[] MADE = ascii("made ")[0];
  private static final byte[] TRAP = ascii(" trap_bci=")[0];

  private final RandomAccessFile log;
  private final Commands commands;
  private final byte[] buffer = new byte[1 << 14];

  /** The current line; its end may not have been written yet. */
  private byte[] line = new byte[1 << 10];

  private int length;
  private final int[] levels = new int[LOOPS.length];
  private long events;
  private long installed;
  private long discarded;
  private long pending;
  private boolean begun;
  private boolean broken;
  private long looked;

  private Compilations(RandomAccessFile log, Commands commands) {
    this.log = log;
    this.commands = commands;
  }

  /** Begins to read the log; null if this JVM has none. */
  static Compilations listen() {
    try {
      Commands commands = new Commands();
      Path file = Files.createTempFile("cupel-compilations-", ".log");
      try {
        String what = "jit+compilation=debug,nmethod+install=info";
        String options = " decorators=none output_options=filecount=0";
        // Java 17 does not log uncommon traps; all later ones do.
        String said =
            commands.run(
                "VM.log output=" + file + options + " what=" + what + ",deoptimization=debug");
        if (!said.isBlank()) {
          said = commands.run("VM.log output=" + file + options + " what=" + what);
        }
        return said.isBlank()
            ? new Compilations(new RandomAccessFile(file.toFile(), "r"), commands)
            : null;
      } finally {
        // Only the JVM and this process have it open. It disappears with them, however they end.
        Files.delete(file);
      }
    } catch (ReflectiveOperationException | IOException | RuntimeException | LinkageError e) {
      return null;
    }
  }

  /** An instance without a log, for tests: it has only the lines given to {@link #take}. */
  static Compilations withoutLog() {
    return new Compilations(null, null);
  }

  /**
   * Reads the new lines of the log. Lines are parsed byte by byte: the JDK's string code must
   * become hot through the contenders' calls only.
   */
  void read() {
    try {
      for (int read; (read = log.read(buffer)) > 0; ) {
        for (int i = 0; i < read; i++) {
          if (buffer[i] != '\n') {
            if (length < line.length) {
              line[length++] = buffer[i];
            }
          } else {
            take();
            length = 0;
          }
        }
      }
    } catch (IOException e) {
      broken = true;
    }
    if (begun && System.nanoTime() - looked > PATIENCE) {
      pending = queued(commands.run("Compiler.queue"));
      begun = pending > 0;
      looked = System.nanoTime();
    }
  }

  /** Parses a whole line. */
  void take(String text) {
    line = ascii(text)[0];
    length = line.length;
    take();
  }

  /** Whether anything is known: a log without a line counts as none. */
  boolean reports() {
    return events > 0 && !broken;
  }

  /** The number of times that code was installed or discarded, at any level. */
  long events() {
    return events;
  }

  /** The number of times that code of the highest level was installed. */
  long installed() {
    return installed;
  }

  /** The number of times that code of the highest level was discarded. */
  long discarded() {
    return discarded;
  }

  /** The compilations for the highest level that are queued or in progress. */
  long pending() {
    return begun ? Math.max(1, pending) : 0;
  }

  /** The level of a loop's code; 0 if it is interpreted. */
  int level(int loop) {
    return levels[loop];
  }

  /** Writes its state as a field of a slice's reply. */
  void reply(ReplyLine to, int loop) {
    to.text(",\"compilation\":{\"events\":").number(events);
    to.text(",\"installed\":").number(installed).text(",\"discarded\":").number(discarded);
    to.text(",\"pending\":").number(pending());
    to.text(",\"level\":").number(level(loop)).text("}");
  }

  private void take() {
    if (starts(line, 0, length, INSTALLING)) {
      // Installing method (4) java.lang.String.hashCode()I
      int open = find('(', 0);
      int end = find('(', open + 1);
      if (open > 0 && end > open + 4) {
        installed(line[open + 1] - '0', open + 4, end);
      }
      return;
    }
    int colon = find(':', 0);
    if (colon < 0) {
      // cid= 282     level=4 java.lang.Math.min(JJ)J trap_bci=3 unstable_if reinterpret pc=...
      // The code was left for the interpreter, and may be discarded for this later.
      int trap = find(TRAP);
      int parameters = back('(', trap);
      if (trap > 0 && parameters > 0 && !ours(back(' ', parameters) + 1, parameters)) {
        events++;
      }
      return;
    }
    //   880 %  !  3       dev.cupel.runner.Cell::seal @ 15 (116 bytes)   made not entrant: reason
    int name = back(' ', colon) + 1;
    int level = 0;
    for (int i = name - 1; i >= 0 && level == 0; i--) {
      level = line[i] >= '1' && line[i] <= HIGHEST + '0' ? line[i] - '0' : 0;
      if (level == 0 && line[i] != ' ') {
        return;
      }
    }
    // As in the line of an installed method: one point instead of the two colons.
    line[colon] = '.';
    int end = find(' ', colon);
    end = end < 0 ? length : end;
    System.arraycopy(line, colon + 2, line, colon + 1, length - colon - 2);
    end--;
    length--;
    if (find(DISCARDED) >= 0) {
      discarded(level, name, end);
    } else if (level == HIGHEST && find(MADE) < 0 && (loop(name, end) >= 0 || !ours(name, end))) {
      begun = true;
    }
  }

  private void installed(int level, int from, int to) {
    int loop = loop(from, to);
    if (loop >= 0) {
      levels[loop] = Math.max(levels[loop], level);
    }
    if (loop >= 0 || !ours(from, to)) {
      events++;
      installed += level == HIGHEST ? 1 : 0;
    }
  }

  private void discarded(int level, int from, int to) {
    int loop = loop(from, to);
    if (loop >= 0 && level == HIGHEST) {
      levels[loop] = 0;
    }
    if (loop >= 0 || !ours(from, to)) {
      events++;
      discarded += level == HIGHEST ? 1 : 0;
    }
  }

  private int loop(int from, int to) {
    for (int loop = 0; loop < LOOPS.length; loop++) {
      if (to - from == LOOPS[loop].length && starts(line, from, to, LOOPS[loop])) {
        return loop;
      }
    }
    return -1;
  }

  private boolean ours(int from, int to) {
    for (byte[] prefix : TIMED) {
      if (starts(line, from, to, prefix)) {
        return false;
      }
    }
    for (byte[] prefix : OURS) {
      if (starts(line, from, to, prefix)) {
        return true;
      }
    }
    return false;
  }

  private static boolean starts(byte[] text, int from, int to, byte[] prefix) {
    if (to - from < prefix.length) {
      return false;
    }
    for (int i = 0; i < prefix.length; i++) {
      if (text[from + i] != prefix[i]) {
        return false;
      }
    }
    return true;
  }

  /** The index of a byte, searched from {@code from} on; or -1. */
  private int find(int wanted, int from) {
    for (int i = from; i < length; i++) {
      if (line[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  private int find(byte[] wanted) {
    for (int i = 0; i + wanted.length <= length; i++) {
      if (starts(line, i, length, wanted)) {
        return i;
      }
    }
    return -1;
  }

  /** The index of the last such byte before {@code before}; or -1. */
  private int back(int wanted, int before) {
    for (int i = before - 1; i >= 0; i--) {
      if (line[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  private static byte[][] ascii(String... texts) {
    byte[][] all = new byte[texts.length][];
    for (int i = 0; i < texts.length; i++) {
      all[i] = texts[i].getBytes(StandardCharsets.US_ASCII);
    }
    return all;
  }

  /** The number of compilations for the highest level in the output of {@code Compiler.queue}. */
  long queued(String said) {
    long count = 0;
    int from = 0;
    for (int i = 0; i <= said.length(); i++) {
      if (i == said.length() || said.charAt(i) == '\n') {
        count += queued(said, from, i) ? 1 : 0;
        from = i + 1;
      }
    }
    return count;
  }

  /** Whether a line is a compilation for the highest level that counts. */
  private boolean queued(String said, int from, int to) {
    final byte[] before = line;
    final int kept = length;
    line = new byte[to - from];
    length = line.length;
    for (int i = 0; i < length; i++) {
      line[i] = (byte) said.charAt(from + i);
    }
    // C2 CompilerThread0   212 %     4       com.Gcm::seal @ 200 (303 bytes)
    int colon = find(':', 0);
    boolean counts = false;
    if (colon > 0 && colon + 1 < length && line[colon + 1] == ':') {
      int name = back(' ', colon) + 1;
      int level = name - 1;
      while (level > 0 && line[level] == ' ') {
        level--;
      }
      int end = find(' ', colon);
      counts = level > 0 && line[level] == '0' + HIGHEST && line[level - 1] == ' ';
      if (counts) {
        line[colon] = '.';
        System.arraycopy(line, colon + 2, line, colon + 1, length - colon - 2);
        int last = (end < 0 ? length : end) - 1;
        counts = loop(name, last) >= 0 || !ours(name, last);
      }
    }
    line = before;
    length = kept;
    return counts;
  }

  /** HotSpot's diagnostic commands, called without starting the management server. */
  private static final class Commands {
    private final Object target;
    private final Method execute;

    Commands() throws ReflectiveOperationException {
      // Loads the native library that the class below needs but does not load itself.
      ManagementFactory.getThreadMXBean();
      // This program's manifest opens the class to it.
      Class<?> type = Class.forName("com.sun.management.internal.DiagnosticCommandImpl");
      Method maker = type.getDeclaredMethod("getDiagnosticCommandMBean");
      maker.setAccessible(true);
      target = maker.invoke(null);
      execute = type.getDeclaredMethod("executeDiagnosticCommand", String.class);
      execute.setAccessible(true);
    }

    String run(String command) {
      try {
        return String.valueOf(execute.invoke(target, command));
      } catch (ReflectiveOperationException e) {
        return "failed: " + e;
      }
    }
  }
}

package dev.cupel.runner;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;

/** The system's counters of one thread, which makes this and reads it. */
final class Counters {
  private final Noise.Waiting waiting = new Noise.Waiting();
  private final byte[] text = new byte[1 << 12];
  private RandomAccessFile status;

  Counters() {
    try {
      status = new RandomAccessFile("/proc/thread-self/status", "r");
    } catch (IOException e) {
      status = null;
    }
  }

  /** A moment of the thread. */
  final class Moment {
    final long slept;
    final long switched;
    final Noise noise;

    Moment() {
      String lines = lines();
      slept = after(lines, "\nvoluntary_ctxt_switches:");
      switched = after(lines, "\nnonvoluntary_ctxt_switches:");
      noise = new Noise(waiting);
    }
  }

  private String lines() {
    if (status == null) {
      return "";
    }
    try {
      status.seek(0);
      int length = status.read(text);
      return new String(text, 0, Math.max(0, length), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      return "";
    }
  }

  /** The number after a name; -1 if there is none. */
  private static long after(String lines, String name) {
    int at = lines.indexOf(name);
    if (at < 0) {
      return -1;
    }
    int end = lines.indexOf('\n', at + 1);
    String number = lines.substring(at + name.length(), end < 0 ? lines.length() : end);
    return Long.parseLong(number.trim());
  }
}

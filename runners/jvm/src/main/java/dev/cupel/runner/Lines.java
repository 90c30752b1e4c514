package dev.cupel.runner;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads lines of UTF-8. The last line need not end in a line feed. */
final class Lines {
  /** Protocol, "Transport": longer lines are rejected. */
  private static final int LONGEST = 48 << 20;

  private final InputStream input;

  /**
   * The buffer of the bytes not yet returned. It grows to the longest line, which is parsed in
   * place.
   */
  private byte[] buffer = new byte[1 << 16];

  private int begin;
  private int end;
  private int from;
  private int to;

  Lines(InputStream input) {
    this.input = input;
  }

  /** The next line without its end, or null at the end of the input. */
  String next() throws IOException {
    return advance() ? text() : null;
  }

  /** The array that {@link #begin} and {@link #end} refer to. */
  byte[] bytes() {
    return buffer;
  }

  /** The index at which the current line begins. */
  int begin() {
    return begin;
  }

  /** The index at which it ends. */
  int end() {
    return end;
  }

  /** The current line. */
  String text() {
    return new String(buffer, begin, end - begin, StandardCharsets.UTF_8);
  }

  /** Advances to the next line and returns whether there is one. */
  boolean advance() throws IOException {
    end = from;
    while (true) {
      while (end < to && buffer[end] != '\n') {
        end++;
      }
      if (end < to) {
        begin = from;
        from = end + 1;
        return true;
      }
      if (end - from > LONGEST) {
        throw new IOException("a line of over 48 MiB");
      }
      end -= makeRoom();
      int read = input.read(buffer, to, buffer.length - to);
      if (read <= 0) {
        boolean more = from < to;
        begin = from;
        end = to;
        from = to;
        return more;
      }
      to += read;
    }
  }

  /** Makes room for more input; returns by how many bytes the content moved to the front. */
  private int makeRoom() {
    int moved = from;
    if (from > 0) {
      System.arraycopy(buffer, from, buffer, 0, to - from);
      to -= from;
      from = 0;
    }
    if (to == buffer.length) {
      buffer = Arrays.copyOf(buffer, 2 * buffer.length);
    }
    return moved;
  }
}

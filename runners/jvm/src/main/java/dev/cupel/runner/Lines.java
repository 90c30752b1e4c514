package dev.cupel.runner;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Lines of UTF-8, the last of which may lack its line feed. */
final class Lines {
  /** Protocol, "Transport": a longer line is no request. */
  private static final int LONGEST = 48 << 20;

  private final InputStream input;

  /** What was read and not yet given; grows to the longest line, so that it is read in place. */
  private byte[] buffer = new byte[1 << 16];

  private int begin;
  private int end;
  private int from;
  private int to;

  Lines(InputStream input) {
    this.input = input;
  }

  /** The next line without its end, or null where there is none. */
  String next() throws IOException {
    return advance() ? text() : null;
  }

  /** The bytes that {@link #begin} and {@link #end} lie in. */
  byte[] bytes() {
    return buffer;
  }

  /** Where the line begins that was gone to. */
  int begin() {
    return begin;
  }

  /** Where it ends. */
  int end() {
    return end;
  }

  /** The line that was gone to. */
  String text() {
    return new String(buffer, begin, end - begin, StandardCharsets.UTF_8);
  }

  /** Goes to the next line; whether there is one. */
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

  /** Room behind what was read; returns by how much it moved to the front. */
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

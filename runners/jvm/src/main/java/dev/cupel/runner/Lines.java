package dev.cupel.runner;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Lines of UTF-8, the last of which may lack its line feed. */
final class Lines {
  /** Protocol, "Transport": a longer line is no request. */
  private static final int LONGEST = 48 << 20;

  private final InputStream input;
  private final byte[] buffer = new byte[1 << 16];
  private int from;
  private int to;

  Lines(InputStream input) {
    this.input = input;
  }

  /** The next line without its end, or null where there is none. */
  String next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      if (from == to) {
        from = 0;
        to = input.read(buffer);
        if (to <= 0) {
          to = 0;
          return line.size() == 0 ? null : line.toString(StandardCharsets.UTF_8);
        }
      }
      int end = from;
      while (end < to && buffer[end] != '\n') {
        end++;
      }
      line.write(buffer, from, end - from);
      if (line.size() > LONGEST) {
        throw new IOException("a line of over 48 MiB");
      }
      from = end;
      if (end < to) {
        from++;
        return line.toString(StandardCharsets.UTF_8);
      }
    }
  }
}

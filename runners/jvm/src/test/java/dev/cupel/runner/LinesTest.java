package dev.cupel.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines are read unchanged, however the input is divided into pieces. */
class LinesTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 7, 65_536, 1 << 20})
  void linesOfAnyLength(int most) throws IOException {
    String[] written = {
      "", "short", "x".repeat(65_535), "y".repeat(65_536), "z".repeat(300_000), "é"
    };
    byte[] all = (String.join("\n", written) + "\nno end").getBytes(StandardCharsets.UTF_8);
    InputStream pieces =
        new ByteArrayInputStream(all) {
          @Override
          public int read(byte[] to, int offset, int length) {
            return super.read(to, offset, Math.min(length, most));
          }
        };
    Lines lines = new Lines(pieces);
    for (String line : written) {
      assertEquals(line, lines.next());
    }
    assertEquals("no end", lines.next());
    assertNull(lines.next());
  }
}

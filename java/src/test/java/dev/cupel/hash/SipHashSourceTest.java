package dev.cupel.hash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The classes with rounds written out are generated from their template. With {@code
 * -Dcupel.write=true} they are written and not compared.
 */
class SipHashSourceTest {
  private static final Path TEMPLATE = Path.of("src/template/SipHashCD.java");
  private static final Path CLASSES = Path.of("src/main/java/dev/cupel/hash");

  /** The name of a piece, and how often it is inserted. */
  private static final Pattern PIECE = Pattern.compile("( *)#(\\w+)(?: \\* ([CD]))?");

  @ParameterizedTest
  @CsvSource({"1, 3", "2, 4"})
  void theClassIsWhatItsTemplateMakes(int c, int d) throws IOException {
    String made = new Maker(c, d).make(Files.readAllLines(TEMPLATE));
    Path file = CLASSES.resolve("SipHash" + c + d + ".java");
    if (Boolean.getBoolean("cupel.write")) {
      Files.writeString(file, made);
    }
    assertEquals(made, Files.readString(file), TEMPLATE + " says how to make " + file);
  }

  private static final class Maker {
    private final int c;
    private final int d;
    private final Map<String, List<String>> pieces = new HashMap<>();
    private final StringBuilder made = new StringBuilder();

    Maker(int c, int d) {
      this.c = c;
      this.d = d;
    }

    String make(List<String> template) {
      Iterator<String> lines = template.iterator();
      while (lines.hasNext()) {
        String line = lines.next();
        if (line.startsWith("#piece ")) {
          pieces.put(line.substring("#piece ".length()), until("#end", lines));
        } else if (line.startsWith("#if ")) {
          List<String> then = until("#else", lines);
          List<String> otherwise = until("#end", lines);
          put("", line.equals("#if " + c + "-" + d) ? then : otherwise);
        } else if (!line.startsWith("##")) {
          put("", List.of(line));
        }
      }
      return made.toString();
    }

    private static List<String> until(String end, Iterator<String> lines) {
      List<String> taken = new ArrayList<>();
      for (String line = lines.next(); !line.equals(end); line = lines.next()) {
        taken.add(line);
      }
      return taken;
    }

    private void put(String indent, List<String> lines) {
      for (String line : lines) {
        Matcher piece = PIECE.matcher(line);
        if (piece.matches()) {
          int times = piece.group(3) == null ? 1 : piece.group(3).equals("C") ? c : d;
          for (int i = 0; i < times; i++) {
            put(indent + piece.group(1), pieces.get(piece.group(2)));
          }
        } else {
          String text = line.replace("{C}", "" + c).replace("{D}", "" + d);
          made.append(text.isEmpty() ? "" : indent + text).append('\n');
        }
      }
    }
  }
}

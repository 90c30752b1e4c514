package dev.cupel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** The official vectors of the repository's folder {@code vectors/}. */
public final class Vectors {
  private static final Path FOLDER = Path.of("..", "vectors");

  private Vectors() {}

  /** A record: names and values, as they are in the file. */
  public record Entry(Map<String, String> fields) {
    /** The bytes of a field. */
    public byte[] bytes(String name) {
      return HexFormat.of().parseHex(text(name));
    }

    /** The text of a field, which must exist. */
    public String text(String name) {
      String text = fields.get(name);
      if (text == null) {
        throw new AssertionError("no " + name + " in " + fields);
      }
      return text;
    }

    /** Whether a field exists. */
    public boolean has(String name) {
      return fields.containsKey(name);
    }

    @Override
    public String toString() {
      return fields.toString();
    }
  }

  /** The records of a file in NIST's format: lines of {@code name = value}, empty lines between. */
  public static List<Entry> records(String file) {
    List<Entry> records = new ArrayList<>();
    Map<String, String> fields = new HashMap<>();
    for (String line : lines(file)) {
      if (line.isBlank()) {
        if (!fields.isEmpty()) {
          records.add(new Entry(Map.copyOf(fields)));
          fields.clear();
        }
      } else if (!line.startsWith("#") && !line.startsWith("[")) {
        int equals = line.indexOf('=');
        String name = equals < 0 ? line.strip() : line.substring(0, equals).strip();
        fields.put(name, equals < 0 ? "" : line.substring(equals + 1).strip());
      }
    }
    if (!fields.isEmpty()) {
      records.add(new Entry(Map.copyOf(fields)));
    }
    if (records.isEmpty()) {
      throw new AssertionError(file + " has no records");
    }
    return records;
  }

  /** The lines of a table of hex numbers. */
  public static List<byte[]> table(String file) {
    return lines(file).stream()
        .filter(line -> !line.startsWith("#") && !line.isBlank())
        .map(line -> HexFormat.of().parseHex(line.strip()))
        .toList();
  }

  private static List<String> lines(String file) {
    try {
      return Files.readAllLines(FOLDER.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

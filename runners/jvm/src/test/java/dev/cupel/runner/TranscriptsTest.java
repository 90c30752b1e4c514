package dev.cupel.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The runner's program reproduces the transcripts of protocol/transcripts. */
class TranscriptsTest {
  private static final Path FOLDER = Path.of("..", "..", "protocol", "transcripts");

  static List<Path> transcripts() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.filter(file -> file.toString().endsWith(".jsonl")).sorted().toList();
    }
  }

  @Test
  void theyAreThere() throws IOException {
    assertTrue(transcripts().size() >= 15);
  }

  @ParameterizedTest
  @MethodSource("transcripts")
  void isHeld(Path transcript) throws Exception {
    try (Talk talk = new Talk()) {
      int number = 0;
      for (String line : Files.readAllLines(transcript)) {
        number++;
        JsonObject step = JsonParser.parseString(line).getAsJsonObject();
        if (step.has("send")) {
          talk.send(step.get("send").toString());
        } else if (step.has("send_raw")) {
          talk.send(step.get("send_raw").getAsString());
        } else if (step.has("expect")) {
          JsonObject reply = talk.reply();
          assertTrue(matches(step.get("expect"), reply), "line " + number + ": got " + reply);
        } else if (step.has("end_input")) {
          talk.endInput();
        } else if (step.has("expect_exit")) {
          assertEquals(step.get("expect_exit").getAsInt(), talk.exit());
        } else {
          assertTrue(step.has("note"), "line " + number + " says something new: " + step);
        }
      }
    }
  }

  /** The fields of {@code expected} must be present; others may be. */
  private static boolean matches(JsonElement expected, JsonElement found) {
    if (found == null) {
      return false;
    }
    if (expected.isJsonObject()) {
      JsonObject object = expected.getAsJsonObject();
      if (object.has("$one-of")) {
        return object.getAsJsonArray("$one-of").asList().stream().anyMatch(e -> matches(e, found));
      }
      if (object.has("$contains")) {
        return found.isJsonArray()
            && found.getAsJsonArray().asList().stream()
                .anyMatch(e -> matches(object.get("$contains"), e));
      }
      return found.isJsonObject()
          && object.keySet().stream()
              .allMatch(name -> matches(object.get(name), found.getAsJsonObject().get(name)));
    }
    if (expected.isJsonArray()) {
      List<JsonElement> these = expected.getAsJsonArray().asList();
      if (!found.isJsonArray() || found.getAsJsonArray().size() != these.size()) {
        return false;
      }
      for (int i = 0; i < these.size(); i++) {
        if (!matches(these.get(i), found.getAsJsonArray().get(i))) {
          return false;
        }
      }
      return true;
    }
    if (expected.getAsJsonPrimitive().isString() && expected.getAsString().startsWith("$")) {
      return found.isJsonPrimitive()
          && switch (expected.getAsString()) {
            case "$string" ->
                found.getAsJsonPrimitive().isString() && !found.getAsString().isEmpty();
            case "$number" -> found.getAsJsonPrimitive().isNumber();
            case "$positive" -> found.getAsJsonPrimitive().isNumber() && found.getAsDouble() > 0;
            case "$hex16" -> found.getAsString().matches("[0-9a-f]{16}");
            default -> throw new AssertionError("unknown pattern " + expected);
          };
    }
    if (expected.getAsJsonPrimitive().isNumber()) {
      return found.isJsonPrimitive() && expected.getAsDouble() == found.getAsDouble();
    }
    return expected.equals(found);
  }
}

package dev.cupel.runner;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.StringReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** JSON as the protocol defines it: parsed strictly, and errors name the field. */
final class Json {
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();
  private static final TypeAdapter<JsonElement> ELEMENTS = GSON.getAdapter(JsonElement.class);

  private Json() {}

  static JsonObject object(String line) throws Refused {
    try {
      JsonReader reader = new JsonReader(new StringReader(line));
      reader.setStrictness(Strictness.STRICT);
      JsonElement element = ELEMENTS.read(reader);
      if (reader.peek() != JsonToken.END_DOCUMENT) {
        throw Refused.failed("there is more than one value on the line");
      }
      if (!element.isJsonObject()) {
        throw Refused.failed("the line is not a JSON object");
      }
      return element.getAsJsonObject();
    } catch (IOException | JsonParseException | IllegalStateException e) {
      throw Refused.failed("the line is not JSON: " + e.getMessage());
    }
  }

  /** Writes a line piece by piece, so that a line of 33 MB is not in memory three times. */
  static void write(JsonObject object, OutputStream output) throws IOException {
    Writer writer = new OutputStreamWriter(output, StandardCharsets.UTF_8);
    GSON.toJson(object, writer);
    writer.write('\n');
    writer.flush();
  }

  static String text(JsonObject from, String name) throws Refused {
    JsonElement value = required(from, name);
    if (!value.isJsonPrimitive() || !value.getAsJsonPrimitive().isString()) {
      throw Refused.failed("`" + name + "` must be a text");
    }
    return value.getAsString();
  }

  static String text(JsonObject from, String name, String otherwise) throws Refused {
    return from.has(name) ? text(from, name) : otherwise;
  }

  static long integer(JsonObject from, String name) throws Refused {
    JsonElement value = required(from, name);
    try {
      if (value.isJsonPrimitive() && value.getAsJsonPrimitive().isNumber()) {
        return value.getAsBigDecimal().longValueExact();
      }
    } catch (ArithmeticException | NumberFormatException e) {
      // Reported below.
    }
    throw Refused.failed("`" + name + "` must be an integer");
  }

  /** An integer that is at least {@code least} and at most {@code most}. */
  static int small(JsonObject from, String name, int least, int most) throws Refused {
    long value = integer(from, name);
    if (value < least || value > most) {
      throw Refused.failed("`" + name + "` is " + value + ", not from " + least + " to " + most);
    }
    return (int) value;
  }

  static JsonObject object(JsonObject from, String name) throws Refused {
    JsonElement value = required(from, name);
    if (!value.isJsonObject()) {
      throw Refused.failed("`" + name + "` must be an object");
    }
    return value.getAsJsonObject();
  }

  static byte[] bytes(JsonObject from, String name) throws Refused {
    return Bytes.parseHex(text(from, name, ""), name);
  }

  private static JsonElement required(JsonObject from, String name) throws Refused {
    JsonElement value = from.get(name);
    if (value == null) {
      throw Refused.failed("`" + name + "` is missing");
    }
    return value;
  }
}

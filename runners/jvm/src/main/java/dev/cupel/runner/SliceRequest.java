package dev.cupel.runner;

import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;

/**
 * A request for a slice, and the text of its reply. A new process gets thousands of them. There a
 * JSON library would be code that is still to be compiled, on the processor on which the calls
 * under test warm up. So the request is parsed, and the reply written, here, in the tool's exact
 * form.
 */
record SliceRequest(long id, int cell, long first, long preroll, long iterations) {
  private static final byte[][] WORDS = {
    ascii("{\"id\":"),
    ascii(",\"ask\":\"slice\",\"cell\":"),
    ascii(",\"first\":"),
    ascii(",\"preroll\":"),
    ascii(",\"iterations\":")
  };

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Parses a line in the tool's exact form; null for any other, which the JSON library parses. */
  static SliceRequest of(byte[] line, int from, int to) {
    long[] numbers = new long[WORDS.length];
    int at = from;
    for (int i = 0; i < WORDS.length; i++) {
      for (byte expected : WORDS[i]) {
        if (at >= to || line[at++] != expected) {
          return null;
        }
      }
      int begin = at;
      while (at < to && line[at] >= '0' && line[at] <= '9') {
        numbers[i] = 10 * numbers[i] + line[at++] - '0';
      }
      // Only numbers that fit, and without leading zeros, as JSON requires.
      int digits = at - begin;
      if (digits == 0 || digits > 18 || digits > 1 && line[begin] == '0') {
        return null;
      }
    }
    if (at != to - 1 || line[at] != '}' || numbers[1] > Integer.MAX_VALUE) {
      return null;
    }
    return new SliceRequest(numbers[0], (int) numbers[1], numbers[2], numbers[3], numbers[4]);
  }

  /** A request that the JSON library has parsed. */
  static SliceRequest of(JsonObject request) throws Refused {
    return new SliceRequest(
        Json.integer(request, "id"),
        Json.small(request, "cell", 0, Integer.MAX_VALUE),
        Json.integer(request, "first"),
        Json.integer(request, "preroll"),
        Json.integer(request, "iterations"));
  }

  /** Writes the reply of several threads, without the end of its line. */
  void reply(ReplyLine to, Together together) throws Exception {
    to.text("{\"id\":").number(id).text(",\"status\":\"ok\",\"iterations\":").number(iterations);
    to.text(",\"elapsed_ns\":").number(together.elapsed());
    to.text(",\"fold\":\"").hex(together.fold()).text("\",\"noise\":{");
    together.noise(to);
    to.text("}");
    if (iterations > 0) {
      to.text(",\"allocated_per_call\":").ratio(Math.max(0, together.allocated()), iterations);
    }
  }

  /** Writes the reply, without the end of its line. */
  void reply(ReplyLine to, long elapsed, long fold, Noise before, Noise after, long allocated) {
    to.text("{\"id\":").number(id).text(",\"status\":\"ok\",\"iterations\":").number(iterations);
    to.text(",\"elapsed_ns\":").number(elapsed).text(",\"fold\":\"").hex(fold);
    to.text("\",\"noise\":{");
    after.since(before, to);
    to.text("}");
    if (iterations > 0) {
      to.text(",\"allocated_per_call\":").ratio(Math.max(0, allocated), iterations);
    }
  }
}

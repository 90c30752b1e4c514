package dev.cupel.runner;

import com.google.gson.JsonObject;

/**
 * A request for a slice, and the words of its reply. It comes thousands of times to a process that
 * has just begun, where a JSON library is code yet to be compiled, on the processor that the calls
 * under test are to warm up on: so it is read and written here as the tool writes it.
 */
record SliceRequest(long id, int cell, long first, long preroll, long iterations) {
  private static final String[] WORDS = {
    "{\"id\":", ",\"ask\":\"slice\",\"cell\":", ",\"first\":", ",\"preroll\":", ",\"iterations\":"
  };

  /** From a line in the tool's own words; null for any other, which the JSON library reads. */
  static SliceRequest of(String line) {
    long[] numbers = new long[WORDS.length];
    int at = 0;
    for (int i = 0; i < WORDS.length; i++) {
      if (!line.startsWith(WORDS[i], at)) {
        return null;
      }
      at += WORDS[i].length();
      int begin = at;
      while (at < line.length() && line.charAt(at) >= '0' && line.charAt(at) <= '9') {
        numbers[i] = 10 * numbers[i] + line.charAt(at++) - '0';
      }
      // Of JSON's numbers those that fit, and none with zeros before it.
      int digits = at - begin;
      if (digits == 0 || digits > 18 || digits > 1 && line.charAt(begin) == '0') {
        return null;
      }
    }
    if (at != line.length() - 1 || line.charAt(at) != '}' || numbers[1] > Integer.MAX_VALUE) {
      return null;
    }
    return new SliceRequest(numbers[0], (int) numbers[1], numbers[2], numbers[3], numbers[4]);
  }

  /** From a request that was read. */
  static SliceRequest of(JsonObject request) throws Refused {
    return new SliceRequest(
        Json.integer(request, "id"),
        Json.small(request, "cell", 0, Integer.MAX_VALUE),
        Json.integer(request, "first"),
        Json.integer(request, "preroll"),
        Json.integer(request, "iterations"));
  }

  /** The reply, without the end of its line. */
  String reply(long elapsed, long fold, Noise before, Noise after, long allocated) {
    String hex = Long.toHexString(fold);
    StringBuilder reply = new StringBuilder(320);
    reply
        .append("{\"id\":")
        .append(id)
        .append(",\"status\":\"ok\",\"iterations\":")
        .append(iterations);
    reply.append(",\"elapsed_ns\":").append(elapsed);
    reply.append(",\"fold\":\"").append("0".repeat(16 - hex.length())).append(hex);
    reply.append("\",\"noise\":{");
    after.since(before, reply);
    reply.append('}');
    if (iterations > 0) {
      reply.append(",\"allocated_per_call\":").append((double) allocated / iterations);
    }
    return reply.append('}').toString();
  }
}

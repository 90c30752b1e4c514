package dev.cupel.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;

/** Requests about one workload, as the tool sends them. */
final class Ask {
  private final JsonObject workload = new JsonObject();
  private final JsonObject contract = new JsonObject();
  private int size = 64;
  private int pool = 4;
  private String key = "";

  Ask(String primitive, String operation) {
    workload.addProperty("primitive", primitive);
    workload.addProperty("operation", operation);
    workload.addProperty("shape", "throughput");
  }

  Ask size(int bytes) {
    size = bytes;
    return this;
  }

  Ask pool(int messages) {
    pool = messages;
    return this;
  }

  /** A key of this many zeros, prepared. */
  Ask key(int bytes) {
    key = "00".repeat(bytes);
    return with("key", "prepared");
  }

  Ask shape(String shape) {
    workload.addProperty("shape", shape);
    return this;
  }

  /** A field of the contract. */
  Ask with(String name, Object value) {
    if (value instanceof Number number) {
      contract.addProperty(name, number);
    } else {
      contract.addProperty(name, (String) value);
    }
    return this;
  }

  JsonObject prepare(Server server, String contender) {
    return server.answer(prepare(contender));
  }

  /** The request to prepare cell 0. */
  String prepare(String contender) {
    JsonObject request = request("prepare", contender);
    workload.addProperty("size", size);
    workload.add("contract", contract);
    request.add("workload", workload);
    request.addProperty("cell", 0);
    request.addProperty("seed", 1000);
    request.addProperty("pool", pool);
    request.addProperty("offset", 17);
    request.addProperty("key", key);
    return request.toString();
  }

  /** The answer to one case, or the whole reply if it has none. */
  JsonObject compute(Server server, String contender, JsonObject one) {
    JsonObject reply = server.answer(compute(contender, one));
    return reply.has("answers") ? reply.getAsJsonArray("answers").get(0).getAsJsonObject() : reply;
  }

  /** The request for the answer to one case. */
  String compute(String contender, JsonObject one) {
    JsonObject request = request("compute", contender);
    request.add("primitive", workload.get("primitive"));
    request.add("operation", workload.get("operation"));
    request.add("contract", contract);
    JsonArray cases = new JsonArray();
    cases.add(one);
    request.add("cases", cases);
    return request.toString();
  }

  private static JsonObject request(String ask, String contender) {
    JsonObject request = new JsonObject();
    request.addProperty("id", 1);
    request.addProperty("ask", ask);
    request.addProperty("contender", contender);
    return request;
  }

  static JsonObject slice(Server server, long first, long preroll, long iterations) {
    return ok(
        server.answer(
            String.format(
                "{\"id\":2,\"ask\":\"slice\",\"cell\":0,\"first\":%d,\"preroll\":%d,\"iterations\":%d}",
                first, preroll, iterations)));
  }

  static JsonObject ok(JsonObject reply) {
    assertEquals("ok", reply.get("status").getAsString(), reply.toString());
    return reply;
  }

  /** The reason for which a request or a case is unsupported. */
  static String unsupported(JsonObject reply) {
    if (reply.has("status")) {
      assertEquals("unsupported", reply.get("status").getAsString(), reply.toString());
      return reply.get("reason").getAsString();
    }
    assertEquals(true, reply.has("unsupported"), reply.toString());
    return reply.get("unsupported").getAsString();
  }
}

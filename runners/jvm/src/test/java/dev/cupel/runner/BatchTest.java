package dev.cupel.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code digest-many}: batches of one call. */
class BatchTest {
  private static Ask many(int batch) {
    return new Ask("sha256", "digest-many").with("batch", batch);
  }

  private static byte[] message(long seed, int size) {
    byte[] message = new byte[size];
    Bytes.stream(seed, message, 0, size);
    return message;
  }

  /** The fold as the specification defines it, of batches of a pool of four messages. */
  private static String fold(int size, int batch, long first, long calls) throws Exception {
    long fold = 0;
    for (long i = first; i < first + calls; i++) {
      for (long k = i * batch; k < (i + 1) * batch; k++) {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(message(1000 + k % 4, size));
        fold += Bytes.word(digest, 0, digest.length);
      }
    }
    return String.format("%016x", fold);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk-reused", "cupel"})
  void aCallTakesItsMessagesFromThePool(String contender) throws Exception {
    for (int size : new int[] {0, 1, 64, 100}) {
      for (int batch : new int[] {1, 3, 4, 16, 64}) {
        for (String output : List.of("given", "fresh")) {
          for (int threads : new int[] {1, 2}) {
            Server server = new Server(Contenders.all());
            Ask ask = many(batch).size(size).with("output", output).with("threads", threads);
            Ask.ok(ask.prepare(server, contender));
            JsonObject slice = Ask.slice(server, 5, 2, 9);
            String what = batch + " messages of " + size + ", " + output + ", " + threads;
            assertEquals(fold(size, batch, 7, 9), slice.get("fold").getAsString(), what);
          }
        }
      }
    }
  }

  private static JsonObject batchOf(int... lengths) {
    JsonArray array = new JsonArray();
    StringBuilder hex = new StringBuilder();
    for (int j = 0; j < lengths.length; j++) {
      array.add(lengths[j]);
      hex.append(HexFormat.of().formatHex(message(j, lengths[j])));
    }
    JsonObject input = new JsonObject();
    input.addProperty("hex", hex.toString());
    JsonObject one = new JsonObject();
    one.add("input", input);
    one.add("lengths", array);
    one.addProperty("offset", 3);
    return one;
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk-reused", "cupel"})
  void digestsAreInTheOrderOfTheirMessages(String contender) throws Exception {
    for (int count : new int[] {1, 2, 17, 64}) {
      for (int size : new int[] {0, 55, 56, 130}) {
        int[] lengths = new int[count];
        java.util.Arrays.fill(lengths, size);
        StringBuilder expected = new StringBuilder();
        for (int j = 0; j < count; j++) {
          byte[] digest = MessageDigest.getInstance("SHA-256").digest(message(j, size));
          expected.append(HexFormat.of().formatHex(digest));
        }
        JsonObject answer =
            many(64).compute(new Server(Contenders.all()), contender, batchOf(lengths));
        assertEquals(expected.toString(), answer.get("output").getAsString(), answer.toString());
      }
    }
  }

  @Test
  void whatIsNotDefinedIsUnsupported() {
    Server server = new Server(Contenders.all());
    String refused = Ask.unsupported(many(4).compute(server, "cupel", batchOf(3, 3, 2)));
    assertTrue(refused.contains("one length"), refused);
    JsonObject pieces = batchOf(3, 3);
    pieces.add("chunks", batchOf(1, 2).get("lengths"));
    assertTrue(Ask.unsupported(many(4).compute(server, "cupel", pieces)).contains("not streamed"));
    assertTrue(
        Ask.unsupported(many(4).with("chunk", 8).prepare(server, "cupel")).contains("streamed"));
    assertTrue(
        Ask.unsupported(many(4).shape("latency").prepare(server, "cupel")).contains("latency"));
    assertTrue(
        Ask.unsupported(many(4).with("lengths", "spread").prepare(server, "cupel"))
            .contains("spread"));
    Ask single = new Ask("sha256", "digest").with("batch", 2);
    assertTrue(Ask.unsupported(single.prepare(server, "cupel")).contains("one message"));
    for (int batch : new int[] {0, 4097}) {
      String status = many(batch).prepare(server, "cupel").get("status").getAsString();
      assertEquals("failed", status, batch + " messages");
    }
  }

  /** Bytes that a contender writes behind its digests, or leaves out, are seen. */
  @Test
  void aBatchOfAnotherLengthFails() {
    Call short31 =
        new Call() {
          @Override
          public int call(byte[] input, int o, int l, byte[] n, byte[] to, int at) {
            return 4 * 32 - 1;
          }
        };
    Contender broken =
        new Contender(
            "broken",
            "",
            "",
            "",
            "",
            null,
            List.of(new Contender.Offer("sha256", "digest-many")),
            task -> short31);
    Server server = new Server(List.of(broken));
    Ask.ok(many(4).prepare(server, "broken"));
    JsonObject reply =
        server.answer(
            "{\"id\":2,\"ask\":\"slice\",\"cell\":0,\"first\":0,\"preroll\":0,\"iterations\":1}");
    assertEquals("failed", reply.get("status").getAsString(), reply.toString());
    assertTrue(reply.get("reason").getAsString().contains("one digest for each"), reply.toString());
  }
}

package dev.cupel.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Slices have the folds that the specification requires, and the work of a library in a slice does
 * not disturb the protocol.
 */
class SliceTest {
  private static final String CONTRACT =
      "{\"key\":\"%s\",\"nonce\":\"%s\",\"ad\":0,\"chunk\":0,\"output\":\"%s\","
          + "\"inputs\":\"hot\",\"align\":\"varied\"}";

  private static JsonObject ask(Server server, String line, Object... values) {
    return server.answer(String.format(line, values));
  }

  private static String prepare(
      String contender, String primitive, String operation, String shape, String contract) {
    return String.format(
        "{\"id\":1,\"ask\":\"prepare\",\"cell\":0,\"contender\":\"%s\",\"workload\":{\"primitive\":"
            + "\"%s\",\"operation\":\"%s\",\"size\":64,\"contract\":%s,\"shape\":\"%s\"},\"seed\":1000,"
            + "\"pool\":4,\"offset\":17,\"key\":\"%s\",\"ad\":\"\"}",
        contender, primitive, operation, contract, shape, key(primitive));
  }

  private static String key(String primitive) {
    return "00".repeat(primitive.equals("aes-128-gcm") ? 16 : 32);
  }

  private static final String SLICE =
      "{\"id\":2,\"ask\":\"slice\",\"cell\":0,\"first\":%d,\"preroll\":2,\"iterations\":%d}";

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "jdk-reused", "bouncycastle", "conscrypt", "accp", "cupel"})
  void theSpecificationsFolds(String contender) {
    for (String output : List.of("given", "fresh")) {
      String contract = String.format(CONTRACT, "none", "none", output);
      Server server = new Server(Contenders.all());
      assertOk(server.answer(prepare(contender, "sha256", "digest", "throughput", contract)));
      JsonObject slice = assertOk(ask(server, SLICE, 1, 10));
      assertEquals("a6879ef250ebf3f2", slice.get("fold").getAsString());
      assertOk(server.answer(prepare(contender, "sha256", "digest", "latency", contract)));
      slice = assertOk(ask(server, SLICE, 0, 3));
      assertEquals("5143d136ab1e028f", slice.get("fold").getAsString());
    }
  }

  /** However many threads divide the calls, each is made once and with its own nonce. */
  @ParameterizedTest
  @CsvSource({
    "sha256, digest, none, none",
    "aes-256-gcm, seal, prepared, counter",
    "aes-256-gcm, open, prepared, counter"
  })
  void threadsMakeEachCallOnce(String primitive, String operation, String key, String nonce) {
    String one = String.format(CONTRACT, key, nonce, "given");
    Server server = new Server(Contenders.all());
    long first = 0;
    for (long iterations : List.of(1L, 5L, 1000L)) {
      assertOk(server.answer(prepare("jdk", primitive, operation, "throughput", one)));
      String expected = assertOk(ask(server, SLICE, first, iterations)).get("fold").getAsString();
      for (int threads : List.of(2, 3)) {
        String many = one.replace("}", ",\"threads\":" + threads + "}");
        JsonObject reply = server.answer(prepare("jdk", primitive, operation, "throughput", many));
        assertEquals(threads, assertOk(reply).getAsJsonArray("threads").size());
        JsonObject slice = assertOk(ask(server, SLICE, first, iterations));
        assertEquals(expected, slice.get("fold").getAsString(), threads + " threads");
      }
      first += 2000;
    }
    String none = one.replace("}", ",\"threads\":0}");
    JsonObject refused = server.answer(prepare("jdk", primitive, operation, "throughput", none));
    assertFalse("ok".equals(refused.get("status").getAsString()), refused::toString);
  }

  @Test
  void theSpecificationsFoldOfSevenBitBytes() {
    String contract = String.format(CONTRACT, "none", "none", "given");
    contract = contract.replace("}", ",\"bytes\":\"7-bit\"}");
    Server server = new Server(Contenders.all());
    assertOk(server.answer(prepare("jdk", "sha256", "digest", "throughput", contract)));
    assertEquals("a266870cf9cdb782", assertOk(ask(server, SLICE, 1, 10)).get("fold").getAsString());
    JsonObject latency = server.answer(prepare("jdk", "sha256", "digest", "latency", contract));
    assertEquals("unsupported", latency.get("status").getAsString(), latency::toString);
    String any = contract.replace("7-bit", "8-bit");
    JsonObject unknown = server.answer(prepare("jdk", "sha256", "digest", "throughput", any));
    assertEquals("unsupported", unknown.get("status").getAsString(), unknown::toString);
  }

  @ParameterizedTest
  @CsvSource({
    "jdk,aes-128-gcm,prepared",
    "jdk,aes-256-gcm,prepared",
    "jdk,aes-256-gcm,per-call",
    "jdk,chacha20-poly1305,prepared",
    "jdk,chacha20-poly1305,per-call",
    "bouncycastle,aes-128-gcm,prepared",
    "bouncycastle,aes-256-gcm,prepared",
    "bouncycastle,aes-256-gcm,per-call",
    "bouncycastle,aes-256-gcm-siv,per-call",
    "bouncycastle,chacha20-poly1305,prepared",
    "bouncycastle,chacha20-poly1305,per-call",
    "bouncycastle,xchacha20-poly1305,per-call",
    "bouncycastle-jce,aes-256-gcm,per-call",
    "bouncycastle-jce,aes-256-gcm-siv,per-call",
    "bouncycastle-jce,chacha20-poly1305,per-call",
    "bouncycastle-jce,xchacha20-poly1305,per-call",
    "conscrypt,aes-256-gcm,per-call",
    "conscrypt,aes-256-gcm-siv,per-call",
    "conscrypt,chacha20-poly1305,per-call",
    "conscrypt,xchacha20-poly1305,per-call",
    "accp,aes-128-gcm,prepared",
    "accp,aes-256-gcm,prepared",
    "accp,aes-256-gcm,per-call",
    "asherah,aes-256-gcm,per-call",
    "cupel-aead-jdk,aes-256-gcm,prepared",
    "cupel-aead-jdk,aes-256-gcm,per-call",
    "cupel-aead-accp,aes-256-gcm,prepared"
  })
  void whatIsSealedIsOpened(String contender, String primitive, String key) {
    Server server = new Server(Contenders.all());
    assertOk(server.answer(prepare(contender, primitive, "open", "throughput", contract(key))));
    String opened = assertOk(ask(server, SLICE, 0, 8)).get("fold").getAsString();
    assertEquals(String.format("%016x", plaintexts()), opened);
    for (int forged : new int[] {0, 8, 15}) {
      String terms = contract(key).replace("}", ",\"forged\":" + forged + "}");
      assertOk(server.answer(prepare(contender, primitive, "open", "throughput", terms)));
      String refused = assertOk(ask(server, SLICE, 0, 8)).get("fold").getAsString();
      assertEquals("0000000000000000", refused);
      JsonObject other = server.answer(prepare(contender, primitive, "seal", "throughput", terms));
      assertEquals("unsupported", other.get("status").getAsString());
    }
    assertOk(server.answer(prepare(contender, primitive, "seal", "throughput", contract(key))));
    String sealed = assertOk(ask(server, SLICE, 0, 8)).get("fold").getAsString();
    assertEquals(String.format("%016x", outputs(primitive, "seal")), sealed);
    assertOk(
        server.answer(prepare(contender, primitive, "seal-open", "throughput", contract(key))));
    String both = assertOk(ask(server, SLICE, 0, 8)).get("fold").getAsString();
    assertEquals(String.format("%016x", outputs(primitive, "seal-open")), both);
  }

  /** JDK 17's ChaCha20 refuses the nonce of the message before. */
  @Test
  void aMessageIsOpenedTwiceInARow() {
    Server server = new Server(Contenders.all());
    String contract = contract("prepared");
    assertOk(server.answer(prepare("jdk", "chacha20-poly1305", "open", "throughput", contract)));
    // The last call of the first slice has the message of the first call of the second.
    assertOk(ask(server, SLICE, 0, 8));
    assertEquals(
        String.format("%016x", plaintexts()),
        assertOk(ask(server, SLICE, 9, 8)).get("fold").getAsString());
  }

  /** The fold of eight calls of {@code open}: each of the four messages twice. */
  private static long plaintexts() {
    long fold = 0;
    for (int j = 0; j < 4; j++) {
      byte[] message = new byte[64];
      Bytes.stream(1000 + j, message, 0, 64);
      fold += 2 * Bytes.word(message, 0, 64);
    }
    return fold;
  }

  /**
   * The fold of the calls 2 to 9 of the slices above, from the answers of {@code compute} in
   * another contender.
   */
  private static long outputs(String primitive, String operation) {
    boolean inJdk = List.of("aes-128-gcm", "aes-256-gcm", "chacha20-poly1305").contains(primitive);
    Server server = new Server(Contenders.all());
    long fold = 0;
    for (int call = 2; call < 10; call++) {
      byte[] message = new byte[64];
      Bytes.stream(1000 + call % 4, message, 0, 64);
      String plain = HexFormat.of().formatHex(message);
      String nonce = String.format("%0" + 2 * Bytes.nonceLength(primitive) + "x", call);
      String line =
          String.format(
              "{\"id\":1,\"ask\":\"compute\",\"contender\":\"%s\",\"primitive\":\"%s\","
                  + "\"operation\":\"%s\",\"contract\":%s,\"cases\":[{\"input\":{\"hex\":\"%s\"},"
                  + "\"key\":\"%s\",\"nonce\":\"%s\",\"ad\":\"\"}]}",
              inJdk ? "jdk" : "conscrypt",
              primitive,
              operation,
              contract("per-call"),
              plain,
              key(primitive),
              nonce);
      JsonObject answer =
          assertOk(server.answer(line)).getAsJsonArray("answers").get(0).getAsJsonObject();
      byte[] bytes = HexFormat.of().parseHex(answer.get("output").getAsString());
      fold += Bytes.word(bytes, 0, bytes.length);
    }
    return fold;
  }

  private static String contract(String key) {
    return String.format(CONTRACT, key, "counter", "given");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 8, 9, 100})
  void theWordOfARoundTripIsThatOfBothOutputsTogether(int length) {
    byte[] sealed = new byte[length + 16];
    byte[] opened = new byte[length + 5];
    Bytes.stream(1, sealed, 0, sealed.length);
    Bytes.stream(2, opened, 0, opened.length);
    byte[] both = RoundTrip.joined(sealed, opened, length);
    assertEquals(length + 16 + length, both.length);
    assertEquals(Bytes.word(both, 0, both.length), RoundTrip.word(sealed, opened, length));
  }

  @Test
  void aRoundTripThatDoesNotOpenOrIsNotOfferedFails() {
    Call sealer =
        new Call() {
          @Override
          public int call(byte[] i, int o, int l, byte[] n, byte[] to, int at) {
            return l + 16;
          }
        };
    Call refuser =
        new Call() {
          @Override
          public int call(byte[] i, int o, int l, byte[] n, byte[] to, int at) throws Exception {
            throw new NotAuthentic(null);
          }
        };
    Contender.Maker maker = task -> task.operation().equals("seal") ? sealer : refuser;
    for (boolean offered : new boolean[] {true, false}) {
      List<Contender.Offer> offers =
          Stream.of("seal", "open", "seal-open")
              .filter(o -> offered || !o.equals("seal-open"))
              .map(o -> new Contender.Offer("aes-256-gcm", o))
              .toList();
      Server server =
          new Server(List.of(new Contender("broken", "", "", "", "", null, offers, maker)));
      String line =
          prepare("broken", "aes-256-gcm", "seal-open", "throughput", contract("prepared"));
      JsonObject reply = server.answer(line);
      if (!offered) {
        assertEquals("unsupported", reply.get("status").getAsString());
        continue;
      }
      assertOk(reply);
      reply = ask(server, SLICE, 0, 1);
      assertEquals("failed", reply.get("status").getAsString());
      assertTrue(reply.get("reason").getAsString().contains("refuses to open"), reply.toString());
    }
  }

  @Test
  void allocationIsTold() {
    String contract = String.format(CONTRACT, "none", "none", "given");
    Server server = new Server(Contenders.all());
    assertOk(server.answer(prepare("cupel", "sha256", "digest", "throughput", contract)));
    ask(server, SLICE, 0, 100_000);
    JsonObject slice = assertOk(ask(server, SLICE, 200_000, 100_000));
    assertTrue(slice.get("allocated_per_call").getAsDouble() < 0.1, slice.toString());
    JsonObject noise = slice.getAsJsonObject("noise");
    assertTrue(noise.get("cpu_ns").getAsLong() > 0 && noise.has("gc_ns"), noise.toString());
    Server other = new Server(Contenders.all());
    assertOk(other.answer(prepare("jdk", "sha256", "digest", "throughput", contract)));
    slice = assertOk(ask(other, SLICE, 0, 10_000));
    assertTrue(slice.get("allocated_per_call").getAsDouble() > 50, "an instance a call");
  }

  @Test
  void aCallThatFailsMakesTheSliceFailed() {
    Call broken =
        new Call() {
          @Override
          public int call(byte[] i, int o, int l, byte[] n, byte[] to, int at) throws Exception {
            throw new IllegalStateException("out of order");
          }
        };
    Server server = new Server(List.of(contender("broken", task -> broken)));
    String contract = String.format(CONTRACT, "none", "none", "given");
    assertOk(server.answer(prepare("broken", "sha256", "digest", "throughput", contract)));
    JsonObject slice = ask(server, SLICE, 0, 1);
    assertEquals("failed", slice.get("status").getAsString());
    assertTrue(slice.get("reason").getAsString().contains("out of order"));
  }

  @Test
  void aSliceIsAnsweredTheSameInTheToolsWordsAndInAnyOther() throws Exception {
    Server server = new Server(Contenders.all());
    String contract = String.format(CONTRACT, "none", "none", "given");
    assertOk(server.answer(prepare("jdk-reused", "sha256", "digest", "throughput", contract)));
    String plain =
        "{\"id\":2,\"ask\":\"slice\",\"cell\":%d,\"first\":1,\"preroll\":2,\"iterations\":10}";
    for (String line : List.of(plain, plain.replace(",", ", "))) {
      JsonObject slice = assertOk(written(server, String.format(line, 0)));
      assertEquals("a6879ef250ebf3f2", slice.get("fold").getAsString());
      assertEquals(10, slice.get("iterations").getAsLong());
      assertEquals(2, slice.get("id").getAsLong());
      assertTrue(slice.get("elapsed_ns").getAsLong() > 0);
      assertTrue(slice.getAsJsonObject("noise").has("cpu_ns"));
      JsonObject refused = written(server, String.format(line, 7));
      assertEquals("cell 7 was not prepared", refused.get("reason").getAsString());
      assertEquals(2, refused.get("id").getAsLong());
    }
    for (String wrong : List.of("-1", "01", "1e3", "9999999999999999999", "", "\"1\"")) {
      assertNull(request(plain.replace("%d", wrong)), wrong);
    }
    assertNull(request(plain.replace("%d", "1") + " "));
    assertNull(request(""));
  }

  private static SliceRequest request(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    return SliceRequest.of(bytes, 0, bytes.length);
  }

  private static JsonObject written(Server server, String line) throws Exception {
    ByteArrayOutputStream replies = new ByteArrayOutputStream();
    Lines lines = new Lines(new ByteArrayInputStream(line.getBytes(StandardCharsets.UTF_8)));
    assertTrue(lines.advance());
    server.answer(lines, replies);
    String reply = replies.toString(StandardCharsets.UTF_8);
    assertEquals(reply.length() - 1, reply.indexOf('\n'), reply);
    return Json.object(reply.strip());
  }

  @Test
  void aLibraryThatDoesNotStartIsOneMissingContender() {
    Contender missing =
        new Contender("gone", "gone", "1", "", "", "no.such.Clazz", List.of(), task -> null);
    Contender broken =
        contender(
            "broken",
            task -> {
              throw new ExceptionInInitializerError(new IllegalStateException("no native code"));
            });
    Server server = new Server(List.of(missing, broken));
    JsonObject list = assertOk(server.answer("{\"id\":1,\"ask\":\"list\"}"));
    JsonObject first = list.getAsJsonArray("contenders").get(0).getAsJsonObject();
    assertTrue(first.getAsJsonObject("missing").get("reason").getAsString().contains("gone"));
    assertFalse(list.getAsJsonArray("contenders").get(1).getAsJsonObject().has("missing"));
    String contract = String.format(CONTRACT, "none", "none", "given");
    JsonObject reply = server.answer(prepare("broken", "sha256", "digest", "throughput", contract));
    assertEquals("missing", reply.get("status").getAsString());
    assertTrue(reply.get("reason").getAsString().contains("no native code"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"behind", "input"})
  void trespassesAreSeen(String where) {
    Call trespasser =
        new Call() {
          @Override
          public int call(byte[] input, int o, int l, byte[] n, byte[] to, int at) {
            if (where.equals("behind")) {
              to[at + 40] = 1;
            } else {
              input[o] ^= 1;
            }
            return 32;
          }
        };
    Server server = new Server(List.of(contender("trespasser", task -> trespasser)));
    JsonObject reply =
        server.answer(
            "{\"id\":1,\"ask\":\"compute\",\"contender\":\"trespasser\",\"primitive\":\"sha256\","
                + "\"operation\":\"digest\",\"contract\":{},\"cases\":[{\"input\":{\"hex\":\"00\"}}]}");
    JsonObject answer = reply.getAsJsonArray("answers").get(0).getAsJsonObject();
    assertTrue(answer.has("failed"), answer.toString());
  }

  /** Prints as libraries do, in Java and in native code, and replies once. */
  static final class Printer {
    public static void main(String[] args) throws Exception {
      OutputStream replies = Main.takeOutput();
      System.out.println("banner");
      try (OutputStream below = new FileOutputStream("/dev/fd/1", true)) {
        below.write('b');
      }
      replies.write("reply".getBytes());
      replies.flush();
    }
  }

  @Test
  void whatLibrariesPrintIsNoReply() throws Exception {
    String classes =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String java = ProcessHandle.current().info().command().orElse("java");
    Process process = new ProcessBuilder(java, "-cp", classes, Printer.class.getName()).start();
    assertEquals("reply", new String(process.getInputStream().readAllBytes()));
    assertTrue(new String(process.getErrorStream().readAllBytes()).contains("banner"));
  }

  private static Contender contender(String name, Contender.Maker maker) {
    List<Contender.Offer> offers = List.of(new Contender.Offer("sha256", "digest"));
    return new Contender(name, name, "1", "", "", null, offers, maker);
  }

  private static JsonObject assertOk(JsonObject reply) {
    assertEquals("ok", reply.get("status").getAsString(), reply.toString());
    return JsonParser.parseString(reply.toString()).getAsJsonObject();
  }
}

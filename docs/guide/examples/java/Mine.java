// A runner of Cupel in one file: SHA-256 by MessageDigest. `java Mine.java` starts it. Put your own
// function in the place of `Sha256`. What a runner has to do is in protocol/SPEC.md.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public final class Mine {
  /** What is measured. */
  interface Function {
    byte[] of(byte[] message) throws Exception;
  }

  /** One object for all calls, as an application would keep it. */
  static final class Sha256 implements Function {
    private final MessageDigest digest;

    Sha256() throws Exception {
      digest = MessageDigest.getInstance("SHA-256");
    }

    public byte[] of(byte[] message) {
      return digest.digest(message);
    }
  }

  /** A cell that is ready: its function, and the messages that it is called with in turn. */
  record Ready(Function function, byte[][] pool) {}

  /** An answer other than `ok`. */
  static final class Refused extends Exception {
    final String status;

    Refused(String status, String reason) {
      super(reason);
      this.status = status;
    }
  }

  /** By contender: the one primitive of each. `empty` is what the runner itself costs. */
  static final Map<String, String> HOSTED = new LinkedHashMap<>();

  static {
    HOSTED.put("empty", "empty");
    HOSTED.put("mine", "sha256");
  }

  /** The contracts under which it can be called; every other one is refused. */
  static final Map<String, List<Object>> PLAIN =
      Map.of(
          "key", List.of("none"),
          "nonce", List.of("none"),
          "ad", List.of(0L),
          "chunk", List.of(0L),
          "output", List.of("given", "fresh"),
          "inputs", List.of("hot", "cold"),
          "align", List.of("varied", "line"));

  static final Map<Object, Ready> CELLS = new HashMap<>();
  static String chosen;

  public static void main(String[] arguments) throws Exception {
    // Standard output is for replies alone: what a library prints must not come between them.
    PrintStream replies = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = requests.readLine()) != null; ) {
      Map<String, Object> reply = new LinkedHashMap<>();
      Object ask = null;
      try {
        Map<String, Object> request = object(new Json(line).value());
        reply.put("id", request.get("id"));
        ask = request.get("ask");
        reply.put("status", "ok");
        reply.putAll(answer(String.valueOf(ask), request));
      } catch (Refused refused) {
        reply.putIfAbsent("id", 0L);
        reply.put("status", refused.status);
        reply.put("reason", refused.getMessage());
      } catch (Exception error) {
        reply.putIfAbsent("id", 0L);
        reply.put("status", "failed");
        reply.put("reason", error.toString());
      }
      replies.println(Json.text(reply));
      if ("bye".equals(ask)) {
        return;
      }
    }
  }

  static Map<String, Object> answer(String ask, Map<String, Object> request) throws Exception {
    return switch (ask) {
      case "hello" -> hello(request);
      case "list" -> Map.of("contenders", list());
      case "prepare" -> prepare(request);
      case "compute" -> compute(request);
      case "slice" -> slice(request);
      case "bye" -> Map.of();
      default -> throw new Refused("unsupported", "this runner does not know the request " + ask);
    };
  }

  static Map<String, Object> hello(Map<String, Object> request) throws Refused {
    if (number(request, "protocol") != 1) {
      throw new Refused("unsupported", "this runner speaks protocol 1");
    }
    Map<String, Object> clock = Map.of("name", "nanoTime", "resolution_ns", resolution());
    // Code that is compiled while it runs is warmed up for longer.
    return Map.of("protocol", 1L, "runner", "java", "version", "0.1", "clock", clock, "jit", true);
  }

  static List<Object> list() {
    List<Object> contenders = new ArrayList<>();
    HOSTED.forEach(
        (name, primitive) ->
            contenders.add(
                Map.of(
                    "name", name,
                    "library", "JDK",
                    "version", System.getProperty("java.version"),
                    "offers", List.of(Map.of("primitive", primitive, "operation", "digest")))));
    return contenders;
  }

  static Function choose(String contender, Map<String, Object> of, Map<String, Object> contract)
      throws Exception {
    if (!HOSTED.containsKey(contender)) {
      throw new Refused("failed", "there is no contender " + contender);
    }
    if (chosen != null && !chosen.equals(contender)) {
      throw new Refused("failed", "this process hosts " + chosen + " already");
    }
    chosen = contender;
    if (!"digest".equals(of.get("operation"))
        || !HOSTED.get(contender).equals(of.get("primitive"))) {
      throw new Refused("unsupported", contender + " has no such operation of that primitive");
    }
    for (Map.Entry<String, Object> term : contract.entrySet()) {
      if (!PLAIN.getOrDefault(term.getKey(), List.of()).contains(term.getValue())) {
        throw new Refused("unsupported", "not under the contract " + term);
      }
    }
    byte[] nothing = {};
    return contender.equals("mine") ? new Sha256() : message -> nothing;
  }

  static Map<String, Object> prepare(Map<String, Object> request) throws Exception {
    Map<String, Object> workload = object(request.get("workload"));
    String contender = (String) request.get("contender");
    Function function = choose(contender, workload, object(workload.get("contract")));
    if (!"throughput".equals(workload.get("shape"))) {
      throw new Refused("unsupported", "this runner has no latency shape");
    }
    int count = (int) number(request, "pool");
    if (Integer.bitCount(count) != 1) {
      throw new Refused("failed", "pool " + count + " is not a power of two");
    }
    byte[][] pool = new byte[count][];
    for (int j = 0; j < count; j++) {
      pool[j] = stream(number(request, "seed") + j, (int) number(workload, "size"));
    }
    CELLS.put(request.get("cell"), new Ready(function, pool));
    return Map.of("code_path", "unknown");
  }

  static Map<String, Object> compute(Map<String, Object> request) throws Exception {
    String contender = (String) request.get("contender");
    Function function = choose(contender, request, object(request.get("contract")));
    List<Object> answers = new ArrayList<>();
    for (Object one : (List<?>) request.get("cases")) {
      Map<String, Object> input = object(object(one).get("input"));
      List<?> chunks = (List<?>) object(one).getOrDefault("chunks", List.of());
      if (!chunks.isEmpty() || input.containsKey("file")) {
        answers.add(Map.of("unsupported", "no streaming, no files"));
        continue;
      }
      byte[] message;
      if (input.containsKey("hex")) {
        message = HexFormat.of().parseHex((String) input.get("hex"));
      } else {
        Map<String, Object> rule = object(input.get("stream"));
        message = stream(number(rule, "seed"), (int) number(rule, "size"));
      }
      answers.add(Map.of("output", HexFormat.of().formatHex(function.of(message))));
    }
    return Map.of("answers", answers);
  }

  static Map<String, Object> slice(Map<String, Object> request) throws Exception {
    Ready ready = CELLS.get(request.get("cell"));
    if (ready == null) {
      throw new Refused("failed", "cell " + request.get("cell") + " was not prepared");
    }
    long first = number(request, "first");
    long preroll = number(request, "preroll");
    long iterations = number(request, "iterations");
    calls(ready, first, preroll);
    long start = System.nanoTime();
    long fold = calls(ready, first + preroll, iterations);
    long elapsed = System.nanoTime() - start;
    return Map.of(
        "iterations", iterations, "elapsed_ns", elapsed, "fold", String.format("%016x", fold));
  }

  /** The timed loop. The fold takes the first and the last eight bytes of every output. */
  static long calls(Ready ready, long first, long count) throws Exception {
    Function function = ready.function;
    byte[][] pool = ready.pool;
    long fold = 0;
    for (long i = first; i < first + count; i++) {
      byte[] output = function.of(pool[(int) i & pool.length - 1]);
      fold += word(output, 0) + word(output, Math.max(0, output.length - 8));
    }
    return fold;
  }

  static long word(byte[] output, int from) {
    long word = 0;
    for (int i = Math.min(output.length, from + 8) - 1; i >= from; i--) {
      word = word << 8 | output[i] & 0xff;
    }
    return word;
  }

  /** The bytes that Cupel makes messages of: SplitMix64 from a seed. */
  static byte[] stream(long seed, int size) {
    byte[] out = new byte[size];
    long state = seed;
    for (int i = 0; i < size; i += 8) {
      state += 0x9E3779B97F4A7C15L;
      long z = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
      z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
      z ^= z >>> 31;
      for (int j = i; j < Math.min(size, i + 8); j++, z >>>= 8) {
        out[j] = (byte) z;
      }
    }
    return out;
  }

  /** The smallest step of the clock that was seen. */
  static long resolution() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 10_000; i++) {
      long from = System.nanoTime();
      long step = System.nanoTime() - from;
      least = step > 0 ? Math.min(least, step) : least;
    }
    return least;
  }

  static long number(Map<String, Object> of, String key) throws Refused {
    if (of.get(key) instanceof Long number) {
      return number;
    }
    throw new Refused("failed", "`" + key + "` is not a whole number");
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) throws Refused {
    if (value instanceof Map) {
      return (Map<String, Object>) value;
    }
    throw new Refused("failed", "an object was expected, not " + value);
  }

  /** As much of JSON as requests and replies have. A program with a JSON library uses that. */
  static final class Json {
    private final String text;
    private int at;

    Json(String text) {
      this.text = text;
    }

    Object value() throws Refused {
      switch (next()) {
        case '{' -> {
          Map<String, Object> all = new LinkedHashMap<>();
          for (at++; next() != '}'; comma('}')) {
            String key = string();
            next();
            at++; // the colon
            all.put(key, value());
          }
          at++;
          return all;
        }
        case '[' -> {
          List<Object> all = new ArrayList<>();
          for (at++; next() != ']'; comma(']')) {
            all.add(value());
          }
          at++;
          return all;
        }
        case '"' -> {
          return string();
        }
        default -> {
          int from = at;
          while (at < text.length() && ",]} \t".indexOf(text.charAt(at)) < 0) {
            at++;
          }
          String word = text.substring(from, at);
          return switch (word) {
            case "true" -> true;
            case "false" -> false;
            case "null" -> "";
            default -> whole(word);
          };
        }
      }
    }

    private Object whole(String word) throws Refused {
      try {
        // Seeds are numbers of 64 bits without a sign.
        return word.startsWith("-") ? Long.parseLong(word) : Long.parseUnsignedLong(word);
      } catch (NumberFormatException e) {
        throw new Refused("failed", "this is not JSON that a request has: " + word);
      }
    }

    private char next() throws Refused {
      while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
        at++;
      }
      if (at == text.length()) {
        throw new Refused("failed", "the request ends too soon");
      }
      return text.charAt(at);
    }

    private void comma(char end) throws Refused {
      if (next() == ',') {
        at++;
      } else if (next() != end) {
        throw new Refused("failed", "a comma was expected at " + at);
      }
    }

    private String string() throws Refused {
      StringBuilder out = new StringBuilder();
      for (next(), at++; at < text.length() && text.charAt(at) != '"'; at++) {
        char c = text.charAt(at);
        if (c == '\\' && at + 1 < text.length()) {
          c = text.charAt(++at);
          if (c == 'u' && at + 4 < text.length()) {
            c = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
            at += 4;
          } else {
            int escape = "bfnrt".indexOf(c);
            c = escape < 0 ? c : "\b\f\n\r\t".charAt(escape);
          }
        }
        out.append(c);
      }
      at++;
      return out.toString();
    }

    static String text(Object value) {
      if (value instanceof Map<?, ?> map) {
        List<String> parts = new ArrayList<>();
        map.forEach((key, one) -> parts.add(text(key) + ":" + text(one)));
        return "{" + String.join(",", parts) + "}";
      }
      if (value instanceof List<?> list) {
        return "[" + String.join(",", list.stream().map(Json::text).toList()) + "]";
      }
      if (value instanceof String string) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : string.toCharArray()) {
          boolean plain = c >= ' ' && c != '"' && c != '\\';
          out.append(plain ? String.valueOf(c) : String.format("\\u%04x", (int) c));
        }
        return out.append('"').toString();
      }
      return String.valueOf(value);
    }
  }
}

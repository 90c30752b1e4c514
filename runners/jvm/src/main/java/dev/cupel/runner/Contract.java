package dev.cupel.runner;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.Map;
import java.util.Set;

/**
 * The parts of the work that are inside the timed call. An unknown field or value is refused, never
 * guessed.
 */
public record Contract(
    boolean keyPerCall,
    int ad,
    int chunk,
    boolean fresh,
    boolean sevenBit,
    boolean drawn,
    int batch,
    int threads,
    boolean shared,
    int forged,
    int prefix) {
  private static final Map<String, Set<String>> TEXTS =
      Map.of(
          "key", Set.of("none", "prepared", "per-call"),
          "nonce", Set.of("none", "counter"),
          "output", Set.of("given", "fresh"),
          "inputs", Set.of("hot", "cold"),
          "align", Set.of("varied", "line"),
          "bytes", Set.of("any", "7-bit"),
          "shared", Set.of("none", "context"));

  /** The fields that are numbers. */
  private static final Set<String> NUMBERS =
      Set.of("ad", "chunk", "batch", "threads", "forged", "prefix");

  /** The stream that prefixes are the beginning of: {@code prefix} in ASCII. */
  private static final long PREFIX_SEED = 0x707265666978L;

  /** For a contract whose messages are valid: no byte of their tags is changed. */
  private static final int VALID = -1;

  /** The operations whose messages may be restricted to some bytes. */
  private static final Set<String> BYTES = Set.of("digest", "digest-many", "mac");

  static Contract of(JsonObject json) throws Refused {
    for (String name : json.keySet()) {
      if (TEXTS.containsKey(name)) {
        String value = Json.text(json, name);
        if (!TEXTS.get(name).contains(value)) {
          throw Refused.unsupported("this runner has no " + name + " \"" + value + "\"");
        }
      } else if (name.equals("lengths")) {
        if (!isDrawn(json) && !isEqual(json)) {
          throw Refused.unsupported("this runner has no lengths " + json.get(name));
        }
      } else if (!NUMBERS.contains(name)) {
        throw Refused.unsupported("this runner does not know the contract's `" + name + "`");
      }
    }
    return new Contract(
        Json.text(json, "key", "none").equals("per-call"),
        json.has("ad") ? Json.small(json, "ad", 0, 1 << 30) : 0,
        json.has("chunk") ? Json.small(json, "chunk", 0, 1 << 30) : 0,
        Json.text(json, "output", "given").equals("fresh"),
        Json.text(json, "bytes", "any").equals("7-bit"),
        isDrawn(json),
        json.has("batch") ? Json.small(json, "batch", 1, 4096) : 1,
        json.has("threads") ? Json.small(json, "threads", 1, 1024) : 1,
        Json.text(json, "shared", "none").equals("context"),
        json.has("forged") ? Json.small(json, "forged", 0, RoundTrip.TAG - 1) : VALID,
        json.has("prefix") ? Json.small(json, "prefix", 0, 1 << 16) : 0);
  }

  /** The same contract with this many messages in a batch. */
  Contract withBatch(int count) {
    return new Contract(
        keyPerCall, ad, chunk, fresh, sevenBit, drawn, count, threads, shared, forged, prefix);
  }

  /** The same contract for a call that only one thread makes. */
  Contract alone() {
    return new Contract(
        keyPerCall, ad, chunk, fresh, sevenBit, drawn, batch, 1, false, forged, prefix);
  }

  /** The bytes that come before every message; mostly none. */
  public byte[] prefixBytes() {
    byte[] bytes = new byte[prefix];
    Bytes.stream(PREFIX_SEED, bytes, 0, prefix);
    return bytes;
  }

  /** Whether a byte of each tag is changed, so that every message must be refused. */
  boolean isForged() {
    return forged != VALID;
  }

  /** Refuses to forge if nothing is opened, or with several threads or lengths. */
  void checkForgery(String operation) throws Refused {
    if (isForged() && (!operation.equals("open") || threads > 1 || drawn)) {
      throw Refused.unsupported("only messages of open, of one length and thread, are forged");
    }
  }

  /** Whether lengths are drawn for each call. */
  private static boolean isDrawn(JsonObject json) {
    return json.get("lengths") instanceof JsonObject lengths
        && lengths.keySet().equals(Set.of("drawn"));
  }

  private static boolean isEqual(JsonObject json) {
    return json.get("lengths").equals(new JsonPrimitive("equal"));
  }

  /** Refuses drawn lengths where a call depends on the one before it, or has its own thread. */
  void checkLengths(boolean latency) throws Refused {
    if (drawn && (latency || threads > 1)) {
      throw Refused.unsupported("lengths are drawn for the throughput of one thread");
    }
  }

  /** Writes a message of the stream of a seed to a range, of the bytes that messages may have. */
  void message(long seed, byte[] output, int offset, int length) {
    Bytes.stream(seed, output, offset, length);
    if (sevenBit) {
      for (int i = offset; i < offset + length; i++) {
        output[i] &= 0x7f;
      }
    }
  }

  /** Refuses several threads where a call waits for the one before it, and one that shares. */
  void checkThreads(boolean latency) throws Refused {
    if (threads > 1 && latency) {
      throw Refused.unsupported("latency is that of one thread");
    }
    if (threads == 1 && shared) {
      throw Refused.unsupported("one thread shares nothing");
    }
  }

  /** Refuses batches of other operations, and batches whose messages have pieces. */
  void checkBatch(String operation) throws Refused {
    boolean many = operation.equals("digest-many");
    if (!many && batch != 1) {
      throw Refused.unsupported(operation + " takes one message per call");
    }
    if (many && chunk != 0) {
      throw Refused.unsupported("the messages of a batch are not streamed");
    }
    if (many && drawn) {
      throw Refused.unsupported("the messages of a batch have one length");
    }
  }

  /** Refuses to restrict the bytes of an input that is not the message itself. */
  void checkBytes(String operation, boolean latency) throws Refused {
    if (sevenBit && (latency || !BYTES.contains(operation))) {
      String what = latency ? "the shape latency" : operation;
      throw Refused.unsupported(what + " takes any bytes");
    }
  }
}

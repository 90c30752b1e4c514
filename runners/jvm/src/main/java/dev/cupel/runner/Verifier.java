package dev.cupel.runner;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Answers {@code compute}: runs the calls that are timed, and checks that they write to their
 * output only.
 */
final class Verifier {
  private static final int ROOM = 192;
  private static final byte CANARY = (byte) 0xa5;

  /** The longest input whose tag is forged after it was opened: longer ones show nothing more. */
  private static final int MOST_FORGED = 4096;

  private final Contender contender;
  private final String primitive;
  private final String operation;
  private final Contract contract;

  Verifier(Contender contender, String primitive, String operation, Contract contract) {
    this.contender = contender;
    this.primitive = primitive;
    this.operation = operation;
    this.contract = contract;
  }

  JsonArray answers(JsonArray cases) throws Refused {
    contract.checkBytes(operation, false);
    contract.checkThreads(false);
    contract.checkBatch(operation);
    contender.checkShared(primitive, operation, contract);
    JsonArray answers = new JsonArray();
    for (JsonElement one : cases) {
      if (!one.isJsonObject()) {
        throw Refused.failed("a case must be an object");
      }
      JsonObject answer = new JsonObject();
      try {
        answer.addProperty("output", HexFormat.of().formatHex(output(one.getAsJsonObject())));
      } catch (Call.NotAuthentic e) {
        answer.addProperty("refused", String.valueOf(e.getMessage()));
      } catch (Exception | LinkageError | OutOfMemoryError e) {
        Refused refused = Refused.of(e);
        if (refused.status().equals("missing")) {
          // It is lacking for every case, and no answer to one.
          throw refused;
        }
        boolean nature = refused.status().equals("unsupported");
        answer.addProperty(nature ? "unsupported" : "failed", refused.getMessage());
      }
      answers.add(answer);
    }
    return answers;
  }

  private byte[] output(JsonObject one) throws Exception {
    int[] chunks = chunks(one);
    Contract kept = contract;
    if (operation.equals("digest-many")) {
      if (chunks.length > 0) {
        throw Refused.unsupported("the messages of a batch are not streamed");
      }
      kept = contract.withBatch(batch(one));
    }
    Task task =
        new Task(primitive, operation, kept, chunks, Json.bytes(one, "key"), Json.bytes(one, "ad"));
    byte[] nonce = Json.bytes(one, "nonce");
    boolean both = operation.equals("seal-open");
    boolean aead = both || operation.equals("seal") || operation.equals("open");
    if (aead && nonce.length != task.nonceLength()) {
      throw Refused.unsupported("a nonce of " + nonce.length + " bytes");
    }
    Call call = both ? contender.half(task, "seal") : contender.prepare(task);
    int offset = one.has("offset") ? Json.small(one, "offset", 0, 63) : 0;
    byte[] input = input(Json.object(one, "input"), call.wholeArrays() ? 0 : offset);
    offset = call.wholeArrays() ? 0 : offset;
    byte[] before = input.clone();
    int length = input.length - offset;
    byte[] output = new byte[room(kept.batch(), length)];
    Arrays.fill(output, CANARY);
    if (both) {
      byte[] sealed = new byte[length + RoundTrip.TAG];
      Call opener = contender.half(task, "open");
      int opened = RoundTrip.call(call, opener, input, offset, length, nonce, sealed, output);
      checkWrites(before, input, output, opened);
      return RoundTrip.joined(sealed, output, opened);
    }
    byte[] first = null;
    if (kept.prefix() > 0) {
      // A copy that shares memory with its original is correct once.
      byte[] room = new byte[output.length];
      int digested = call.call(input, offset, length, nonce, room, 0);
      first = Arrays.copyOf(room, digested);
    }
    int written;
    try {
      written = call.call(input, offset, length, nonce, output, 0);
    } catch (Call.NotAuthentic e) {
      checkNoPlaintext(output, length);
      throw e;
    }
    checkWrites(before, input, output, written);
    byte[] second = Arrays.copyOf(output, written);
    if (first != null && !Arrays.equals(first, second)) {
      throw Refused.failed("two digests of one message after the prefix differ");
    }
    if (operation.equals("open") && acceptsForged(call, input, offset, nonce)) {
      throw Refused.failed("opened a message, and then the same one with a forged tag");
    }
    return second;
  }

  /**
   * Whether a call that has just opened this input opens it again with another tag: a prepared
   * object must not keep its approval of the message before.
   */
  private static boolean acceptsForged(Call call, byte[] input, int offset, byte[] nonce) {
    int length = input.length - offset;
    if (length == 0 || length > MOST_FORGED) {
      return false;
    }
    byte[] forged = input.clone();
    forged[forged.length - 1] ^= 1;
    try {
      call.call(forged, offset, length, nonce, new byte[ROOM + length], 0);
      return true;
    } catch (Exception | LinkageError e) {
      return false;
    }
  }

  private static void checkWrites(byte[] before, byte[] input, byte[] output, int written)
      throws Refused {
    if (!Arrays.equals(before, input)) {
      throw Refused.failed("it changed its input");
    }
    if (written < 0 || written > output.length) {
      throw Refused.failed("it says that it wrote " + written + " bytes");
    }
    for (int i = written; i < output.length; i++) {
      if (output[i] != CANARY) {
        throw Refused.failed("it wrote " + (i - written + 1) + " bytes behind its output");
      }
    }
  }

  /** After a refusal, the output may contain canaries and zeros. Anything else may be plaintext. */
  private static void checkNoPlaintext(byte[] output, int length) throws Refused {
    for (int i = 0; i < Math.max(0, length - 16); i++) {
      if (output[i] != CANARY && output[i] != 0) {
        throw Refused.failed("it refused the input and wrote an output nevertheless");
      }
    }
  }

  /** Protocol, "compute": bytes of output for an input. */
  private int room(int batch, int length) {
    return ROOM + (operation.equals("digest-many") ? length / batch + 64 * batch : length);
  }

  /** The number of messages of a batch, which must have one length. */
  private static int batch(JsonObject one) throws Refused {
    JsonArray lengths = one.has("lengths") ? one.getAsJsonArray("lengths") : new JsonArray();
    for (JsonElement length : lengths) {
      if (!length.equals(lengths.get(0))) {
        throw Refused.unsupported("the messages of a batch have one length");
      }
    }
    return Math.max(1, lengths.size());
  }

  private int[] chunks(JsonObject one) throws Refused {
    if (!one.has("chunks") || !one.get("chunks").isJsonArray()) {
      return contract.chunk() > 0 ? new int[] {contract.chunk()} : new int[0];
    }
    JsonArray array = one.getAsJsonArray("chunks");
    if (array.isEmpty()) {
      return contract.chunk() > 0 ? new int[] {contract.chunk()} : new int[0];
    }
    int[] chunks = new int[array.size()];
    int sum = 0;
    for (int i = 0; i < chunks.length; i++) {
      chunks[i] = array.get(i).getAsInt();
      sum |= chunks[i];
    }
    if (sum == 0) {
      throw Refused.unsupported("chunks of no bytes never reach the message's end");
    }
    return chunks;
  }

  private byte[] input(JsonObject input, int offset) throws Refused {
    if (input.has("hex")) {
      byte[] bytes = Json.bytes(input, "hex");
      byte[] placed = new byte[offset + bytes.length];
      System.arraycopy(bytes, 0, placed, offset, bytes.length);
      return placed;
    }
    if (input.has("stream")) {
      JsonObject stream = Json.object(input, "stream");
      int size = Json.small(stream, "size", 0, 1 << 30);
      byte[] placed = new byte[offset + size];
      contract.message(Json.integer(stream, "seed"), placed, offset, size);
      return placed;
    }
    throw Refused.unsupported("this runner takes no files");
  }
}

package dev.cupel.runner;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A contender with a workload, prepared to be timed. */
final class Cell {
  private final Call call;
  private final Call opener;
  private final byte[][] inputs;
  private final int offset;
  private final int length;

  /** The messages of a call of {@code digest-many}. */
  private final int batch;

  /** The number of messages of the pool less one. */
  private final int wrap;

  /** The length of each input, if lengths are drawn; otherwise null, and all have one. */
  private final int[] lengths;

  private final byte[][] nonces;
  private final long[] starts;
  private final byte[] output;
  private final byte[] sealed;
  private final boolean fresh;
  private final boolean sealing;
  private final byte[] nonce;

  /** How the inputs of a cell depend on each other, and the kind of its nonces. */
  private enum Kind {
    THROUGHPUT,
    LATENCY,
    SEAL,
    SEAL_LATENCY,
    OPEN,
    REFUSE,
    SEAL_OPEN,
    DRAWN,
    MANY
  }

  private final Kind kind;

  /** The same cell on the further threads, each with a call and buffers of its own. */
  private List<Cell> others = List.of();

  /**
   * Creates the pool, and seals it for {@code open}, unless that was done for the cell of the first
   * thread.
   */
  Cell(
      Contender contender,
      Task task,
      String shape,
      int size,
      long seed,
      int pool,
      int offset,
      int[] drawn,
      Cell first)
      throws Refused {
    boolean both = task.operation().equals("seal-open");
    boolean shared = task.contract().shared() && first != null;
    if (shared) {
      call = first.call;
      opener = first.opener;
    } else {
      call = both ? contender.half(task, "seal") : contender.prepare(task);
      opener = both ? contender.half(task, "open") : null;
    }
    boolean open = task.operation().equals("open");
    boolean latency = shape.equals("latency");
    boolean many = task.operation().equals("digest-many");
    if (latency && (open || both || many || size == 0)) {
      throw Refused.unsupported(
          "latency is not defined for open, seal-open or digest-many, nor for size 0");
    }
    task.contract().checkBytes(task.operation(), latency);
    task.contract().checkThreads(latency);
    task.contract().checkForgery(task.operation());
    task.contract().checkLengths(latency);
    task.contract().checkBatch(task.operation());
    boolean seal = task.operation().equals("seal");
    if (drawn != null && both) {
      throw Refused.unsupported("this runner seals and opens messages of one length");
    } else if (drawn != null) {
      kind = Kind.DRAWN;
    } else if (both) {
      kind = Kind.SEAL_OPEN;
    } else if (many) {
      kind = Kind.MANY;
    } else if (open) {
      kind = task.contract().isForged() ? Kind.REFUSE : Kind.OPEN;
    } else if (seal) {
      kind = latency ? Kind.SEAL_LATENCY : Kind.SEAL;
    } else {
      kind = latency ? Kind.LATENCY : Kind.THROUGHPUT;
    }
    fresh = task.contract().fresh();
    this.offset = call.wholeArrays() ? 0 : offset;
    length = open ? size + 16 : size;
    sealing = seal;
    batch = task.contract().batch();
    wrap = pool - 1;
    inputs =
        many || drawn != null ? new byte[many ? 1 : pool][] : new byte[pool][this.offset + length];
    int nonceLength = task.nonceLength();
    nonce = new byte[nonceLength];
    nonces = new byte[open ? pool : 0][drawn == null ? nonceLength : 0];
    starts = new long[pool];
    output = new byte[size + 64 * batch];
    sealed = new byte[both ? size + RoundTrip.TAG : 0];
    lengths = drawn == null ? null : drawn.clone();
    if (drawn != null) {
      // Each is the beginning of one message.
      byte[] message = new byte[this.offset + size];
      task.contract().message(seed, message, this.offset, size);
      Map<Integer, byte[]> whole = new HashMap<>();
      for (int j = 0; j < pool; j++) {
        inputs[j] =
            call.wholeArrays()
                ? whole.computeIfAbsent(lengths[j], length -> Arrays.copyOf(message, length))
                : message;
      }
      if (open) {
        sealDrawn(contender.prepare(task.sealing()), message, nonceLength);
      }
      return;
    }
    if (many) {
      inputs[0] = batches(task.contract(), size, seed, pool);
      return;
    }
    for (int j = 0; j < pool; j++) {
      task.contract().message(seed + j, inputs[j], this.offset, size);
      starts[j] = Bytes.start(inputs[j], this.offset, size);
    }
    if (open && first != null) {
      // No nonce is used twice.
      for (int j = 0; j < pool; j++) {
        inputs[j] = first.inputs[j].clone();
        nonces[j] = first.nonces[j].clone();
      }
    } else if (open) {
      seal(contender.prepare(task.sealing()), seed, size);
    }
    for (int j = 0; kind == Kind.REFUSE && j < pool; j++) {
      inputs[j][this.offset + size + task.contract().forged()] ^= 1;
    }
  }

  /**
   * The messages of the pool one after the other, and its first ones again, so that every call
   * finds its batch in one piece.
   */
  private byte[] batches(Contract contract, int size, long seed, int pool) throws Refused {
    long count = pool + batch - 1L;
    if (offset + count * size > Integer.MAX_VALUE - 8) {
      throw Refused.failed(count + " messages of " + size + " bytes do not fit into an array");
    }
    byte[] all = new byte[offset + (int) count * size];
    for (int j = 0; j < count; j++) {
      contract.message(seed + (j & wrap), all, offset + j * size, size);
    }
    return all;
  }

  /** Seals message j with nonce j, by the contender itself. */
  private void seal(Call sealer, long seed, int size) throws Refused {
    byte[] message = new byte[size];
    byte[] sealed = new byte[length + 64];
    for (int j = 0; j < inputs.length; j++) {
      Bytes.stream(seed + j, message, 0, size);
      Bytes.nonce(nonces[j], j);
      try {
        int written = sealer.call(message, 0, size, nonces[j], sealed, 0);
        if (written != length) {
          throw Refused.failed("seal gave " + written + " bytes for " + size);
        }
      } catch (Exception e) {
        throw Refused.of(e);
      }
      System.arraycopy(sealed, 0, inputs[j], offset, length);
    }
  }

  /** The same for lengths that are drawn: the message of each length is sealed once. */
  private void sealDrawn(Call sealer, byte[] message, int nonceLength) throws Refused {
    Map<Integer, Integer> known = new HashMap<>();
    byte[] room = new byte[length + 64];
    for (int j = 0; j < inputs.length; j++) {
      Integer before = known.putIfAbsent(lengths[j], j);
      if (before != null) {
        inputs[j] = inputs[before];
        nonces[j] = nonces[before];
        lengths[j] = lengths[before];
        continue;
      }
      nonces[j] = new byte[nonceLength];
      Bytes.nonce(nonces[j], j);
      try {
        int written = sealer.call(message, offset, lengths[j], nonces[j], room, 0);
        inputs[j] = new byte[offset + written];
        System.arraycopy(room, 0, inputs[j], offset, written);
        lengths[j] = written;
      } catch (Exception e) {
        throw Refused.of(e);
      }
    }
  }

  /** Divides slices with these cells of other threads. */
  void share(List<Cell> cells) {
    others = cells;
  }

  List<Cell> others() {
    return others;
  }

  String codePath() {
    return call.codePath();
  }

  /** The output of the last call of a chain, on which the next call depends. */
  private long last;

  /** The index in {@link Compilations}' list of the method that makes the calls. */
  int loop() {
    return switch (kind) {
      case THROUGHPUT -> fresh ? 1 : 0;
      case LATENCY, SEAL_LATENCY -> 2;
      case SEAL -> 3;
      case OPEN -> 4;
      case SEAL_OPEN -> 5;
      case DRAWN -> 6;
      case MANY -> 7;
      case REFUSE -> 8;
    };
  }

  /** Begins a slice: the last output then counts as zeros. */
  void begin() {
    last = 0;
  }

  /**
   * Makes calls from number {@code first} on, and folds their outputs. Each kind has its own loop,
   * so that no call pays for the needs of another kind.
   */
  long run(long first, long count) throws Exception {
    switch (kind) {
      case THROUGHPUT:
        return fresh ? fresh(first, count) : throughput(first, count);
      case SEAL:
        return seal(first, count);
      case OPEN:
        return open(first, count);
      case REFUSE:
        return refuse(first, count);
      case SEAL_OPEN:
        return sealOpen(first, count);
      case DRAWN:
        return drawn(first, count);
      case MANY:
        return many(first, count);
      default:
        return latency(first, count);
    }
  }

  private long throughput(long first, long count) throws Exception {
    int mask = inputs.length - 1;
    long fold = 0;
    for (long i = first; i < first + count; i++) {
      int written = call.call(inputs[(int) i & mask], offset, length, nonce, output, 0);
      fold += Bytes.word(output, 0, written);
    }
    return fold;
  }

  private long fresh(long first, long count) throws Exception {
    int mask = inputs.length - 1;
    long fold = 0;
    for (long i = first; i < first + count; i++) {
      byte[] made = new byte[output.length];
      int written = call.call(inputs[(int) i & mask], offset, length, nonce, made, 0);
      fold += Bytes.word(made, 0, written);
    }
    return fold;
  }

  private long seal(long first, long count) throws Exception {
    int mask = inputs.length - 1;
    long fold = 0;
    for (long i = first; i < first + count; i++) {
      Bytes.nonce(nonce, i);
      byte[] to = fresh ? new byte[output.length] : output;
      int written = call.call(inputs[(int) i & mask], offset, length, nonce, to, 0);
      fold += Bytes.word(to, 0, written);
    }
    return fold;
  }

  private long open(long first, long count) throws Exception {
    int mask = inputs.length - 1;
    long fold = 0;
    for (long i = first; i < first + count; i++) {
      int j = (int) i & mask;
      byte[] to = fresh ? new byte[output.length] : output;
      int written = call.call(inputs[j], offset, length, nonces[j], to, 0);
      fold += Bytes.word(to, 0, written);
    }
    return fold;
  }

  /** Calls that must refuse their messages, and have no outputs. */
  private long refuse(long first, long count) throws Exception {
    int mask = inputs.length - 1;
    for (long i = first; i < first + count; i++) {
      int j = (int) i & mask;
      byte[] to = fresh ? new byte[output.length] : output;
      try {
        call.call(inputs[j], offset, length, nonces[j], to, 0);
      } catch (Call.NotAuthentic e) {
        continue;
      }
      throw Refused.failed("a forged message was accepted");
    }
    return 0;
  }

  private long sealOpen(long first, long count) throws Exception {
    int mask = inputs.length - 1;
    long fold = 0;
    for (long i = first; i < first + count; i++) {
      Bytes.nonce(nonce, i);
      byte[] between = fresh ? new byte[sealed.length] : sealed;
      byte[] to = fresh ? new byte[output.length] : output;
      byte[] input = inputs[(int) i & mask];
      int opened = RoundTrip.call(call, opener, input, offset, length, nonce, between, to);
      fold += RoundTrip.word(between, to, opened);
    }
    return fold;
  }

  /** Every operation but {@code seal-open}, of inputs whose lengths are drawn. */
  private long drawn(long first, long count) throws Exception {
    int mask = inputs.length - 1;
    long fold = 0;
    for (long i = first; i < first + count; i++) {
      int j = (int) i & mask;
      if (sealing) {
        Bytes.nonce(nonce, i);
      }
      byte[] own = nonces.length > 0 ? nonces[j] : nonce;
      byte[] to = fresh ? new byte[lengths[j] + 64] : output;
      int written = call.call(inputs[j], offset, lengths[j], own, to, 0);
      fold += Bytes.word(to, 0, written);
    }
    return fold;
  }

  /** The words of all digests of a batch are summed. */
  private long many(long first, long count) throws Exception {
    byte[] messages = inputs[0];
    long fold = 0;
    for (long i = first; i < first + count; i++) {
      int from = offset + ((int) (i * batch) & wrap) * length;
      byte[] to = fresh ? new byte[output.length] : output;
      int written = call.call(messages, from, batch * length, nonce, to, 0);
      int digest = written / batch;
      if (digest * batch != written) {
        throw Refused.failed("expected one digest for each message, all of one length");
      }
      for (int at = 0; at < written; at += digest) {
        fold += Bytes.word(to, at, digest);
      }
    }
    return fold;
  }

  private long latency(long first, long count) throws Exception {
    int mask = inputs.length - 1;
    boolean sealing = kind == Kind.SEAL_LATENCY;
    int chained = Math.min(8, length);
    long fold = 0;
    for (long i = first; i < first + count; i++) {
      if (sealing) {
        Bytes.nonce(nonce, i);
      }
      byte[] input = inputs[(int) i & mask];
      Bytes.put(input, offset, chained, starts[(int) i & mask] ^ last);
      byte[] to = fresh ? new byte[output.length] : output;
      int written = call.call(input, offset, length, nonce, to, 0);
      fold += Bytes.word(to, 0, written);
      last = Bytes.start(to, 0, written);
    }
    return fold;
  }
}

package dev.cupel.hash;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * SHA-256 (FIPS 180-4) in Java alone: of a whole message, of one that comes in pieces, and of many
 * messages of one length.
 *
 * <p>An instance allocates nothing after its first long message, whatever it hashes. It is not for
 * two threads at once. The static methods keep an instance for each thread; where threads are many
 * and short-lived, as virtual ones are, an instance of one's own is cheaper.
 */
public final class Sha256 {
  /** Length of a digest in bytes. */
  public static final int DIGEST_LENGTH = 32;

  private static final int BLOCK = Sha256Block.LENGTH;

  private static final ThreadLocal<Sha256> OF_THREAD = ThreadLocal.withInitial(Sha256::new);

  private final int[] state = new int[8];
  private final int[] w = new int[64];
  private final int[] wk = new int[64];

  /** The block that is not full yet, and later the padding. */
  private final byte[] partial = new byte[BLOCK];

  private long length;

  /** Made with the first message that is long enough. */
  private Sha256Lanes lanes;

  /** One that has taken nothing. */
  public Sha256() {
    Sha256Block.init(state);
  }

  private Sha256(Sha256 other) {
    copyState(other);
  }

  /** The digest of a message. */
  public static byte[] digest256(byte[] input) {
    byte[] output = new byte[DIGEST_LENGTH];
    OF_THREAD.get().hash(input, 0, input.length, output, 0);
    return output;
  }

  /**
   * The digest of a range, into a given array. Allocates nothing after a thread's first calls.
   *
   * @param output gets 32 bytes from {@code outputOffset} on; it may be the input
   * @throws IndexOutOfBoundsException where an array has no such range
   */
  public static void digest256(
      byte[] input, int offset, int length, byte[] output, int outputOffset) {
    OF_THREAD.get().hash(input, offset, length, output, outputOffset);
  }

  /**
   * The digests of many messages of one length that lie one behind the other.
   *
   * @param offset where the first one begins
   * @param size bytes of each message
   * @param count how many there are
   * @param output gets 32 bytes a message, in their order, from {@code outputOffset} on; it must
   *     not share bytes with the input
   * @throws IndexOutOfBoundsException where an array has no such range
   */
  public static void digestMany(
      byte[] input, int offset, int size, int count, byte[] output, int outputOffset) {
    Sha256Many.digest(input, offset, size, count, output, outputOffset);
  }

  /**
   * The digest of a range, into a given array; what was added by {@code update} is forgotten.
   *
   * @param output gets 32 bytes from {@code outputOffset} on; it may be the input
   * @throws IndexOutOfBoundsException where an array has no such range
   */
  public void hash(byte[] input, int offset, int length, byte[] output, int outputOffset) {
    Objects.checkFromIndexSize(offset, length, input.length);
    Objects.checkFromIndexSize(outputOffset, DIGEST_LENGTH, output.length);
    Sha256Block.init(state);
    int whole = length & -BLOCK;
    blocks(input, offset, whole);
    int rest = length - whole;
    // Zeros first: for a block of known length that is eight stores.
    Sha256Block.clear(partial);
    System.arraycopy(input, offset + whole, partial, 0, rest);
    partial[rest] = (byte) 0x80;
    this.length = length;
    finishPadded(rest, output, outputOffset);
  }

  /** Adds a byte. */
  public void update(byte input) {
    int filled = (int) length & BLOCK - 1;
    partial[filled] = input;
    length++;
    if (filled + 1 == BLOCK) {
      Sha256Block.compress(state, partial, 0, w, wk);
    }
  }

  /** Adds an array. */
  public void update(byte[] input) {
    update(input, 0, input.length);
  }

  /**
   * Adds a range.
   *
   * @throws IndexOutOfBoundsException where the array has no such range
   */
  public void update(byte[] input, int offset, int count) {
    Objects.checkFromIndexSize(offset, count, input.length);
    int at = offset;
    int left = count;
    int filled = (int) length & BLOCK - 1;
    length += count;
    if (filled > 0) {
      int taken = Math.min(left, BLOCK - filled);
      System.arraycopy(input, at, partial, filled, taken);
      at += taken;
      left -= taken;
      if (filled + taken < BLOCK) {
        return;
      }
      Sha256Block.compress(state, partial, 0, w, wk);
    }
    int whole = left & -BLOCK;
    blocks(input, at, whole);
    System.arraycopy(input, at + whole, partial, 0, left - whole);
  }

  /** Adds what a buffer has left, and moves its position to its limit. */
  public void update(ByteBuffer input) {
    if (input.hasArray()) {
      update(input.array(), input.arrayOffset() + input.position(), input.remaining());
      input.position(input.limit());
      return;
    }
    while (input.hasRemaining()) {
      int filled = (int) length & BLOCK - 1;
      int taken = Math.min(input.remaining(), BLOCK - filled);
      input.get(partial, filled, taken);
      length += taken;
      if (filled + taken == BLOCK) {
        Sha256Block.compress(state, partial, 0, w, wk);
      }
    }
  }

  /** The digest of all that was added; the next message begins. */
  public byte[] digest() {
    byte[] output = new byte[DIGEST_LENGTH];
    finish(output, 0);
    return output;
  }

  /**
   * The digest of all that was added, into a given array; the next message begins.
   *
   * @throws IndexOutOfBoundsException where the array has no room for 32 bytes
   */
  public void digest(byte[] output, int offset) {
    Objects.checkFromIndexSize(offset, DIGEST_LENGTH, output.length);
    finish(output, offset);
  }

  /** Forgets what was added. */
  public void reset() {
    Sha256Block.init(state);
    length = 0;
  }

  /** One that has taken what this one has. */
  public Sha256 copy() {
    return new Sha256(this);
  }

  /** Takes what another one has, and forgets its own. */
  void copyState(Sha256 other) {
    System.arraycopy(other.state, 0, state, 0, state.length);
    System.arraycopy(other.partial, 0, partial, 0, BLOCK);
    length = other.length;
  }

  /** Overwrites everything that a message has left behind. */
  void clear() {
    reset();
    Arrays.fill(w, 0);
    Arrays.fill(wk, 0);
    Arrays.fill(partial, (byte) 0);
    if (lanes != null) {
      lanes.clear();
    }
  }

  private void blocks(byte[] input, int offset, int bytes) {
    int at = offset;
    int end = offset + bytes;
    if (bytes >= Sha256Lanes.WORTHWHILE * BLOCK) {
      if (lanes == null) {
        lanes = new Sha256Lanes();
      }
      while (end - at >= Sha256Lanes.WORTHWHILE * BLOCK) {
        int count = Math.min((end - at) / BLOCK, Sha256Lanes.COUNT);
        lanes.schedule(input, at, BLOCK, count);
        for (int lane = 0; lane < count; lane++) {
          lanes.compress(state, lane, wk);
        }
        at += count * BLOCK;
      }
    }
    for (; at < end; at += BLOCK) {
      Sha256Block.compress(state, input, at, w, wk);
    }
  }

  private void finish(byte[] output, int offset) {
    int filled = (int) length & BLOCK - 1;
    Sha256Block.pad(partial, 0, filled);
    finishPadded(filled, output, offset);
  }

  /** The end, where the last block has its padding but for the length. */
  private void finishPadded(int filled, byte[] output, int offset) {
    if (filled > Sha256Block.MOST_WITH_LENGTH) {
      Sha256Block.compress(state, partial, 0, w, wk);
      Sha256Block.clear(partial);
    }
    Sha256Block.putLength(partial, 0, length);
    Sha256Block.compress(state, partial, 0, w, wk);
    Sha256Block.put(state, output, offset);
    reset();
  }
}

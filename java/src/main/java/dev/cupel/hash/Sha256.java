package dev.cupel.hash;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * SHA-256 (FIPS 180-4): of a whole message, of a message in pieces, and of many messages of the
 * same length.
 *
 * <p>An instance computes in pure Java, and allocates nothing after its first long message.
 * Instances are not thread-safe.
 *
 * <p>The static methods are. They take the faster code path of this machine: the JDK's SHA-256
 * where HotSpot has code of its own for it, as on processors with SHA instructions, otherwise pure
 * Java. {@link #path} says which; the system property {@code dev.cupel.hash.sha256} decides
 * instead, if it is {@code jdk} or {@code java}. They keep an object for each thread, and allocate
 * nothing after its first calls. If threads are many and short-lived, as virtual threads are, use
 * an instance of your own.
 */
public final class Sha256 {
  /** Length of a digest in bytes. */
  public static final int DIGEST_LENGTH = 32;

  private static final int BLOCK = Sha256Block.LENGTH;

  private static final ThreadLocal<Sha256Path> OF_THREAD =
      ThreadLocal.withInitial(Sha256Path::create);

  private final int[] state = new int[8];
  private final int[] w = new int[64];
  private final int[] wk = new int[64];

  /** The block that is not full yet; at the end, the block with the padding. */
  private final byte[] partial = new byte[BLOCK];

  private long length;

  /** Created for the first message that is long enough. */
  private Sha256Lanes lanes;

  /** Creates an instance with no bytes added. */
  public Sha256() {
    Sha256Block.init(state);
  }

  private Sha256(Sha256 other) {
    copyState(other);
  }

  /** The code path of the static methods: {@code jdk} or {@code java}. */
  public static String path() {
    return JdkSha256.isSelected() ? "jdk" : "java";
  }

  /** Returns the digest of a message. */
  public static byte[] digest256(byte[] input) {
    byte[] output = new byte[DIGEST_LENGTH];
    OF_THREAD.get().digest(input, 0, input.length, 1, output, 0);
    return output;
  }

  /**
   * Writes the digest of a range to an array. Allocates nothing after a thread's first calls.
   *
   * @param output receives 32 bytes from {@code outputOffset} on; it may be the input
   * @throws IndexOutOfBoundsException if a range lies outside its array
   */
  public static void digest256(
      byte[] input, int offset, int length, byte[] output, int outputOffset) {
    Objects.checkFromIndexSize(offset, length, input.length);
    Objects.checkFromIndexSize(outputOffset, DIGEST_LENGTH, output.length);
    OF_THREAD.get().digest(input, offset, length, 1, output, outputOffset);
  }

  /**
   * Writes the digests of many messages of the same length that lie one after the other.
   *
   * @param offset the index at which the first message begins
   * @param size the length of each message in bytes
   * @param count the number of messages
   * @param output receives 32 bytes for each message, in order, from {@code outputOffset} on; it
   *     must not overlap the input
   * @throws IllegalArgumentException if a number is negative
   * @throws IndexOutOfBoundsException if a range lies outside its array
   */
  public static void digestMany(
      byte[] input, int offset, int size, int count, byte[] output, int outputOffset) {
    if (size < 0 || count < 0) {
      throw new IllegalArgumentException(count + " messages of " + size + " bytes");
    }
    Objects.checkFromIndexSize((long) offset, (long) size * count, (long) input.length);
    long digests = (long) DIGEST_LENGTH * count;
    Objects.checkFromIndexSize((long) outputOffset, digests, (long) output.length);
    OF_THREAD.get().digest(input, offset, size, count, output, outputOffset);
  }

  /**
   * Writes the digest of a range to an array. Whatever {@code update} added is discarded.
   *
   * @param output receives 32 bytes from {@code outputOffset} on; it may be the input
   * @throws IndexOutOfBoundsException if a range lies outside its array
   */
  public void hash(byte[] input, int offset, int length, byte[] output, int outputOffset) {
    Objects.checkFromIndexSize(offset, length, input.length);
    Objects.checkFromIndexSize(outputOffset, DIGEST_LENGTH, output.length);
    Sha256Block.init(state);
    int whole = length & -BLOCK;
    blocks(input, offset, whole);
    int rest = length - whole;
    // Zeros first: for a block of known length these are eight stores.
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
   * @throws IndexOutOfBoundsException if the range lies outside the array
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

  /** Adds the remaining bytes of a buffer, and moves its position to its limit. */
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

  /** Returns the digest of all that was added, and begins the next message. */
  public byte[] digest() {
    byte[] output = new byte[DIGEST_LENGTH];
    finish(output, 0);
    return output;
  }

  /**
   * Writes the digest of all that was added to an array, and begins the next message.
   *
   * @throws IndexOutOfBoundsException if the array has no room for 32 bytes
   */
  public void digest(byte[] output, int offset) {
    Objects.checkFromIndexSize(offset, DIGEST_LENGTH, output.length);
    finish(output, offset);
  }

  /** Discards all added bytes. */
  public void reset() {
    Sha256Block.init(state);
    length = 0;
  }

  /** Returns an instance with the same bytes added. */
  public Sha256 copy() {
    return new Sha256(this);
  }

  /** Copies the state of another instance over its own. */
  void copyState(Sha256 other) {
    System.arraycopy(other.state, 0, state, 0, state.length);
    System.arraycopy(other.partial, 0, partial, 0, BLOCK);
    length = other.length;
  }

  /** Overwrites everything that was computed from a message. */
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

  /** Finishes a digest whose last block has all of its padding except the length. */
  private void finishPadded(int filled, byte[] output, int offset) {
    if (filled > Sha256Block.MAX_FILLED_WITH_LENGTH) {
      Sha256Block.compress(state, partial, 0, w, wk);
      Sha256Block.clear(partial);
    }
    Sha256Block.putLength(partial, 0, length);
    Sha256Block.compress(state, partial, 0, w, wk);
    Sha256Block.put(state, output, offset);
    reset();
  }
}

package dev.cupel.hash;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Objects;
import javax.security.auth.Destroyable;

/**
 * SipHash-c-d, a keyed hash for short messages (Aumasson and Bernstein, INDOCRYPT 2012), with tags
 * of 64 or 128 bits.
 *
 * <p>A tag of 64 bits is the number that the paper defines. As bytes, tags are little-endian, as in
 * the authors' reference code. The methods that return a {@code long} allocate nothing.
 *
 * <p>Instances are thread-safe: an instance contains only its key. {@link #destroy} overwrites the
 * key; a call in another thread at that moment may return a wrong tag.
 */
public final class SipHash implements Destroyable {
  /** Length of a key in bytes. */
  public static final int KEY_LENGTH = 16;

  /** Selects the code: for SipHash-1-3, for 2-4, for any other, or none after {@link #destroy}. */
  private static final int R13 = 0;

  private static final int R24 = 1;
  private static final int ANY = 2;
  private static final int DESTROYED = 3;

  private final int c;
  private final int d;
  private long k0;
  private long k1;
  private int rounds;

  private SipHash(int c, int d, byte[] key) {
    if (c < 1 || d < 1) {
      throw new IllegalArgumentException("SipHash-" + c + "-" + d + " has no rounds");
    }
    if (key.length != KEY_LENGTH) {
      throw new IllegalArgumentException(
          "a key of SipHash has " + KEY_LENGTH + " bytes, not " + key.length);
    }
    this.c = c;
    this.d = d;
    rounds = c == 2 && d == 4 ? R24 : c == 1 && d == 3 ? R13 : ANY;
    k0 = LittleEndian.word(key, 0);
    k1 = LittleEndian.word(key, 8);
  }

  /**
   * Returns SipHash-2-4, the authors' conservative choice.
   *
   * @param key 16 bytes; they are copied
   * @throws IllegalArgumentException if the key has another length
   */
  public static SipHash sipHash24(byte[] key) {
    return new SipHash(2, 4, key);
  }

  /**
   * Returns SipHash-1-3, which Rust's and Python's hash tables use.
   *
   * @param key 16 bytes; they are copied
   * @throws IllegalArgumentException if the key has another length
   */
  public static SipHash sipHash13(byte[] key) {
    return new SipHash(1, 3, key);
  }

  /**
   * Returns SipHash-c-d.
   *
   * @param c rounds for each word of the message, at least 1
   * @param d rounds of the finalisation, at least 1
   * @param key 16 bytes; they are copied
   * @throws IllegalArgumentException if an argument is not as described
   */
  public static SipHash of(int c, int d, byte[] key) {
    return new SipHash(c, d, key);
  }

  /** Returns the tag of a message. */
  public long hash(byte[] input) {
    return tag(input, 0, input.length);
  }

  /**
   * Returns the tag of a range.
   *
   * @throws IndexOutOfBoundsException if the range lies outside the array
   */
  public long hash(byte[] input, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, input.length);
    return tag(input, offset, length);
  }

  /**
   * Returns the tag of the bytes between a buffer's position and its limit. The buffer is not
   * changed; it may be direct or read-only, and its byte order does not matter.
   */
  public long hash(ByteBuffer input) {
    int offset = input.position();
    int length = input.remaining();
    if (input.hasArray()) {
      return tag(input.array(), input.arrayOffset() + offset, length);
    }
    switch (rounds) {
      case R24:
        return SipHash24.hash(k0, k1, input, offset, length);
      case R13:
        return SipHash13.hash(k0, k1, input, offset, length);
      default:
        SipState state = state(false);
        int end = offset + (length & ~7);
        for (int i = offset; i < end; i += 8) {
          state.absorb(LittleEndian.word(input, i));
        }
        state.absorb(LittleEndian.last(input, offset, length));
        return state.first();
    }
  }

  /** Returns the tag of the eight bytes of a number, the lowest byte first. */
  public long hash(long input) {
    switch (rounds) {
      case R24:
        return SipHash24.hash(k0, k1, input);
      case R13:
        return SipHash13.hash(k0, k1, input);
      default:
        SipState state = state(false);
        state.absorb(input);
        state.absorb(8L << 56);
        return state.first();
    }
  }

  /**
   * Returns the tag of a text's UTF-16 code units, two bytes each, the low byte first. For
   * well-formed text it equals the tag of {@code getBytes(UTF_16LE)}, without creating the array.
   * Text that is not well-formed is accepted too.
   */
  public long hash(CharSequence input) {
    switch (rounds) {
      case R24:
        return SipHash24.hash(k0, k1, input);
      case R13:
        return SipHash13.hash(k0, k1, input);
      default:
        SipState state = state(false);
        int end = input.length() & ~3;
        for (int i = 0; i < end; i += 4) {
          state.absorb(LittleEndian.word(input, i));
        }
        state.absorb(LittleEndian.last(input, end, input.length()));
        return state.first();
    }
  }

  /**
   * Writes the tag of 128 bits to an array.
   *
   * @param output receives 16 bytes from {@code outputOffset} on
   * @throws IndexOutOfBoundsException if a range lies outside its array
   */
  public void hash128(byte[] input, int offset, int length, byte[] output, int outputOffset) {
    Objects.checkFromIndexSize(offset, length, input.length);
    Objects.checkFromIndexSize(outputOffset, 16, output.length);
    SipState state = state(true);
    state.absorb(input, offset, length);
    long first = state.first();
    LittleEndian.put(output, outputOffset, first);
    LittleEndian.put(output, outputOffset + 8, state.second());
  }

  /** Returns the tag of 128 bits in a new array. */
  public byte[] hash128(byte[] input) {
    byte[] output = new byte[16];
    hash128(input, 0, input.length, output, 0);
    return output;
  }

  /** Returns a hasher for a message in pieces, with a tag of 64 bits. */
  public SipHasher hasher() {
    checkAlive();
    return new SipHasher(c, d, false, k0, k1);
  }

  /** Returns a hasher for a message in pieces, with a tag of 128 bits. */
  public SipHasher hasher128() {
    checkAlive();
    return new SipHasher(c, d, true, k0, k1);
  }

  /**
   * Whether two tags are equal. The time does not depend on where they differ.
   *
   * @return false if their lengths differ
   */
  public static boolean equal(byte[] tag, byte[] other) {
    return MessageDigest.isEqual(tag, other);
  }

  /** Overwrites the key. Every later call throws {@link IllegalStateException}. */
  @Override
  public void destroy() {
    rounds = DESTROYED;
    k0 = 0;
    k1 = 0;
  }

  @Override
  public boolean isDestroyed() {
    return rounds == DESTROYED;
  }

  @Override
  public String toString() {
    return "SipHash-" + c + "-" + d;
  }

  private long tag(byte[] input, int offset, int length) {
    switch (rounds) {
      case R24:
        return SipHash24.hash(k0, k1, input, offset, length);
      case R13:
        return SipHash13.hash(k0, k1, input, offset, length);
      default:
        SipState state = state(false);
        state.absorb(input, offset, length);
        return state.first();
    }
  }

  private SipState state(boolean wide) {
    checkAlive();
    SipState state = new SipState(c, d, wide);
    state.init(k0, k1);
    return state;
  }

  private void checkAlive() {
    if (rounds == DESTROYED) {
      throw new IllegalStateException("the key was destroyed");
    }
  }
}

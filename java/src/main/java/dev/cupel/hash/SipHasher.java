package dev.cupel.hash;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * SipHash of a message in pieces. After a tag, the next message with the same key can begin,
 * without an allocation. Instances are not thread-safe. {@link #close} overwrites the key and the
 * state.
 */
public final class SipHasher implements AutoCloseable {
  private final SipState state;
  private final boolean wide;
  private long k0;
  private long k1;
  private boolean closed;

  /** The bytes of the word that is not full yet; the first byte is the lowest. */
  private long pending;

  /** The number of bytes so far; the lowest eight bits of it become part of the last word. */
  private long length;

  SipHasher(int c, int d, boolean wide, long k0, long k1) {
    this.state = new SipState(c, d, wide);
    this.wide = wide;
    this.k0 = k0;
    this.k1 = k1;
    reset();
  }

  /** Adds a byte. */
  public SipHasher update(byte input) {
    checkOpen();
    push(input & 0xffL, 1);
    return this;
  }

  /** Adds an array. */
  public SipHasher update(byte[] input) {
    return update(input, 0, input.length);
  }

  /**
   * Adds a range.
   *
   * @throws IndexOutOfBoundsException if the range lies outside the array
   */
  public SipHasher update(byte[] input, int offset, int count) {
    Objects.checkFromIndexSize(offset, count, input.length);
    checkOpen();
    int i = offset;
    int end = offset + count;
    for (; end - i >= 8; i += 8) {
      push(LittleEndian.word(input, i), 8);
    }
    for (; i < end; i++) {
      push(input[i] & 0xffL, 1);
    }
    return this;
  }

  /** Adds the remaining bytes of a buffer, and moves its position to its limit. */
  public SipHasher update(ByteBuffer input) {
    checkOpen();
    int i = input.position();
    int end = input.limit();
    for (; end - i >= 8; i += 8) {
      push(LittleEndian.word(input, i), 8);
    }
    for (; i < end; i++) {
      push(input.get(i) & 0xffL, 1);
    }
    input.position(end);
    return this;
  }

  /** Adds the eight bytes of a number, the lowest byte first. */
  public SipHasher update(long input) {
    checkOpen();
    push(input, 8);
    return this;
  }

  /**
   * Returns the 64-bit tag of all that was added, and begins the next message.
   *
   * @throws IllegalStateException if this hasher computes tags of 128 bits
   */
  public long finish() {
    checkOpen();
    if (wide) {
      throw new IllegalStateException("this one makes tags of 128 bits");
    }
    state.absorb(pending | length << 56);
    long tag = state.first();
    reset();
    return tag;
  }

  /**
   * Writes the tag, 8 or 16 bytes, from {@code offset} on, and begins the next message.
   *
   * @return the number of bytes written
   * @throws IndexOutOfBoundsException if the array has no room for the tag
   */
  public int finish(byte[] output, int offset) {
    Objects.checkFromIndexSize(offset, wide ? 16 : 8, output.length);
    checkOpen();
    state.absorb(pending | length << 56);
    LittleEndian.put(output, offset, state.first());
    if (wide) {
      LittleEndian.put(output, offset + 8, state.second());
    }
    reset();
    return wide ? 16 : 8;
  }

  /** Discards all added bytes. */
  public void reset() {
    checkOpen();
    state.init(k0, k1);
    pending = 0;
    length = 0;
  }

  /** Overwrites the key and the state. Every later call throws {@link IllegalStateException}. */
  @Override
  public void close() {
    closed = true;
    k0 = k1 = pending = length = 0;
    state.clear();
  }

  /** Adds 1 or 8 bytes after the 0 to 7 that are pending. */
  private void push(long bytes, int count) {
    int filled = (int) length & 7;
    length += count;
    pending |= bytes << (8 * filled);
    if (filled + count < 8) {
      return;
    }
    state.absorb(pending);
    // The bytes that did not fit. In two shifts: if the word was empty, none are left.
    pending = count == 8 ? bytes >>> 1 >>> (63 - 8 * filled) : 0;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the key was destroyed");
    }
  }
}

package dev.cupel.hash;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * SipHash of a message that comes in pieces. After a tag it is ready for the next message under the
 * same key, without an allocation. Not for two threads at once. {@link #close} overwrites the key
 * and the state.
 */
public final class SipHasher implements AutoCloseable {
  private final SipState state;
  private final boolean wide;
  private long k0;
  private long k1;
  private boolean closed;

  /** Bytes of the word that is not full yet, the first one lowest. */
  private long pending;

  /** Bytes so far; of the length, the message carries the lowest eight bits. */
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
   * @throws IndexOutOfBoundsException where the array has no such range
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

  /** Adds what a buffer has left, and moves its position to its limit. */
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

  /** Adds a number's eight bytes, the low byte first. */
  public SipHasher update(long input) {
    checkOpen();
    push(input, 8);
    return this;
  }

  /**
   * The tag of 64 bits of all that was added; the next message begins.
   *
   * @throws IllegalStateException where this one makes tags of 128 bits
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
   * The tag's bytes, 8 or 16 of them, from {@code offset} on; the next message begins.
   *
   * @return how many bytes were written
   * @throws IndexOutOfBoundsException where the array has no room
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

  /** Forgets what was added. */
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

  /** Adds 1 or 8 bytes behind the 0 to 7 that are pending. */
  private void push(long bytes, int count) {
    int filled = (int) length & 7;
    length += count;
    pending |= bytes << (8 * filled);
    if (filled + count < 8) {
      return;
    }
    state.absorb(pending);
    // What did not fit; in two shifts, because nothing is left where the word was empty.
    pending = count == 8 ? bytes >>> 1 >>> (63 - 8 * filled) : 0;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the key was destroyed");
    }
  }
}

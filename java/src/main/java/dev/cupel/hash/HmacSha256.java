package dev.cupel.hash;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;
import javax.security.auth.Destroyable;

/**
 * HMAC-SHA-256 (RFC 2104, FIPS 198-1). The key's two blocks are hashed once, by the constructor.
 * Instances are not thread-safe.
 *
 * <p>It takes the code path that {@link Sha256#path} names. In Java, nothing is allocated after the
 * constructor. By the JDK, each tag allocates some 400 bytes: a cloned state is the only way to
 * keep the JDK's SHA-256 from hashing the key's blocks again.
 */
public final class HmacSha256 implements Destroyable {
  /** Length of a tag in bytes. */
  public static final int TAG_LENGTH = 32;

  private final HmacState state;
  private boolean destroyed;

  /**
   * Creates an instance for a key.
   *
   * @param key of any length; a key of more than 64 bytes is hashed first, as the standard requires
   */
  public HmacSha256(byte[] key) {
    this(key, HmacState::of);
  }

  /** For tests: with a code path, which gets the key's block. */
  HmacSha256(byte[] key, Function<byte[], HmacState> path) {
    byte[] block = new byte[Sha256Block.LENGTH];
    if (key.length > block.length) {
      Sha256 hash = new Sha256();
      hash.hash(key, 0, key.length, block, 0);
      hash.clear();
    } else {
      System.arraycopy(key, 0, block, 0, key.length);
    }
    state = path.apply(block);
    Arrays.fill(block, (byte) 0);
  }

  private HmacSha256(HmacSha256 other) {
    other.checkAlive();
    state = other.state.copy();
  }

  /** Adds a byte. */
  public void update(byte input) {
    checkAlive();
    state.update(input);
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
  public void update(byte[] input, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, input.length);
    checkAlive();
    state.update(input, offset, length);
  }

  /** Adds the remaining bytes of a buffer, and moves its position to its limit. */
  public void update(ByteBuffer input) {
    checkAlive();
    state.update(input);
  }

  /** Returns the tag of all that was added, and begins the next message. */
  public byte[] tag() {
    byte[] output = new byte[TAG_LENGTH];
    tag(output, 0);
    return output;
  }

  /**
   * Writes the tag of all that was added to an array, and begins the next message.
   *
   * @throws IndexOutOfBoundsException if the array has no room for 32 bytes
   */
  public void tag(byte[] output, int offset) {
    Objects.checkFromIndexSize(offset, TAG_LENGTH, output.length);
    checkAlive();
    state.tag(output, offset);
  }

  /**
   * Writes the tag of a range to an array. Whatever {@code update} added is discarded.
   *
   * @param output receives 32 bytes from {@code outputOffset} on
   * @throws IndexOutOfBoundsException if a range lies outside its array
   */
  public void tag(byte[] input, int offset, int length, byte[] output, int outputOffset) {
    Objects.checkFromIndexSize(offset, length, input.length);
    Objects.checkFromIndexSize(outputOffset, TAG_LENGTH, output.length);
    reset();
    state.update(input, offset, length);
    state.tag(output, outputOffset);
  }

  /** Discards all added bytes; the key remains. */
  public void reset() {
    checkAlive();
    state.reset();
  }

  /** Returns an instance with the same key and the same bytes added. */
  public HmacSha256 copy() {
    return new HmacSha256(this);
  }

  /** Overwrites all state derived from the key. Later calls throw {@link IllegalStateException}. */
  @Override
  public void destroy() {
    destroyed = true;
    state.clear();
  }

  @Override
  public boolean isDestroyed() {
    return destroyed;
  }

  private void checkAlive() {
    if (destroyed) {
      throw new IllegalStateException("the key was destroyed");
    }
  }
}

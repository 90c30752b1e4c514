package dev.cupel.hash;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import javax.security.auth.Destroyable;

/**
 * HMAC-SHA-256 (RFC 2104, FIPS 198-1) on {@link Sha256}. The key's two blocks are hashed once, by
 * the constructor; after that nothing is allocated. Instances are not thread-safe.
 */
public final class HmacSha256 implements Destroyable {
  /** Length of a tag in bytes. */
  public static final int TAG_LENGTH = 32;

  /** The states after the key's inner and outer block. Neither contains the key itself. */
  private final Sha256 inner = new Sha256();

  private final Sha256 outer = new Sha256();
  private final Sha256 hash = new Sha256();
  private final byte[] digest = new byte[Sha256.DIGEST_LENGTH];
  private boolean destroyed;

  /**
   * Creates an instance for a key.
   *
   * @param key of any length; a key of more than 64 bytes is hashed first, as the standard requires
   */
  public HmacSha256(byte[] key) {
    byte[] block = new byte[Sha256Block.LENGTH];
    if (key.length > block.length) {
      hash.hash(key, 0, key.length, block, 0);
    } else {
      System.arraycopy(key, 0, block, 0, key.length);
    }
    xor(block, 0x36);
    inner.update(block);
    xor(block, 0x36 ^ 0x5c);
    outer.update(block);
    Arrays.fill(block, (byte) 0);
    hash.copyState(inner);
  }

  private HmacSha256(HmacSha256 other) {
    other.checkAlive();
    inner.copyState(other.inner);
    outer.copyState(other.outer);
    hash.copyState(other.hash);
  }

  /** Adds a byte. */
  public void update(byte input) {
    checkAlive();
    hash.update(input);
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
    checkAlive();
    hash.update(input, offset, length);
  }

  /** Adds the remaining bytes of a buffer, and moves its position to its limit. */
  public void update(ByteBuffer input) {
    checkAlive();
    hash.update(input);
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
    hash.digest(digest, 0);
    hash.copyState(outer);
    hash.update(digest, 0, digest.length);
    hash.digest(output, offset);
    hash.copyState(inner);
  }

  /**
   * Writes the tag of a range to an array. Whatever {@code update} added is discarded.
   *
   * @param output receives 32 bytes from {@code outputOffset} on
   * @throws IndexOutOfBoundsException if a range lies outside its array
   */
  public void tag(byte[] input, int offset, int length, byte[] output, int outputOffset) {
    reset();
    hash.update(input, offset, length);
    tag(output, outputOffset);
  }

  /** Discards what was added; the key remains. */
  public void reset() {
    checkAlive();
    hash.copyState(inner);
  }

  /** Returns an instance with the same key and the same bytes added. */
  public HmacSha256 copy() {
    return new HmacSha256(this);
  }

  /** Overwrites what was derived from the key. Later calls throw {@link IllegalStateException}. */
  @Override
  public void destroy() {
    destroyed = true;
    inner.clear();
    outer.clear();
    hash.clear();
    Arrays.fill(digest, (byte) 0);
  }

  @Override
  public boolean isDestroyed() {
    return destroyed;
  }

  private static void xor(byte[] block, int pad) {
    for (int i = 0; i < block.length; i++) {
      block[i] ^= (byte) pad;
    }
  }

  private void checkAlive() {
    if (destroyed) {
      throw new IllegalStateException("the key was destroyed");
    }
  }
}

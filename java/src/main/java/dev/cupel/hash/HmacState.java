package dev.cupel.hash;

import java.nio.ByteBuffer;

/** The computation of HMAC-SHA-256 with a hashed key, by one of two code paths. */
abstract class HmacState {
  /**
   * One of the faster code path, for a key that fills its block. The caller overwrites the block.
   */
  static HmacState of(byte[] block) {
    return JdkSha256.isSelected() ? new HmacByJdk(block) : new HmacInJava(block);
  }

  /** A key's inner or outer block becomes the other: RFC 2104, section 2. */
  static void xor(byte[] block, int pad) {
    for (int i = 0; i < block.length; i++) {
      block[i] ^= (byte) pad;
    }
  }

  abstract void update(byte input);

  abstract void update(byte[] input, int offset, int length);

  abstract void update(ByteBuffer input);

  /** Writes the tag of all that was added, and begins the next message. */
  abstract void tag(byte[] output, int offset);

  /** Discards all added bytes. */
  abstract void reset();

  /** The same key and the same bytes added. */
  abstract HmacState copy();

  /** Overwrites all state derived from the key. */
  abstract void clear();
}

package dev.cupel.hash;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** In pure Java. Nothing is allocated after the constructor. */
final class HmacInJava extends HmacState {
  /** The states after the key's inner and outer block. Neither contains the key itself. */
  private final Sha256 inner = new Sha256();

  private final Sha256 outer = new Sha256();
  private final Sha256 hash = new Sha256();
  private final byte[] digest = new byte[Sha256.DIGEST_LENGTH];

  HmacInJava(byte[] block) {
    xor(block, 0x36);
    inner.update(block);
    xor(block, 0x36 ^ 0x5c);
    outer.update(block);
    hash.copyState(inner);
  }

  private HmacInJava(HmacInJava other) {
    inner.copyState(other.inner);
    outer.copyState(other.outer);
    hash.copyState(other.hash);
  }

  @Override
  void update(byte input) {
    hash.update(input);
  }

  @Override
  void update(byte[] input, int offset, int length) {
    hash.update(input, offset, length);
  }

  @Override
  void update(ByteBuffer input) {
    hash.update(input);
  }

  @Override
  void tag(byte[] output, int offset) {
    hash.digest(digest, 0);
    hash.copyState(outer);
    hash.update(digest, 0, digest.length);
    hash.digest(output, offset);
    hash.copyState(inner);
  }

  @Override
  void reset() {
    hash.copyState(inner);
  }

  @Override
  HmacState copy() {
    return new HmacInJava(this);
  }

  @Override
  void clear() {
    inner.clear();
    outer.clear();
    hash.clear();
    Arrays.fill(digest, (byte) 0);
  }
}

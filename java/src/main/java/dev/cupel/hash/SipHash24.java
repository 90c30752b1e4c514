// Generated from src/template/SipHashCD.java, which says how to change this.
package dev.cupel.hash;

import java.nio.ByteBuffer;

/**
 * SipHash-2-4 with its rounds written out, one method for each kind of input, so that a message
 * word costs no call, no bounds check and no store. Checked against {@link SipState}, which reads
 * like the paper.
 */
final class SipHash24 {
  private SipHash24() {}

  /**
   * A range of an array; the caller has checked it.
   *
   * <p>One loop for all words, the last one too, and the finalisation written out. So the method
   * has over 325 bytecodes, and HotSpot compiles it by itself: inlined, it would share the
   * registers with the loop around it, and its state would be spilled in every round.
   */
  static long hash(long k0, long k1, byte[] input, int offset, int length) {
    long v0 = k0 ^ SipState.V0;
    long v1 = k1 ^ SipState.V1;
    long v2 = k0 ^ SipState.V2;
    long v3 = k1 ^ SipState.V3;
    int end = offset + (length & ~7);
    long last = LittleEndian.last(input, offset, length);
    int i = offset;
    while (true) {
      long m = i < end ? LittleEndian.word(input, i) : last;
      v3 ^= m;
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= m;
      if (i >= end) {
        break;
      }
      i += 8;
    }
    v2 ^= 0xff;
    v0 += v1;
    v2 += v3;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 = Long.rotateLeft(v2, 32);
    v0 += v1;
    v2 += v3;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 = Long.rotateLeft(v2, 32);
    v0 += v1;
    v2 += v3;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 = Long.rotateLeft(v2, 32);
    v0 += v1;
    v2 += v3;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 = Long.rotateLeft(v2, 32);
    return v0 ^ v1 ^ v2 ^ v3;
  }

  /** A range of a buffer, by absolute reads: its position and byte order do not matter. */
  static long hash(long k0, long k1, ByteBuffer input, int offset, int length) {
    long v0 = k0 ^ SipState.V0;
    long v1 = k1 ^ SipState.V1;
    long v2 = k0 ^ SipState.V2;
    long v3 = k1 ^ SipState.V3;
    int end = offset + (length & ~7);
    for (int i = offset; i < end; i += 8) {
      long m = LittleEndian.word(input, i);
      v3 ^= m;
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= m;
    }
    return finish(v0, v1, v2, v3, LittleEndian.last(input, offset, length));
  }

  /** UTF-16 code units, two bytes each, the low byte first. */
  static long hash(long k0, long k1, CharSequence input) {
    long v0 = k0 ^ SipState.V0;
    long v1 = k1 ^ SipState.V1;
    long v2 = k0 ^ SipState.V2;
    long v3 = k1 ^ SipState.V3;
    int length = input.length();
    int end = length & ~3;
    for (int i = 0; i < end; i += 4) {
      long m = LittleEndian.word(input, i);
      v3 ^= m;
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= m;
    }
    return finish(v0, v1, v2, v3, LittleEndian.last(input, end, length));
  }

  /** The eight bytes of a number, the low byte first. */
  static long hash(long k0, long k1, long m) {
    long v0 = k0 ^ SipState.V0;
    long v1 = k1 ^ SipState.V1;
    long v2 = k0 ^ SipState.V2;
    long v3 = k1 ^ SipState.V3;
    v3 ^= m;
    v0 += v1;
    v2 += v3;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 = Long.rotateLeft(v2, 32);
    v0 += v1;
    v2 += v3;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 = Long.rotateLeft(v2, 32);
    v0 ^= m;
    return finish(v0, v1, v2, v3, 8L << 56);
  }

  /**
   * The last word, which carries the length, and the finalisation: in a loop, because a method of
   * over 325 bytecodes is called where a smaller one is inlined.
   */
  private static long finish(long v0, long v1, long v2, long v3, long m) {
    v3 ^= m;
    v0 += v1;
    v2 += v3;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 = Long.rotateLeft(v2, 32);
    v0 += v1;
    v2 += v3;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 = Long.rotateLeft(v2, 32);
    v0 ^= m;
    v2 ^= 0xff;
    for (int i = 0; i < 4; i++) {
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }
}

## SipHash13.java and SipHash24.java are made of this by SipHashSourceTest, which fails where they
## are not what it makes. To change them: change this, then
##     mvn test -Dtest=SipHashSourceTest -Dcupel.write=true
##
## {C} and {D} are the rounds of a word and of the end. A line "#name" stands for the lines of the
## piece of that name, and "#name * C" for C times those.
#piece start
long v0 = k0 ^ SipState.V0;
long v1 = k1 ^ SipState.V1;
long v2 = k0 ^ SipState.V2;
long v3 = k1 ^ SipState.V3;
#end
#piece round
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
#end
#piece word
v3 ^= m;
#round * C
v0 ^= m;
#end
// Generated from src/template/SipHashCD.java, which says how to change this.
package dev.cupel.hash;

import java.nio.ByteBuffer;

/**
 * SipHash-{C}-{D} with its rounds written out, one method for each kind of input, so that a message
 * word costs no call, no bounds check and no store. Checked against {@link SipState}, which reads
 * like the paper.
 */
final class SipHash{C}{D} {
  private SipHash{C}{D}() {}

#if 2-4
  /**
   * A range of an array; the caller has checked it.
   *
   * <p>One loop for all words, the last one too, and the finalisation written out. So the method
   * has over 325 bytecodes, and HotSpot compiles it by itself: inlined, it would share the
   * registers with the loop around it, and its state would be spilled in every round.
   */
  static long hash(long k0, long k1, byte[] input, int offset, int length) {
    #start
    int end = offset + (length & ~7);
    long last = LittleEndian.last(input, offset, length);
    int i = offset;
    while (true) {
      long m = i < end ? LittleEndian.word(input, i) : last;
      #word
      if (i >= end) {
        break;
      }
      i += 8;
    }
    v2 ^= 0xff;
    #round * D
    return v0 ^ v1 ^ v2 ^ v3;
  }
#else
  /** A range of an array; the caller has checked it. */
  static long hash(long k0, long k1, byte[] input, int offset, int length) {
    #start
    int end = offset + (length & ~7);
    for (int i = offset; i < end; i += 8) {
      long m = LittleEndian.word(input, i);
      #word
    }
    return finish(v0, v1, v2, v3, LittleEndian.last(input, offset, length));
  }
#end

  /** A range of a buffer, by absolute reads: its position and byte order do not matter. */
  static long hash(long k0, long k1, ByteBuffer input, int offset, int length) {
    #start
    int end = offset + (length & ~7);
    for (int i = offset; i < end; i += 8) {
      long m = LittleEndian.word(input, i);
      #word
    }
    return finish(v0, v1, v2, v3, LittleEndian.last(input, offset, length));
  }

  /** UTF-16 code units, two bytes each, the low byte first. */
  static long hash(long k0, long k1, CharSequence input) {
    #start
    int length = input.length();
    int end = length & ~3;
    for (int i = 0; i < end; i += 4) {
      long m = LittleEndian.word(input, i);
      #word
    }
    return finish(v0, v1, v2, v3, LittleEndian.last(input, end, length));
  }

  /** The eight bytes of a number, the low byte first. */
  static long hash(long k0, long k1, long m) {
    #start
    #word
    return finish(v0, v1, v2, v3, 8L << 56);
  }

  /**
   * The last word, which carries the length, and the finalisation: in a loop, because a method of
   * over 325 bytecodes is called where a smaller one is inlined.
   */
  private static long finish(long v0, long v1, long v2, long v3, long m) {
    #word
    v2 ^= 0xff;
    for (int i = 0; i < {D}; i++) {
      #round
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }
}

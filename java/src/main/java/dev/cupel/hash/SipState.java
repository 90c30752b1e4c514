package dev.cupel.hash;

/**
 * SipHash-c-d as in the paper, for any c and d and for both lengths of tag. Everything without a
 * method whose rounds are written out uses this class, and so does streaming.
 */
final class SipState {
  /** "somepseudorandomlygeneratedbytes", the paper's initial state. */
  static final long V0 = 0x736f6d6570736575L;

  static final long V1 = 0x646f72616e646f6dL;
  static final long V2 = 0x6c7967656e657261L;
  static final long V3 = 0x7465646279746573L;

  private final int c;
  private final int d;
  private final boolean wide;
  private long v0;
  private long v1;
  private long v2;
  private long v3;

  /**
   * @param wide whether the tag has 128 bits
   */
  SipState(int c, int d, boolean wide) {
    this.c = c;
    this.d = d;
    this.wide = wide;
  }

  void init(long k0, long k1) {
    v0 = k0 ^ V0;
    v1 = k1 ^ V1 ^ (wide ? 0xee : 0);
    v2 = k0 ^ V2;
    v3 = k1 ^ V3;
  }

  void absorb(long m) {
    v3 ^= m;
    rounds(c);
    v0 ^= m;
  }

  /** Adds the whole words of an array's range, and the last one. */
  void absorb(byte[] input, int offset, int length) {
    int end = offset + (length & ~7);
    for (int i = offset; i < end; i += 8) {
      absorb(LittleEndian.word(input, i));
    }
    absorb(LittleEndian.last(input, offset, length));
  }

  /** The first 64 bits of the tag, which are all of it unless it is wide. */
  long first() {
    v2 ^= wide ? 0xee : 0xff;
    rounds(d);
    return v0 ^ v1 ^ v2 ^ v3;
  }

  /** The other 64 bits of a wide tag, after the first. */
  long second() {
    v1 ^= 0xdd;
    rounds(d);
    return v0 ^ v1 ^ v2 ^ v3;
  }

  void clear() {
    v0 = v1 = v2 = v3 = 0;
  }

  private void rounds(int n) {
    long a = v0;
    long b = v1;
    long e = v2;
    long f = v3;
    for (int i = 0; i < n; i++) {
      a += b;
      e += f;
      b = Long.rotateLeft(b, 13) ^ a;
      f = Long.rotateLeft(f, 16) ^ e;
      a = Long.rotateLeft(a, 32);
      e += b;
      a += f;
      b = Long.rotateLeft(b, 17) ^ e;
      f = Long.rotateLeft(f, 21) ^ a;
      e = Long.rotateLeft(e, 32);
    }
    v0 = a;
    v1 = b;
    v2 = e;
    v3 = f;
  }
}

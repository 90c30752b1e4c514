package dev.cupel.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * SHA-256's compression of one block (FIPS 180-4, section 6.2.2), in the form that HotSpot's C2
 * compiles best: the schedule and the rounds in separate methods, eight rounds written out so that
 * no variable moves, and few enough live values for the registers. java/NOTES.md has the variants
 * that lost.
 */
final class Sha256Block {
  /** Length of a block in bytes. */
  static final int LENGTH = 64;

  /** The most bytes in a last block that leave room for the padding with the length. */
  static final int MAX_FILLED_WITH_LENGTH = LENGTH - 9;

  /** FIPS 180-4, section 4.2.2. */
  private static final int[] K = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
  };

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private Sha256Block() {}

  /** The initial state: FIPS 180-4, section 5.3.3. */
  static void init(int[] state) {
    state[0] = 0x6a09e667;
    state[1] = 0xbb67ae85;
    state[2] = 0x3c6ef372;
    state[3] = 0xa54ff53a;
    state[4] = 0x510e527f;
    state[5] = 0x9b05688c;
    state[6] = 0x1f83d9ab;
    state[7] = 0x5be0cd19;
  }

  static int word(byte[] input, int at) {
    return (int) INT.get(input, at);
  }

  /** Writes a state as a digest. */
  static void put(int[] state, byte[] output, int offset) {
    for (int i = 0; i < 8; i++) {
      INT.set(output, offset + 4 * i, state[i]);
    }
  }

  /** Overwrites a block with zeros. */
  static void clear(byte[] block) {
    for (int i = 0; i < LENGTH; i += 8) {
      LONG.set(block, i, 0L);
    }
  }

  /** Adds the one bit after the bytes of a last block, then zeros: FIPS 180-4, section 5.1.1. */
  static void pad(byte[] input, int offset, int filled) {
    input[offset + filled] = (byte) 0x80;
    Arrays.fill(input, offset + filled + 1, offset + LENGTH, (byte) 0);
  }

  /** Writes a message's length, given in bytes, to the end of its last block. */
  static void putLength(byte[] input, int offset, long bytes) {
    LONG.set(input, offset + LENGTH - 8, bytes << 3);
  }

  static int sigma0(int x) {
    return Integer.rotateRight(x, 7) ^ Integer.rotateRight(x, 18) ^ x >>> 3;
  }

  static int sigma1(int x) {
    return Integer.rotateRight(x, 17) ^ Integer.rotateRight(x, 19) ^ x >>> 10;
  }

  /**
   * Updates the state with a block.
   *
   * @param w 64 words of scratch memory
   * @param wk 64 more
   */
  static void compress(int[] state, byte[] input, int offset, int[] w, int[] wk) {
    schedule(input, offset, w);
    for (int t = 0; t < 64; t++) {
      wk[t] = w[t] + K[t];
    }
    rounds(state, wk);
  }

  /** Updates the state with one of sixteen columns: see {@link Sha256Lanes}. */
  static void compressColumn(int[] state, int[] lanes, int lane, int[] wk) {
    for (int t = 0, i = lane; t < 64; t++, i += Sha256Lanes.COUNT) {
      wk[t] = lanes[i] + K[t];
    }
    rounds(state, wk);
  }

  /**
   * The message schedule. The words that the next step needs stay in variables: each step waits for
   * the one before the last, and a load from memory would make it wait longer.
   */
  private static void schedule(byte[] input, int offset, int[] w) {
    for (int t = 0; t < 16; t++) {
      w[t] = word(input, offset + 4 * t);
    }
    int even = w[14];
    int odd = w[15];
    int oldest = w[0];
    for (int t = 16; t < 64; t += 2) {
      int next = w[t - 15];
      even = oldest + w[t - 7] + sigma0(next) + sigma1(even);
      w[t] = even;
      oldest = w[t - 14];
      odd = next + w[t - 6] + sigma0(oldest) + sigma1(odd);
      w[t + 1] = odd;
    }
  }

  /**
   * The 64 rounds, over words to which the constants are already added. Maj(a, b, c) is written as
   * ((a ^ b) & (b ^ c)) ^ b, whose second factor is the first factor of the previous round. Values
   * that are known first are added first: the sums with S1 and S0 are the critical path of a round.
   */
  private static void rounds(int[] state, int[] wk) {
    int a = state[0];
    int b = state[1];
    int c = state[2];
    int d = state[3];
    int e = state[4];
    int f = state[5];
    int g = state[6];
    int h = state[7];
    int x;
    int y = b ^ c;
    for (int t = 0; t < 64; t += 8) {
      h += wk[t] + ((e & (f ^ g)) ^ g);
      h += Integer.rotateRight(e, 6) ^ Integer.rotateRight(e, 11) ^ Integer.rotateRight(e, 25);
      d += h;
      x = a ^ b;
      h +=
          ((x & y) ^ b)
              + (Integer.rotateRight(a, 2)
                  ^ Integer.rotateRight(a, 13)
                  ^ Integer.rotateRight(a, 22));
      g += wk[t + 1] + ((d & (e ^ f)) ^ f);
      g += Integer.rotateRight(d, 6) ^ Integer.rotateRight(d, 11) ^ Integer.rotateRight(d, 25);
      c += g;
      y = h ^ a;
      g +=
          ((y & x) ^ a)
              + (Integer.rotateRight(h, 2)
                  ^ Integer.rotateRight(h, 13)
                  ^ Integer.rotateRight(h, 22));
      f += wk[t + 2] + ((c & (d ^ e)) ^ e);
      f += Integer.rotateRight(c, 6) ^ Integer.rotateRight(c, 11) ^ Integer.rotateRight(c, 25);
      b += f;
      x = g ^ h;
      f +=
          ((x & y) ^ h)
              + (Integer.rotateRight(g, 2)
                  ^ Integer.rotateRight(g, 13)
                  ^ Integer.rotateRight(g, 22));
      e += wk[t + 3] + ((b & (c ^ d)) ^ d);
      e += Integer.rotateRight(b, 6) ^ Integer.rotateRight(b, 11) ^ Integer.rotateRight(b, 25);
      a += e;
      y = f ^ g;
      e +=
          ((y & x) ^ g)
              + (Integer.rotateRight(f, 2)
                  ^ Integer.rotateRight(f, 13)
                  ^ Integer.rotateRight(f, 22));
      d += wk[t + 4] + ((a & (b ^ c)) ^ c);
      d += Integer.rotateRight(a, 6) ^ Integer.rotateRight(a, 11) ^ Integer.rotateRight(a, 25);
      h += d;
      x = e ^ f;
      d +=
          ((x & y) ^ f)
              + (Integer.rotateRight(e, 2)
                  ^ Integer.rotateRight(e, 13)
                  ^ Integer.rotateRight(e, 22));
      c += wk[t + 5] + ((h & (a ^ b)) ^ b);
      c += Integer.rotateRight(h, 6) ^ Integer.rotateRight(h, 11) ^ Integer.rotateRight(h, 25);
      g += c;
      y = d ^ e;
      c +=
          ((y & x) ^ e)
              + (Integer.rotateRight(d, 2)
                  ^ Integer.rotateRight(d, 13)
                  ^ Integer.rotateRight(d, 22));
      b += wk[t + 6] + ((g & (h ^ a)) ^ a);
      b += Integer.rotateRight(g, 6) ^ Integer.rotateRight(g, 11) ^ Integer.rotateRight(g, 25);
      f += b;
      x = c ^ d;
      b +=
          ((x & y) ^ d)
              + (Integer.rotateRight(c, 2)
                  ^ Integer.rotateRight(c, 13)
                  ^ Integer.rotateRight(c, 22));
      a += wk[t + 7] + ((f & (g ^ h)) ^ h);
      a += Integer.rotateRight(f, 6) ^ Integer.rotateRight(f, 11) ^ Integer.rotateRight(f, 25);
      e += a;
      y = b ^ c;
      a +=
          ((y & x) ^ c)
              + (Integer.rotateRight(b, 2)
                  ^ Integer.rotateRight(b, 13)
                  ^ Integer.rotateRight(b, 22));
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
}

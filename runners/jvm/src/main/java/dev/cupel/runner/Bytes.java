package dev.cupel.runner;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;

/** The bytes of the protocol: the byte stream, nonces, and the words of the fold. */
public final class Bytes {
  private static final VarHandle LITTLE =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BIG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private Bytes() {}

  /** Writes the stream of a seed to a range: protocol, "The byte stream". */
  static void stream(long seed, byte[] output, int offset, int length) {
    long state = seed;
    for (int i = 0; i < length; i += 8) {
      state += 0x9e3779b97f4a7c15L;
      long z = state;
      z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
      z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
      z ^= z >>> 31;
      for (int k = 0; k < 8 && i + k < length; k++) {
        output[offset + i + k] = (byte) (z >>> 8 * k);
      }
    }
  }

  /** The length in bytes of a primitive's nonces: protocol, "Keys and nonces". */
  static int nonceLength(String primitive) {
    return primitive.equals("xchacha20-poly1305") ? 24 : 12;
  }

  /** Sets a nonce to number {@code i}: protocol, "Keys and nonces". */
  static void nonce(byte[] nonce, long i) {
    BIG.set(nonce, nonce.length - 8, i);
  }

  /** Up to eight bytes as a little-endian number, zero-padded. */
  static long start(byte[] bytes, int offset, int length) {
    if (length >= 8) {
      return (long) LITTLE.get(bytes, offset);
    }
    long word = 0;
    for (int i = 0; i < length; i++) {
      word |= (bytes[offset + i] & 0xffL) << 8 * i;
    }
    return word;
  }

  /** The word of an output: protocol, "The fold". */
  static long word(byte[] output, int offset, int length) {
    int end = Math.min(length, 8);
    return start(output, offset, length) + start(output, offset + length - end, end);
  }

  /** Writes a number as eight little-endian bytes. */
  public static void put(byte[] output, int offset, long word) {
    LITTLE.set(output, offset, word);
  }

  /** Writes the first bytes of a little-endian number. */
  static void put(byte[] output, int offset, int length, long word) {
    if (length >= 8) {
      put(output, offset, word);
      return;
    }
    for (int i = 0; i < length; i++) {
      output[offset + i] = (byte) (word >>> 8 * i);
    }
  }

  /** The number of eight little-endian bytes. */
  public static long word(byte[] input, int offset) {
    return (long) LITTLE.get(input, offset);
  }

  static byte[] parseHex(String hex, String name) throws Refused {
    try {
      return HexFormat.of().parseHex(hex);
    } catch (IllegalArgumentException e) {
      throw Refused.failed("`" + name + "` is not hex: " + e.getMessage());
    }
  }
}

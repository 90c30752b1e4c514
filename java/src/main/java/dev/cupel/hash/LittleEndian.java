package dev.cupel.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The words of a message as SipHash reads them: little-endian, the last one with the length. */
final class LittleEndian {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BUFFER_LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private LittleEndian() {}

  static long word(byte[] input, int at) {
    return (long) LONG.get(input, at);
  }

  static long word(ByteBuffer input, int at) {
    return (long) BUFFER_LONG.get(input, at);
  }

  static long word(CharSequence input, int at) {
    return input.charAt(at)
        | (long) input.charAt(at + 1) << 16
        | (long) input.charAt(at + 2) << 32
        | (long) input.charAt(at + 3) << 48;
  }

  static void put(byte[] output, int at, long word) {
    LONG.set(output, at, word);
  }

  /**
   * The word after the whole ones: up to seven bytes, and the length in the top byte. If the
   * message has at least eight bytes, its last eight are read at once and shifted.
   */
  static long last(byte[] input, int offset, int length) {
    int rest = length & 7;
    int end = offset + length;
    long bytes;
    if (length >= 8) {
      // In two shifts, because rest may be 0, and Java's shift by 64 does nothing.
      bytes = word(input, end - 8) >>> 1 >>> (63 - 8 * rest);
    } else if (rest >= 4) {
      // Two halves, which overlap if there are fewer than eight bytes.
      long low = (int) INT.get(input, offset) & 0xffffffffL;
      long high = (int) INT.get(input, end - 4) & 0xffffffffL;
      bytes = low | high << (8 * (rest - 4));
    } else if (rest > 0) {
      // The first, the middle and the last byte; of one or two bytes, some are the same.
      bytes =
          (input[offset] & 0xffL)
              | (input[offset + (rest >> 1)] & 0xffL) << (8 * (rest >> 1))
              | (input[end - 1] & 0xffL) << (8 * (rest - 1));
    } else {
      bytes = 0;
    }
    return bytes | (long) length << 56;
  }

  static long last(ByteBuffer input, int offset, int length) {
    int rest = length & 7;
    long bytes = 0;
    if (length >= 8) {
      bytes = word(input, offset + length - 8) >>> 1 >>> (63 - 8 * rest);
    } else {
      for (int i = 0; i < rest; i++) {
        bytes |= (input.get(offset + i) & 0xffL) << (8 * i);
      }
    }
    return bytes | (long) length << 56;
  }

  static long last(CharSequence input, int from, int length) {
    long bytes = 0;
    for (int i = from; i < length; i++) {
      bytes |= (long) input.charAt(i) << (16 * (i - from));
    }
    return bytes | (2L * length) << 56;
  }
}

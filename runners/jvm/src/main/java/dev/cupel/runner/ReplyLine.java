package dev.cupel.runner;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * The line of a reply, assembled in one array for all replies. It does not use the JDK's code for
 * strings and numbers: that must become hot through the contenders' calls only.
 */
final class ReplyLine {
  private byte[] bytes = new byte[1024];
  private int length;

  ReplyLine clear() {
    length = 0;
    return this;
  }

  /** ASCII only. */
  ReplyLine text(String text) {
    int size = text.length();
    room(size);
    for (int i = 0; i < size; i++) {
      bytes[length++] = (byte) text.charAt(i);
    }
    return this;
  }

  ReplyLine number(long number) {
    room(20);
    if (number < 0) {
      bytes[length++] = '-';
    }
    int begin = length;
    // Negative, because there is one more negative number than there are positive ones.
    long rest = number < 0 ? number : -number;
    do {
      bytes[length++] = (byte) ('0' - rest % 10);
      rest /= 10;
    } while (rest != 0);
    for (int i = begin, j = length - 1; i < j; i++, j--) {
      byte digit = bytes[i];
      bytes[i] = bytes[j];
      bytes[j] = digit;
    }
    return this;
  }

  /** A ratio of two numbers that are not negative, with three digits after the point. */
  ReplyLine ratio(long above, long below) {
    number(above / below);
    room(4);
    bytes[length++] = '.';
    long thousandths = above % below * 1000 / below;
    bytes[length++] = (byte) ('0' + thousandths / 100);
    bytes[length++] = (byte) ('0' + thousandths / 10 % 10);
    bytes[length++] = (byte) ('0' + thousandths % 10);
    return this;
  }

  /** Sixteen hexadecimal digits. */
  ReplyLine hex(long number) {
    room(16);
    for (int shift = 60; shift >= 0; shift -= 4) {
      int digit = (int) (number >>> shift) & 15;
      bytes[length++] = (byte) (digit < 10 ? '0' + digit : 'a' + digit - 10);
    }
    return this;
  }

  void writeTo(OutputStream output) throws IOException {
    output.write(bytes, 0, length);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append((char) bytes[i]);
    }
    return text.toString();
  }

  private void room(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * bytes.length + more);
    }
  }
}

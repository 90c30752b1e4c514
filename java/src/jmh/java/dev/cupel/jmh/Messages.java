package dev.cupel.jmh;

import java.util.Random;

/**
 * A pool of distinct messages, taken in turn, as in Cupel's runner: a power of two from 2 to 64
 * that fits 16 KiB. All messages begin at the same offset in their arrays.
 */
final class Messages {
  private static final int ROOM = 16 << 10;

  /** The index at which each message begins in its array. */
  final int offset;

  private final byte[][] messages;
  private int next;

  private Messages(int size, int offset) {
    this.offset = offset;
    int fitting = Math.max(2, Math.min(ROOM / Math.max(1, size), 64));
    messages = new byte[Integer.highestOneBit(fitting)][offset + size];
    Random random = new Random(size);
    for (byte[] message : messages) {
      random.nextBytes(message);
    }
  }

  /** Messages that fill their arrays. */
  static Messages whole(int size) {
    return new Messages(size, 0);
  }

  /**
   * Messages at an offset of 0 to 63 bytes, which each process draws as each fork of Cupel does.
   */
  static Messages anywhere(int size) {
    return new Messages(size, new Random().nextInt(64));
  }

  int count() {
    return messages.length;
  }

  byte[] next() {
    return messages[next++ & messages.length - 1];
  }
}

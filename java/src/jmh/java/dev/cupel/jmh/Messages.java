package dev.cupel.jmh;

import java.util.Random;

/** A pool of distinct messages, taken in turn, as the runner of Cupel takes them. */
final class Messages {
  private static final int COUNT = 16;

  private final byte[][] messages = new byte[COUNT][];
  private int next;

  Messages(int size) {
    Random random = new Random(size);
    for (int i = 0; i < COUNT; i++) {
      messages[i] = new byte[size];
      random.nextBytes(messages[i]);
    }
  }

  byte[] next() {
    return messages[next++ & COUNT - 1];
  }
}

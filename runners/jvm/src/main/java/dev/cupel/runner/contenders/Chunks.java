package dev.cupel.runner.contenders;

import dev.cupel.runner.Call;
import dev.cupel.runner.Task;

/** Calls of a library that takes a message in pieces. */
abstract class Chunks extends Call {
  private final int[] chunks;

  Chunks(Task task) {
    chunks = task.chunks();
  }

  /** Adds a piece of the message. */
  abstract void update(byte[] input, int offset, int length) throws Exception;

  /** Ends the message and writes the output. */
  abstract int finish(byte[] output, int to) throws Exception;

  /** Begins a message. Most libraries do so by themselves after {@link #finish}. */
  void begin() throws Exception {}

  @Override
  public final int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to)
      throws Exception {
    begin();
    if (chunks.length == 0) {
      update(input, offset, length);
      return finish(output, to);
    }
    int end = offset + length;
    for (int at = offset, i = 0; at < end; i = i + 1 == chunks.length ? 0 : i + 1) {
      int piece = Math.min(chunks[i], end - at);
      update(input, at, piece);
      at += piece;
    }
    return finish(output, to);
  }
}

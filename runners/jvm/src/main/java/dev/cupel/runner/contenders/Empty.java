package dev.cupel.runner.contenders;

import dev.cupel.runner.Call;

/**
 * The call that does nothing: its time is the harness overhead. It reads its length from a field
 * that another thread might change; otherwise HotSpot would remove the whole loop.
 */
public final class Empty extends Call {
  private volatile int length;

  /** Creates one. */
  public Empty() {}

  @Override
  public int call(byte[] input, int offset, int count, byte[] nonce, byte[] output, int to) {
    return length;
  }
}

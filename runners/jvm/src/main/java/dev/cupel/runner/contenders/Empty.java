package dev.cupel.runner.contenders;

import dev.cupel.runner.Call;

/**
 * The call that does nothing: what remains is the cost of the runner. It reads its length from
 * where another thread might change it, or HotSpot would find that the whole loop does nothing.
 */
public final class Empty extends Call {
  private volatile int length;

  /** Makes one. */
  public Empty() {}

  @Override
  public int call(byte[] input, int offset, int count, byte[] nonce, byte[] output, int to) {
    return length;
  }
}

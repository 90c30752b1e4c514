package dev.cupel.runner.contenders;

import dev.cupel.runner.Call;

/** The call that does nothing: what remains is the cost of the runner. */
public final class Empty extends Call {
  /** Makes one. */
  public Empty() {}

  @Override
  public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to) {
    return 0;
  }
}

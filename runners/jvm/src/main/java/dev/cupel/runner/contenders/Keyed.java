package dev.cupel.runner.contenders;

import dev.cupel.runner.Call;
import dev.cupel.runner.Task;

/**
 * A key schedule inside the call: the contract {@code per-call}, for a library that could keep it.
 */
final class Keyed extends Call {
  /** Creates a call with its key. */
  interface Maker {
    Call prepare() throws Exception;
  }

  private final Maker maker;
  private final boolean wholeArrays;
  private final String codePath;

  private Keyed(Maker maker) throws Exception {
    this.maker = maker;
    Call one = maker.prepare();
    wholeArrays = one.wholeArrays();
    codePath = one.codePath();
  }

  /** A call with its key schedule where the contract requires it. */
  static Call of(Task task, Maker maker) throws Exception {
    return task.contract().keyPerCall() ? new Keyed(maker) : maker.prepare();
  }

  @Override
  public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to)
      throws Exception {
    return maker.prepare().call(input, offset, length, nonce, output, to);
  }

  @Override
  public boolean wholeArrays() {
    return wholeArrays;
  }

  @Override
  public String codePath() {
    return codePath;
  }
}

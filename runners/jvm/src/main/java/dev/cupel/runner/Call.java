package dev.cupel.runner;

/**
 * The timed call, prepared for a task. A process has calls of one class, or of two if it opens
 * messages that it sealed, so that the loop around them is compiled for that class.
 */
public abstract class Call {
  /**
   * Computes the output for an input. The input of {@code digest-many} is a batch: messages of one
   * length, one after the other; its output is their digests.
   *
   * @param nonce of the primitive's length, for operations with nonces; the call must not keep a
   *     reference to it
   * @return the length of the output in bytes
   * @throws NotAuthentic if the message to open is refused
   */
  public abstract int call(
      byte[] input, int offset, int length, byte[] nonce, byte[] output, int to) throws Exception;

  /** Whether the library takes whole arrays only, so that each input needs its own array. */
  public boolean wholeArrays() {
    return false;
  }

  /**
   * Whether it is a call that continues with a copy of the state of the contract's prefix. A call
   * without prefixes must not be asked for one.
   */
  public boolean copiesPrefix() {
    return false;
  }

  /** The selected code path, in the library's words or ours. */
  public String codePath() {
    return "java";
  }

  /** The input of {@code open} was refused, and no plaintext was returned. */
  public static final class NotAuthentic extends Exception {
    private static final long serialVersionUID = 1L;

    /** With the library's reason. */
    public NotAuthentic(Throwable cause) {
      super("not authentic", cause, false, false);
    }
  }
}

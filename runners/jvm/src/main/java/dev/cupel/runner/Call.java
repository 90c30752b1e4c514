package dev.cupel.runner;

/**
 * The timed call, made ready for a task. One process has calls of one class, or of two where it
 * opens what it sealed, so that the loop around it is compiled for that class.
 */
public abstract class Call {
  /**
   * Makes the output of an input.
   *
   * @param nonce 12 bytes, for what has nonces; the call may not keep it
   * @return length of the output
   * @throws NotAuthentic where an opened message is refused
   */
  public abstract int call(
      byte[] input, int offset, int length, byte[] nonce, byte[] output, int to) throws Exception;

  /** Whether the library takes whole arrays only, so that the input has to fill its own. */
  public boolean wholeArrays() {
    return false;
  }

  /** The code path that was selected, in the library's words or ours. */
  public String codePath() {
    return "java";
  }

  /** The input of {@code open} was refused, and no plaintext given. */
  public static final class NotAuthentic extends Exception {
    private static final long serialVersionUID = 1L;

    /** With the library's reason. */
    public NotAuthentic(Throwable cause) {
      super("not authentic", cause, false, false);
    }
  }
}

package dev.cupel.aead;

/** The engine failed for a reason of its own, which is the cause. */
public final class EngineFailureException extends AeadException {
  private static final long serialVersionUID = 1L;

  EngineFailureException(AeadEngine engine, Throwable cause) {
    super("the engine " + engine + " failed: " + cause, cause);
  }
}

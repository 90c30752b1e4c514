package dev.cupel.aead;

/** The engine failed for its own reason, which is the cause of this exception. */
public final class EngineFailureException extends AeadException {
  private static final long serialVersionUID = 1L;

  EngineFailureException(AeadEngine engine, Throwable cause) {
    super("the engine " + engine + " failed: " + cause, cause);
  }
}

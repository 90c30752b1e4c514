package dev.cupel.aead;

/** The engine's provider is missing or does not start. */
public final class EngineUnavailableException extends AeadException {
  private static final long serialVersionUID = 1L;

  EngineUnavailableException(AeadEngine engine, String reason, Throwable cause) {
    super("the engine " + engine + " is not available: " + reason, cause);
  }
}

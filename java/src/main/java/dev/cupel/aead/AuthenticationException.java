package dev.cupel.aead;

/**
 * The tag does not fit the message, its nonce, its associated data and the key. Which of them was
 * altered cannot be told, and may not be.
 */
public final class AuthenticationException extends AeadException {
  private static final long serialVersionUID = 1L;

  AuthenticationException(Throwable cause) {
    super("the message is not authentic", cause);
  }
}

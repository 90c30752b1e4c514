package dev.cupel.aead;

/**
 * The tag does not match the message, its nonce, its associated data and the key. It is not known
 * which of them was altered, and a caller must not try to find out.
 */
public final class AuthenticationException extends AeadException {
  private static final long serialVersionUID = 1L;

  AuthenticationException(Throwable cause) {
    super("the message is not authentic", cause);
  }
}

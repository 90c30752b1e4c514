package dev.cupel.aead;

/**
 * The nonce was used already, or none is left. With a nonce used twice, GCM gives away the key of
 * its tags: nothing was sealed.
 */
public final class NonceException extends AeadException {
  private static final long serialVersionUID = 1L;

  NonceException(String message) {
    super(message, null);
  }
}

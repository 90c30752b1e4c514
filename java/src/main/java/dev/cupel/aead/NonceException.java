package dev.cupel.aead;

/**
 * The nonce was used already, or none is left. Nothing was sealed: GCM reveals its authentication
 * key if a nonce is used twice.
 */
public final class NonceException extends AeadException {
  private static final long serialVersionUID = 1L;

  NonceException(String message) {
    super(message, null);
  }
}

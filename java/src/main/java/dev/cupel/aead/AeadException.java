package dev.cupel.aead;

import java.security.GeneralSecurityException;

/** Why a message could not be sealed or opened. No plaintext was returned. */
public abstract class AeadException extends GeneralSecurityException {
  private static final long serialVersionUID = 1L;

  AeadException(String message, Throwable cause) {
    super(message, cause);
  }
}

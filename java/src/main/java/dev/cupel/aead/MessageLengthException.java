package dev.cupel.aead;

/** The message is too short for a nonce and a tag, or too long for an array or for GCM. */
public final class MessageLengthException extends AeadException {
  private static final long serialVersionUID = 1L;

  MessageLengthException(String message) {
    super(message, null);
  }
}

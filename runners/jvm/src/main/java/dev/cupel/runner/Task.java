package dev.cupel.runner;

/**
 * The task for which a call is prepared.
 *
 * @param primitive its standard name
 * @param operation the primitive's operation
 * @param contract the parts of the work inside the call
 * @param chunks lengths in which the message is streamed, repeated; empty: in one piece
 * @param key the key; empty if there is none
 * @param ad the associated data; may be empty
 */
public record Task(
    String primitive, String operation, Contract contract, int[] chunks, byte[] key, byte[] ad) {

  /** The same task for another operation: {@code open} seals its own messages. */
  public Task as(String other) {
    return new Task(primitive, other, contract, chunks, key, ad);
  }

  /** The task of sealing the messages for {@code open}, by one thread for all. */
  Task sealing() {
    return new Task(primitive, "seal", contract.alone(), chunks, key, ad);
  }

  /** The length in bytes of its nonces. */
  public int nonceLength() {
    return Bytes.nonceLength(primitive);
  }

  /** Refuses to stream, for a library that takes its message whole. */
  public void inOnePiece() throws Refused {
    if (chunks.length > 0) {
      throw Refused.unsupported("it takes the message in one call, not in chunks");
    }
  }

  /** Refuses a key of another length. */
  public void keyOf(int length) throws Refused {
    if (key.length != length) {
      throw Refused.unsupported("a key of " + key.length + " bytes");
    }
  }
}

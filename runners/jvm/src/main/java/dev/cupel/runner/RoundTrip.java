package dev.cupel.runner;

import java.util.Arrays;

/**
 * {@code seal-open}: a message is sealed and opened again, by the two calls that are timed for
 * {@code seal} and {@code open}. The sealed message has its own array, because a library that opens
 * within one array would copy it first.
 */
final class RoundTrip {
  /** Length of a tag in bytes. */
  static final int TAG = 16;

  private RoundTrip() {}

  /**
   * Seals into an array of exactly the sealed length, and opens that.
   *
   * @return the length of the plaintext in {@code output}
   */
  static int call(
      Call sealer,
      Call opener,
      byte[] input,
      int offset,
      int length,
      byte[] nonce,
      byte[] sealed,
      byte[] output)
      throws Exception {
    int written = sealer.call(input, offset, length, nonce, sealed, 0);
    if (written != sealed.length) {
      throw Refused.failed("it sealed " + length + " bytes to " + written);
    }
    try {
      return opener.call(sealed, 0, written, nonce, output, 0);
    } catch (Call.NotAuthentic e) {
      throw Refused.failed("it refuses to open what it sealed");
    }
  }

  /**
   * The word of the two outputs as if they were one, the sealed message first. That has at least 16
   * bytes.
   */
  static long word(byte[] sealed, byte[] output, int opened) {
    long start = Bytes.start(sealed, 0, sealed.length);
    if (opened >= 8) {
      return start + Bytes.start(output, opened - 8, 8);
    }
    // The last eight bytes are the end of the tag and the plaintext.
    long end = Bytes.start(sealed, sealed.length - 8, 8) >>> 8 * opened;
    return start + (opened == 0 ? end : end | Bytes.start(output, 0, opened) << 8 * (8 - opened));
  }

  /** The two outputs, one after the other. */
  static byte[] joined(byte[] sealed, byte[] output, int opened) {
    byte[] both = Arrays.copyOf(sealed, sealed.length + opened);
    System.arraycopy(output, 0, both, sealed.length, opened);
    return both;
  }
}

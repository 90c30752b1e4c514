package dev.cupel.runner;

import java.util.Arrays;

/**
 * {@code seal-open}: a message sealed, and opened again, by the two calls that are timed for {@code
 * seal} and {@code open}. The sealed message has an array of its own, as a library that opens
 * within one array would copy it first.
 */
final class RoundTrip {
  /** Bytes of a tag. */
  static final int TAG = 16;

  private RoundTrip() {}

  /**
   * Seals into an array of the very length, and opens that.
   *
   * @return length of the plaintext in {@code output}
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
   * The word of the two outputs, as if one followed the other. A sealed one has 16 bytes at least.
   */
  static long word(byte[] sealed, byte[] output, int opened) {
    long start = Bytes.start(sealed, 0, sealed.length);
    if (opened >= 8) {
      return start + Bytes.start(output, opened - 8, 8);
    }
    // The last eight bytes are the tag's end and the plaintext.
    long end = Bytes.start(sealed, sealed.length - 8, 8) >>> 8 * opened;
    return start + (opened == 0 ? end : end | Bytes.start(output, 0, opened) << 8 * (8 - opened));
  }

  /** The two outputs one behind the other. */
  static byte[] joined(byte[] sealed, byte[] output, int opened) {
    byte[] both = Arrays.copyOf(sealed, sealed.length + opened);
    System.arraycopy(output, 0, both, sealed.length, opened);
    return both;
  }
}

package dev.cupel.aead;

import java.security.SecureRandom;

/**
 * The nonces of one instance: 96-bit big-endian numbers that only increase (NIST SP 800-38D,
 * section 8.2).
 *
 * <p>Generated nonces count up from a random number. Two instances with one key collide only if
 * their random numbers are closer together than the number of messages: for n instances of q
 * messages the probability is below n * n * q / 2^96, less than with a random nonce for each
 * message.
 */
final class Nonces {
  static final int LENGTH = 12;

  /** NIST SP 800-38D, section 8.3: the most calls with one key if nonces are random. */
  private static final long MAX_COUNT = 1L << 32;

  /** Created when the first nonce is needed, because a machine may have to wait for entropy. */
  private static final class Random {
    static final SecureRandom SOURCE = new SecureRandom();
  }

  private enum Origin {
    NOT_KNOWN,
    MADE,
    GIVEN
  }

  private final byte[] last = new byte[LENGTH];
  private Origin origin = Origin.NOT_KNOWN;
  private long made;

  /** Writes the next nonce to the caller's array. */
  void next(byte[] output, int offset) throws NonceException {
    if (origin == Origin.GIVEN) {
      throw new NonceException(
          "this instance's nonces are given: one made here might be among them");
    }
    if (origin == Origin.NOT_KNOWN) {
      Random.SOURCE.nextBytes(last);
      origin = Origin.MADE;
    }
    if (made == MAX_COUNT) {
      throw new NonceException("2^32 messages are sealed: it is time for another key");
    }
    made++;
    for (int i = LENGTH - 1; i >= 0 && ++last[i] == 0; i--) {
      // Carry to the byte before.
    }
    System.arraycopy(last, 0, output, offset, LENGTH);
  }

  /** Accepts a nonce from the caller, which must be greater than all before it. */
  void take(byte[] nonce) throws NonceException {
    if (origin == Origin.MADE) {
      throw new NonceException("this instance makes its nonces: a given one might be among them");
    }
    if (origin == Origin.GIVEN && java.util.Arrays.compareUnsigned(nonce, last) <= 0) {
      throw new NonceException("the nonce is not above the one before it: nonces must rise");
    }
    origin = Origin.GIVEN;
    System.arraycopy(nonce, 0, last, 0, LENGTH);
  }
}

package dev.cupel.aead;

import java.security.SecureRandom;

/**
 * The nonces of one instance: 96-bit numbers that only rise, big-endian (NIST SP 800-38D, section
 * 8.2).
 *
 * <p>Made here, they count up from a random one. Two instances with one key then collide only where
 * their random beginnings lie closer together than they count: for n instances of q messages the
 * probability is below n * n * q / 2^96, less than with a random nonce for each message.
 */
final class Nonces {
  static final int LENGTH = 12;

  /** NIST SP 800-38D, section 8.3: the most calls with one key where nonces are random. */
  private static final long MOST = 1L << 32;

  /** Made when the first nonce is wanted, because a machine may have to wait for its entropy. */
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

  /** The next nonce into a place of its caller's. */
  void next(byte[] output, int offset) throws NonceException {
    if (origin == Origin.GIVEN) {
      throw new NonceException(
          "this instance's nonces are given: one made here might be among them");
    }
    if (origin == Origin.NOT_KNOWN) {
      Random.SOURCE.nextBytes(last);
      origin = Origin.MADE;
    }
    if (made == MOST) {
      throw new NonceException("2^32 messages are sealed: it is time for another key");
    }
    made++;
    for (int i = LENGTH - 1; i >= 0 && ++last[i] == 0; i--) {
      // The carry goes on to the byte before.
    }
    System.arraycopy(last, 0, output, offset, LENGTH);
  }

  /** Takes a nonce that the caller gives, which must lie above those before it. */
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

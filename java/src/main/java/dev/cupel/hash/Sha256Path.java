package dev.cupel.hash;

import java.security.DigestException;
import java.security.MessageDigest;

/** A code path for the digests of messages of the same length that lie one after the other. */
abstract class Sha256Path {
  /** Writes the digests of ranges that the caller has checked. */
  abstract void digest(
      byte[] input, int offset, int size, int count, byte[] output, int outputOffset);

  /** A new one of the faster code path. */
  static Sha256Path create() {
    return JdkSha256.isSelected() ? new Jdk(JdkSha256.create()) : new Sha256Many();
  }

  /** One message after the other, by one object that is kept. */
  static final class Jdk extends Sha256Path {
    private final MessageDigest kept;

    Jdk(MessageDigest kept) {
      this.kept = kept;
    }

    @Override
    void digest(byte[] input, int offset, int size, int count, byte[] output, int outputOffset) {
      int at = offset;
      int to = outputOffset;
      try {
        for (int i = 0; i < count; i++) {
          kept.update(input, at, size);
          kept.digest(output, to, Sha256.DIGEST_LENGTH);
          at += size;
          to += Sha256.DIGEST_LENGTH;
        }
      } catch (DigestException e) {
        throw new IllegalStateException("the range of the digest was checked", e);
      }
    }
  }
}

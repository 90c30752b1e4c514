package dev.cupel.provider;

import dev.cupel.hash.Sha256;
import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigestSpi;

/** SHA-256 as {@code MessageDigest} calls it. Public because the architecture creates instances. */
public final class Sha256Spi extends MessageDigestSpi implements Cloneable {
  private Sha256 hash = new Sha256();

  /** Creates an instance with no bytes added. */
  public Sha256Spi() {}

  @Override
  protected int engineGetDigestLength() {
    return Sha256.DIGEST_LENGTH;
  }

  @Override
  protected void engineUpdate(byte input) {
    hash.update(input);
  }

  @Override
  protected void engineUpdate(byte[] input, int offset, int length) {
    hash.update(input, offset, length);
  }

  @Override
  protected void engineUpdate(ByteBuffer input) {
    hash.update(input);
  }

  @Override
  protected byte[] engineDigest() {
    return hash.digest();
  }

  @Override
  protected int engineDigest(byte[] output, int offset, int length) throws DigestException {
    if (length < Sha256.DIGEST_LENGTH) {
      throw new DigestException("a digest takes 32 bytes, the room is " + length);
    }
    hash.digest(output, offset);
    return Sha256.DIGEST_LENGTH;
  }

  @Override
  protected void engineReset() {
    hash.reset();
  }

  @Override
  public Object clone() throws CloneNotSupportedException {
    Sha256Spi copy = (Sha256Spi) super.clone();
    copy.hash = hash.copy();
    return copy;
  }
}

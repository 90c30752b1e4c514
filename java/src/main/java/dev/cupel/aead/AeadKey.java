package dev.cupel.aead;

import java.util.Arrays;
import javax.crypto.SecretKey;

/** A key that can be overwritten, which the JDK's own {@code SecretKeySpec} cannot. */
final class AeadKey implements SecretKey {
  private static final long serialVersionUID = 1L;

  private final transient byte[] bytes;
  private transient boolean destroyed;

  AeadKey(byte[] bytes) {
    this.bytes = bytes.clone();
  }

  /** Another array with the same bytes. */
  AeadKey copy() {
    return new AeadKey(bytes);
  }

  @Override
  public String getAlgorithm() {
    return "AES";
  }

  @Override
  public String getFormat() {
    return "RAW";
  }

  @Override
  public byte[] getEncoded() {
    if (destroyed) {
      throw new IllegalStateException("the key was destroyed");
    }
    return bytes.clone();
  }

  @Override
  public void destroy() {
    destroyed = true;
    Arrays.fill(bytes, (byte) 0);
  }

  @Override
  public boolean isDestroyed() {
    return destroyed;
  }

  private void writeObject(java.io.ObjectOutputStream out) throws java.io.IOException {
    throw new java.io.NotSerializableException("a key stays where it is");
  }
}

package dev.cupel.provider;

import dev.cupel.hash.HmacSha256;
import java.nio.ByteBuffer;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.MacSpi;
import javax.crypto.SecretKey;

/** HMAC-SHA-256 as {@code Mac} calls it. Public because the architecture creates instances. */
public final class HmacSha256Spi extends MacSpi implements Cloneable {
  private HmacSha256 mac;

  /** Creates an instance without a key. */
  public HmacSha256Spi() {}

  @Override
  protected int engineGetMacLength() {
    return HmacSha256.TAG_LENGTH;
  }

  @Override
  protected void engineInit(Key key, AlgorithmParameterSpec params)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    if (params != null) {
      throw new InvalidAlgorithmParameterException("HmacSHA256 has no parameters");
    }
    if (!(key instanceof SecretKey)) {
      throw new InvalidKeyException("a key of HmacSHA256 is a SecretKey");
    }
    byte[] bytes = key.getEncoded();
    if (bytes == null) {
      throw new InvalidKeyException("the key does not give its bytes");
    }
    if (mac != null) {
      mac.destroy();
    }
    mac = new HmacSha256(bytes);
    Arrays.fill(bytes, (byte) 0);
  }

  @Override
  protected void engineUpdate(byte input) {
    mac.update(input);
  }

  @Override
  protected void engineUpdate(byte[] input, int offset, int length) {
    mac.update(input, offset, length);
  }

  @Override
  protected void engineUpdate(ByteBuffer input) {
    mac.update(input);
  }

  @Override
  protected byte[] engineDoFinal() {
    return mac.tag();
  }

  @Override
  protected void engineReset() {
    if (mac != null) {
      mac.reset();
    }
  }

  @Override
  public Object clone() throws CloneNotSupportedException {
    HmacSha256Spi copy = (HmacSha256Spi) super.clone();
    if (mac != null) {
      copy.mac = mac.copy();
    }
    return copy;
  }
}

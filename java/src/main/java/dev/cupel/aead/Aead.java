package dev.cupel.aead;

import java.security.GeneralSecurityException;
import java.security.Provider;
import java.util.Arrays;
import java.util.Objects;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.security.auth.Destroyable;

/**
 * AES-256-GCM (NIST SP 800-38D) with nonces of 96 bits and tags of 128 bits, computed by an {@link
 * AeadEngine}. A message sealed by one engine can be opened by every other.
 *
 * <p>A sealed message is
 *
 * <pre>
 *   nonce (12 bytes) | ciphertext (as long as the plaintext) | tag (16 bytes)
 * </pre>
 *
 * <p>GCM is broken if a nonce is used twice with one key, so this class prevents it. An instance
 * either generates its nonces or takes them from the caller, in which case they must increase. The
 * first call decides which, for the life of the instance. Several instances with the same key are
 * safe if all of them generate their nonces.
 *
 * <p>Instances are thread-safe: calls from several threads run one after the other.
 */
public final class Aead implements Destroyable {
  /** Length of a key in bytes. */
  public static final int KEY_LENGTH = 32;

  /** Length of a nonce in bytes. */
  public static final int NONCE_LENGTH = Nonces.LENGTH;

  /** Length of a tag in bytes. */
  public static final int TAG_LENGTH = 16;

  /** The number of bytes by which a sealed message is longer than its plaintext. */
  public static final int OVERHEAD = NONCE_LENGTH + TAG_LENGTH;

  /** The longest plaintext, in bytes, whose sealed message fits into an array. */
  private static final int MAX_PLAINTEXT_LENGTH = Integer.MAX_VALUE - 8 - OVERHEAD;

  private static final byte[] NO_AD = {};

  private final AeadEngine engine;
  private final Provider provider;
  private final Cipher sealing;
  private final Cipher opening;
  private final AeadKey key;
  private final Nonces nonces = new Nonces();

  private Aead(AeadEngine engine, byte[] key) throws AeadException {
    if (key.length != KEY_LENGTH) {
      throw new IllegalArgumentException(
          "a key of AES-256 has " + KEY_LENGTH + " bytes, not " + key.length);
    }
    this.engine = engine;
    provider = engine.provider();
    this.key = new AeadKey(key);
    try {
      sealing = Cipher.getInstance("AES/GCM/NoPadding", provider);
      opening = Cipher.getInstance("AES/GCM/NoPadding", provider);
    } catch (GeneralSecurityException | LinkageError e) {
      throw new EngineUnavailableException(engine, "it has no AES/GCM/NoPadding", e);
    }
  }

  /**
   * Returns an instance with the engine of {@link AeadEngine#selected}.
   *
   * @param key 32 bytes; they are copied
   * @throws IllegalArgumentException if the key has another length
   * @throws EngineUnavailableException if the system property names an engine that is not available
   */
  public static Aead of(byte[] key) throws AeadException {
    return new Aead(AeadEngine.selected(), key);
  }

  /**
   * Returns an instance with the given engine.
   *
   * @param key 32 bytes; they are copied
   * @throws IllegalArgumentException if the key has another length
   * @throws EngineUnavailableException if the engine is not available
   */
  public static Aead of(AeadEngine engine, byte[] key) throws AeadException {
    return new Aead(engine, key);
  }

  /** The engine that computes. */
  public AeadEngine engine() {
    return engine;
  }

  /** The provider's name and version. */
  public String provider() {
    return provider.getName() + " " + provider.getVersionStr();
  }

  /** Seals a plaintext with a generated nonce. The result has the layout described above. */
  public byte[] seal(byte[] plaintext) throws AeadException {
    return seal(plaintext, NO_AD);
  }

  /**
   * Seals a plaintext with a generated nonce. The result has the layout described above.
   *
   * @param ad associated data: authenticated but not part of the sealed message; {@code open} needs
   *     the same
   * @throws NonceException if the caller gives this instance its nonces, or if they are used up
   * @throws MessageLengthException if the result would not fit into an array
   */
  public synchronized byte[] seal(byte[] plaintext, byte[] ad) throws AeadException {
    checkAlive();
    checkPlaintext(plaintext.length);
    byte[] sealed = new byte[plaintext.length + OVERHEAD];
    nonces.next(sealed, 0);
    GCMParameterSpec nonce = new GCMParameterSpec(8 * TAG_LENGTH, sealed, 0, NONCE_LENGTH);
    seal(nonce, plaintext, 0, plaintext.length, ad, sealed, NONCE_LENGTH);
    return sealed;
  }

  /** Opens a message that was sealed by {@link #seal(byte[])}. */
  public byte[] open(byte[] sealed) throws AeadException {
    return open(sealed, NO_AD);
  }

  /**
   * Opens a sealed message with the layout described above.
   *
   * @param ad the associated data with which it was sealed
   * @throws AuthenticationException if the message, the associated data or the key differs from
   *     that of the seal
   * @throws MessageLengthException if the message is too short to be a sealed one
   */
  public synchronized byte[] open(byte[] sealed, byte[] ad) throws AeadException {
    checkAlive();
    if (sealed.length < OVERHEAD) {
      throw new MessageLengthException(
          "a sealed message has at least " + OVERHEAD + " bytes, this one has " + sealed.length);
    }
    byte[] plaintext = new byte[sealed.length - OVERHEAD];
    GCMParameterSpec nonce = new GCMParameterSpec(8 * TAG_LENGTH, sealed, 0, NONCE_LENGTH);
    open(nonce, sealed, NONCE_LENGTH, sealed.length - NONCE_LENGTH, ad, plaintext, 0);
    return plaintext;
  }

  /**
   * Seals a range with a nonce given by the caller, for formats that define their nonces.
   *
   * @param nonce 12 bytes; as a big-endian number, greater than every earlier one
   * @param output receives ciphertext and tag, {@code length + 16} bytes
   * @return the number of bytes written
   * @throws NonceException if the nonce does not increase, or if this instance generates its nonces
   * @throws IndexOutOfBoundsException if a range lies outside its array
   */
  public synchronized int seal(
      byte[] nonce, byte[] input, int offset, int length, byte[] ad, byte[] output, int to)
      throws AeadException {
    checkAlive();
    checkNonce(nonce);
    Objects.checkFromIndexSize(offset, length, input.length);
    checkPlaintext(length);
    Objects.checkFromIndexSize(to, length + TAG_LENGTH, output.length);
    nonces.take(nonce);
    return seal(new GCMParameterSpec(8 * TAG_LENGTH, nonce), input, offset, length, ad, output, to);
  }

  /**
   * Opens ciphertext and tag with the given nonce.
   *
   * @param output receives the plaintext, {@code length - 16} bytes; zeros if the message is
   *     refused
   * @return the number of bytes written
   * @throws AuthenticationException if the message, the nonce, the associated data or the key
   *     differs from that of the seal
   * @throws MessageLengthException if the range is too short for a tag
   * @throws IndexOutOfBoundsException if a range lies outside its array
   */
  public synchronized int open(
      byte[] nonce, byte[] input, int offset, int length, byte[] ad, byte[] output, int to)
      throws AeadException {
    checkAlive();
    checkNonce(nonce);
    Objects.checkFromIndexSize(offset, length, input.length);
    if (length < TAG_LENGTH) {
      throw new MessageLengthException(
          "ciphertext and tag have at least " + TAG_LENGTH + " bytes, these have " + length);
    }
    Objects.checkFromIndexSize(to, length - TAG_LENGTH, output.length);
    return open(new GCMParameterSpec(8 * TAG_LENGTH, nonce), input, offset, length, ad, output, to);
  }

  /**
   * Overwrites this instance's key. The key schedules inside the engine belong to the engine and
   * disappear when it releases them. Every later call throws {@link IllegalStateException}.
   */
  @Override
  public synchronized void destroy() {
    key.destroy();
  }

  @Override
  public synchronized boolean isDestroyed() {
    return key.isDestroyed();
  }

  private int seal(
      GCMParameterSpec nonce,
      byte[] input,
      int offset,
      int length,
      byte[] ad,
      byte[] output,
      int to)
      throws AeadException {
    try {
      sealing.init(Cipher.ENCRYPT_MODE, key, nonce);
      if (ad.length > 0) {
        sealing.updateAAD(ad);
      }
      return sealing.doFinal(input, offset, length, output, to);
    } catch (GeneralSecurityException e) {
      throw new EngineFailureException(engine, e);
    }
  }

  private int open(
      GCMParameterSpec nonce,
      byte[] input,
      int offset,
      int length,
      byte[] ad,
      byte[] output,
      int to)
      throws AeadException {
    int room = output.length - to;
    if (engine == AeadEngine.CONSCRYPT && room > length - TAG_LENGTH) {
      // It writes over the 16 bytes after the plaintext if there is room for them.
      byte[] exact = new byte[length - TAG_LENGTH];
      try {
        open(nonce, input, offset, length, ad, exact, 0);
        System.arraycopy(exact, 0, output, to, exact.length);
        return exact.length;
      } finally {
        Arrays.fill(exact, (byte) 0);
      }
    }
    boolean opened = false;
    try {
      opening.init(Cipher.DECRYPT_MODE, key, nonce);
      if (ad.length > 0) {
        opening.updateAAD(ad);
      }
      int written = opening.doFinal(input, offset, length, output, to);
      opened = true;
      return written;
    } catch (AEADBadTagException e) {
      throw new AuthenticationException(e);
    } catch (GeneralSecurityException e) {
      throw new EngineFailureException(engine, e);
    } finally {
      if (!opened) {
        // Not every engine leaves the output unchanged until it has verified the tag.
        Arrays.fill(output, to, to + length - TAG_LENGTH, (byte) 0);
      }
    }
  }

  private void checkAlive() {
    if (key.isDestroyed()) {
      throw new IllegalStateException("the key was destroyed");
    }
  }

  private static void checkNonce(byte[] nonce) {
    if (nonce.length != NONCE_LENGTH) {
      throw new IllegalArgumentException(
          "a nonce has " + NONCE_LENGTH + " bytes, not " + nonce.length);
    }
  }

  private static void checkPlaintext(int length) throws MessageLengthException {
    if (length > MAX_PLAINTEXT_LENGTH) {
      throw new MessageLengthException(
          "a plaintext has at most " + MAX_PLAINTEXT_LENGTH + " bytes, this one has " + length);
    }
  }
}

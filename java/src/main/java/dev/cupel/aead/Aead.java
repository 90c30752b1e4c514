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
 * AES-256-GCM (NIST SP 800-38D) with a nonce of 96 bits and a tag of 128, computed by an {@link
 * AeadEngine}. What one engine seals, every other opens.
 *
 * <p>A sealed message is
 *
 * <pre>
 *   nonce (12 bytes) | ciphertext (as long as the plaintext) | tag (16 bytes)
 * </pre>
 *
 * <p>A nonce used twice under one key breaks GCM, so that none can be used twice here: an instance
 * either makes its nonces, or takes given ones, which must rise; whichever it did first it does for
 * good. Two instances of one key are safe beside each other where both make their nonces.
 *
 * <p>Threads may share an instance; their calls wait for each other.
 */
public final class Aead implements Destroyable {
  /** Length of a key in bytes. */
  public static final int KEY_LENGTH = 32;

  /** Length of a nonce in bytes. */
  public static final int NONCE_LENGTH = Nonces.LENGTH;

  /** Length of a tag in bytes. */
  public static final int TAG_LENGTH = 16;

  /** What a sealed message is longer than its plaintext. */
  public static final int OVERHEAD = NONCE_LENGTH + TAG_LENGTH;

  /** The longest plaintext that some array can hold when it is sealed. */
  private static final int MOST = Integer.MAX_VALUE - 8 - OVERHEAD;

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
   * One with the engine of {@link AeadEngine#selected}.
   *
   * @param key 32 bytes, copied
   * @throws IllegalArgumentException where it has another length
   * @throws EngineUnavailableException where the system property asks for one that is not here
   */
  public static Aead of(byte[] key) throws AeadException {
    return new Aead(AeadEngine.selected(), key);
  }

  /**
   * One with a given engine.
   *
   * @param key 32 bytes, copied
   * @throws IllegalArgumentException where it has another length
   * @throws EngineUnavailableException where the engine is not here
   */
  public static Aead of(AeadEngine engine, byte[] key) throws AeadException {
    return new Aead(engine, key);
  }

  /** Who computes. */
  public AeadEngine engine() {
    return engine;
  }

  /** The provider's name and version. */
  public String provider() {
    return provider.getName() + " " + provider.getVersionStr();
  }

  /** Seals a plaintext under a nonce made here. The result has the layout described above. */
  public byte[] seal(byte[] plaintext) throws AeadException {
    return seal(plaintext, NO_AD);
  }

  /**
   * Seals a plaintext under a nonce made here. The result has the layout described above.
   *
   * @param ad data that is authenticated with it and not sealed; the same must be given to open it
   * @throws NonceException where this instance's nonces are given, or used up
   * @throws MessageLengthException where no array can hold the result
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

  /** Opens what {@link #seal(byte[])} sealed. */
  public byte[] open(byte[] sealed) throws AeadException {
    return open(sealed, NO_AD);
  }

  /**
   * Opens a sealed message of the layout described above.
   *
   * @param ad what was given when it was sealed
   * @throws AuthenticationException where any of its bytes, the associated data or the key is
   *     another
   * @throws MessageLengthException where it is too short to be a sealed message
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
   * Seals a range under a nonce that the caller gives, for formats that have their own.
   *
   * @param nonce 12 bytes; as a big-endian number above every one before it
   * @param output gets ciphertext and tag, {@code length + 16} bytes
   * @return how many bytes were written
   * @throws NonceException where the nonce does not rise, or this instance makes its own
   * @throws IndexOutOfBoundsException where an array has no such range
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
   * Opens ciphertext and tag under a given nonce.
   *
   * @param output gets the plaintext, {@code length - 16} bytes; where the message is refused,
   *     zeros
   * @return how many bytes were written
   * @throws AuthenticationException where something is not what it was
   * @throws MessageLengthException where the range is too short to hold a tag
   * @throws IndexOutOfBoundsException where an array has no such range
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
   * Overwrites this instance's key; the key schedules that the engine made of it are the engine's,
   * and go when it lets go of them. Every later call throws {@link IllegalStateException}.
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
      // It writes over the 16 bytes behind the plaintext where there is room for them.
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
        // Not every engine keeps its hands off the output until it has seen the tag.
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
    if (length > MOST) {
      throw new MessageLengthException(
          "a plaintext has at most " + MOST + " bytes, this one has " + length);
    }
  }
}

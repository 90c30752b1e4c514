package dev.cupel.aead;

import java.security.Provider;
import java.util.Objects;
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
 * <p>Instances are thread-safe, and calls from several threads run side by side: each call has its
 * own cipher, of at most two per processor that the instance keeps. No lock is held while an engine
 * computes, so a virtual thread is not pinned. Nothing belongs to a thread, so nothing remains of
 * one that ends. Threads that give their nonces must do so in increasing order; let the instance
 * generate them where threads have no order.
 *
 * <p>{@link #close} and {@link #destroy} do the same. They may be called at any time: a call in
 * progress ends as if it had come before, and then destroys the copy of the key that it used.
 */
public final class Aead implements AutoCloseable, Destroyable {
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
  private final Ciphers ciphers;

  private Aead(AeadEngine engine, byte[] key) throws AeadException {
    if (key.length != KEY_LENGTH) {
      throw new IllegalArgumentException(
          "a key of AES-256 has " + KEY_LENGTH + " bytes, not " + key.length);
    }
    this.engine = engine;
    provider = engine.provider();
    ciphers = new Ciphers(engine, provider, key);
  }

  /** For tests: an instance with these ciphers. */
  Aead(AeadEngine engine, Ciphers ciphers) throws AeadException {
    this.engine = engine;
    provider = engine.provider();
    this.ciphers = ciphers;
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
  public byte[] seal(byte[] plaintext, byte[] ad) throws AeadException {
    checkPlaintext(plaintext.length);
    KeyedCipher cipher = ciphers.acquire();
    try {
      byte[] sealed = new byte[plaintext.length + OVERHEAD];
      cipher.nextNonce(sealed, 0);
      cipher.seal(sealed, 0, plaintext, 0, plaintext.length, ad, sealed, NONCE_LENGTH);
      return sealed;
    } finally {
      cipher.release();
    }
  }

  /** Opens a message that was sealed by {@link #seal(byte[])}. */
  public byte[] open(byte[] sealed) throws AeadException {
    return open(sealed, NO_AD);
  }

  /**
   * Opens a sealed message with the layout described above.
   *
   * @param ad the associated data with which it was sealed
   * @throws AuthenticationException if the message, the associated data or the key differs from the
   *     seal's
   * @throws MessageLengthException if the message is too short to be a sealed one
   */
  public byte[] open(byte[] sealed, byte[] ad) throws AeadException {
    if (sealed.length < OVERHEAD) {
      throw new MessageLengthException(
          "a sealed message has at least " + OVERHEAD + " bytes, this one has " + sealed.length);
    }
    KeyedCipher cipher = ciphers.acquire();
    try {
      byte[] plaintext = new byte[sealed.length - OVERHEAD];
      int length = sealed.length - NONCE_LENGTH;
      cipher.open(sealed, 0, sealed, NONCE_LENGTH, length, ad, plaintext, 0);
      return plaintext;
    } finally {
      cipher.release();
    }
  }

  /**
   * Seals a range with a nonce given by the caller, for formats that define their nonces.
   *
   * @param nonce 12 bytes; as a big-endian number, greater than every earlier one; no other thread
   *     may change it during the call
   * @param output receives ciphertext and tag, {@code length + 16} bytes
   * @return the number of bytes written
   * @throws NonceException if the nonce does not increase, or if this instance generates its nonces
   * @throws IndexOutOfBoundsException if a range lies outside its array
   */
  public int seal(
      byte[] nonce, byte[] input, int offset, int length, byte[] ad, byte[] output, int to)
      throws AeadException {
    checkNonce(nonce);
    Objects.checkFromIndexSize(offset, length, input.length);
    checkPlaintext(length);
    Objects.checkFromIndexSize(to, length + TAG_LENGTH, output.length);
    KeyedCipher cipher = ciphers.acquire();
    try {
      ciphers.take(nonce);
      return cipher.seal(nonce, 0, input, offset, length, ad, output, to);
    } finally {
      cipher.release();
    }
  }

  /**
   * Opens ciphertext and tag with the given nonce.
   *
   * @param output receives the plaintext, {@code length - 16} bytes; zeros if the message is
   *     refused
   * @return the number of bytes written
   * @throws AuthenticationException if the message, the nonce, the associated data or the key
   *     differs from the seal's
   * @throws MessageLengthException if the range is too short for a tag
   * @throws IndexOutOfBoundsException if a range lies outside its array
   */
  public int open(
      byte[] nonce, byte[] input, int offset, int length, byte[] ad, byte[] output, int to)
      throws AeadException {
    checkNonce(nonce);
    Objects.checkFromIndexSize(offset, length, input.length);
    if (length < TAG_LENGTH) {
      throw new MessageLengthException(
          "ciphertext and tag have at least " + TAG_LENGTH + " bytes, these have " + length);
    }
    Objects.checkFromIndexSize(to, length - TAG_LENGTH, output.length);
    KeyedCipher cipher = ciphers.acquire();
    try {
      return cipher.open(nonce, 0, input, offset, length, ad, output, to);
    } finally {
      cipher.release();
    }
  }

  /**
   * Overwrites every copy of the key that this instance has; copies that calls in progress use,
   * when those calls end. The engine's ciphers get a key of zeros instead; whether an engine
   * overwrites its former key schedule or only releases it is the engine's decision. Every later
   * call that seals or opens throws {@link IllegalStateException}.
   */
  @Override
  public void destroy() {
    ciphers.close();
  }

  /** The same as {@link #destroy}. */
  @Override
  public void close() {
    ciphers.close();
  }

  @Override
  public boolean isDestroyed() {
    return ciphers.isClosed();
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

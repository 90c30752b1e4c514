package dev.cupel.aead;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The state that each call needs alone: a cipher for each direction, a copy of the key, and a range
 * of nonces. The call that has acquired it is the only one that uses it, until the release.
 *
 * <p>The copy of the key makes {@link #close} safe: no call reads bytes that another thread
 * overwrites. A state of one {@code int} decides who destroys it. If it is free, {@code close}
 * does; if a call has it, that call does when it ends.
 */
final class KeyedCipher extends CacheLine {
  private static final int FREE = 0;
  private static final int BUSY = 1;
  private static final int CLOSED = 2;
  private static final VarHandle STATE;
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(KeyedCipher.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile int state = BUSY;
  private final AeadEngine engine;
  private final AeadKey key;
  private final Nonces.Block nonces;
  private Cipher sealing;
  private Cipher opening;

  /** The nonce of the call, as numbers: no array of a caller outlives its call. */
  private int nonceHead;

  private long nonceTail;
  private final Parameters parameters = new Parameters();

  /**
   * The parameters of every call: the engine gets the nonce by {@link #getIV}. New ones for each
   * call would be one more object, and one more copy of the nonce.
   */
  private final class Parameters extends GCMParameterSpec {
    Parameters() {
      super(8 * Aead.TAG_LENGTH, new byte[Nonces.LENGTH]);
    }

    /** Another array each time: an engine keeps it, to compare it with the next nonce. */
    @Override
    public byte[] getIV() {
      byte[] nonce = new byte[Nonces.LENGTH];
      INT.set(nonce, 0, nonceHead);
      LONG.set(nonce, Integer.BYTES, nonceTail);
      return nonce;
    }
  }

  /** Creates one that its creator has acquired. */
  KeyedCipher(AeadEngine engine, Provider provider, AeadKey key, Nonces.Block nonces)
      throws EngineUnavailableException {
    this.engine = engine;
    this.key = key;
    this.nonces = nonces;
    try {
      sealing = Cipher.getInstance("AES/GCM/NoPadding", provider);
      opening = Cipher.getInstance("AES/GCM/NoPadding", provider);
    } catch (GeneralSecurityException | LinkageError e) {
      key.destroy();
      throw new EngineUnavailableException(engine, "it has no AES/GCM/NoPadding", e);
    }
  }

  /** Takes it for a call, unless another call has it or it is closed. */
  boolean tryAcquire() {
    return state == FREE && STATE.compareAndSet(this, FREE, BUSY);
  }

  /** Ends a call. If it was closed during the call, its key is destroyed now. */
  void release() {
    if (!STATE.compareAndSet(this, BUSY, FREE)) {
      destroy();
    }
  }

  /** Makes it unavailable, and destroys its key now or at the end of the call in progress. */
  void close() {
    if ((int) STATE.getAndSet(this, CLOSED) == FREE) {
      destroy();
    }
  }

  /** For tests, while no call is in progress: whether its key is destroyed, its ciphers gone. */
  boolean isDestroyed() {
    return key.isDestroyed() && sealing == null && opening == null;
  }

  /**
   * JCA cannot destroy a cipher. A key of zeros makes the engine replace the schedule and the key
   * that it keeps for the next {@code init}.
   */
  private void destroy() {
    key.destroy();
    SecretKeySpec zeros = new SecretKeySpec(new byte[Aead.KEY_LENGTH], "AES");
    GCMParameterSpec nonce = new GCMParameterSpec(8 * Aead.TAG_LENGTH, new byte[Nonces.LENGTH]);
    for (Cipher cipher : new Cipher[] {sealing, opening}) {
      try {
        // To open: an engine may refuse to seal again with a nonce and a key that it had before.
        cipher.init(Cipher.DECRYPT_MODE, zeros, nonce);
      } catch (GeneralSecurityException | RuntimeException e) {
        // It disappears with the cipher, which nothing refers to from here on.
      }
    }
    sealing = null;
    opening = null;
  }

  /** For tests: the ciphers, of which {@link #destroy} leaves none. */
  Cipher[] ciphers() {
    return new Cipher[] {sealing, opening};
  }

  /** Writes the next generated nonce. */
  void nextNonce(byte[] output, int offset) throws NonceException {
    nonces.next(output, offset);
  }

  private Parameters parametersWith(byte[] nonce, int from) {
    nonceHead = (int) INT.get(nonce, from);
    nonceTail = (long) LONG.get(nonce, from + Integer.BYTES);
    return parameters;
  }

  /** Seals a range with the nonce at {@code from}; returns the number of bytes written. */
  int seal(
      byte[] nonce,
      int from,
      byte[] input,
      int offset,
      int length,
      byte[] ad,
      byte[] output,
      int to)
      throws AeadException {
    try {
      sealing.init(Cipher.ENCRYPT_MODE, key, parametersWith(nonce, from));
      if (ad.length > 0) {
        sealing.updateAAD(ad);
      }
      return sealing.doFinal(input, offset, length, output, to);
    } catch (GeneralSecurityException e) {
      throw new EngineFailureException(engine, e);
    }
  }

  /**
   * Opens ciphertext and tag with the nonce at {@code from}; returns the number of bytes written,
   * and leaves zeros if refused.
   */
  int open(
      byte[] nonce,
      int from,
      byte[] input,
      int offset,
      int length,
      byte[] ad,
      byte[] output,
      int to)
      throws AeadException {
    int room = output.length - to;
    if (engine == AeadEngine.CONSCRYPT && room > length - Aead.TAG_LENGTH) {
      // It writes over the 16 bytes after the plaintext if there is room for them.
      byte[] exact = new byte[length - Aead.TAG_LENGTH];
      try {
        open(nonce, from, input, offset, length, ad, exact, 0);
        System.arraycopy(exact, 0, output, to, exact.length);
        return exact.length;
      } finally {
        Arrays.fill(exact, (byte) 0);
      }
    }
    boolean opened = false;
    try {
      opening.init(Cipher.DECRYPT_MODE, key, parametersWith(nonce, from));
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
        Arrays.fill(output, to, to + length - Aead.TAG_LENGTH, (byte) 0);
      }
    }
  }
}

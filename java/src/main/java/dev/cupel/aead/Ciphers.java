package dev.cupel.aead;

import java.security.Provider;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The ciphers of one instance. A call acquires one, which no other call has, and releases it; it
 * waits for no other call.
 *
 * <p>A cipher stays at its position, at most two for each processor, and belongs to no thread: a
 * thread that ends leaves nothing behind, and a million virtual threads need no more ciphers than
 * there are processors to run them. A thread looks first where it last found one, so that it mostly
 * gets the cipher that it had, and two threads that met at a position rarely meet there again. If
 * all are taken, because threads were suspended in a call, the call creates one for itself and
 * destroys it.
 *
 * <p>An acquisition is one compare-and-set, and so is a release. The lock protects only the copying
 * of the key into a new cipher. It is a {@link ReentrantLock}, at which a virtual thread does not
 * hold its carrier.
 */
final class Ciphers {
  private static final int MAX_KEPT = 256;

  /** Hints. Threads whose numbers lie further apart may share one. */
  private static final int THREADS = 256;

  private final AeadEngine engine;
  private final Provider provider;
  private final AeadKey key;
  private final Nonces nonces = new Nonces();
  private final AtomicReferenceArray<KeyedCipher> kept;

  /**
   * Where the threads look first, by a number made of a thread's number. It is only a hint, so
   * threads may write it at the same time. Only a thread that found its position taken writes it.
   */
  private final short[] last = new short[THREADS];

  private final ReentrantLock keyLock = new ReentrantLock();
  private volatile boolean closed;

  Ciphers(AeadEngine engine, Provider provider, byte[] key) throws AeadException {
    this(engine, provider, key, 2 * Runtime.getRuntime().availableProcessors());
  }

  /** Keeps at most this many ciphers, rounded up to a power of two and limited to 256. */
  Ciphers(AeadEngine engine, Provider provider, byte[] key, int most) throws AeadException {
    this.engine = engine;
    this.provider = provider;
    this.key = new AeadKey(key);
    int length = most >= MAX_KEPT ? MAX_KEPT : Integer.highestOneBit(2 * most - 1);
    kept = new AtomicReferenceArray<>(length);
    for (int i = 0; i < THREADS; i++) {
      last[i] = (short) (i & length - 1);
    }
    // An engine without the cipher is reported when the instance is created, not by its first call.
    acquire().release();
  }

  /**
   * A cipher that only the caller has, until it calls {@link KeyedCipher#release}.
   *
   * @throws IllegalStateException if this is closed
   */
  KeyedCipher acquire() throws EngineUnavailableException {
    int mask = kept.length() - 1;
    // The top byte of the product depends on every bit of the number.
    int thread = (int) (Thread.currentThread().getId() * 0x9e3779b97f4a7c15L >>> 56);
    int first = last[thread];
    for (int i = 0; i <= mask; i++) {
      int position = first + i & mask;
      KeyedCipher cipher = kept.get(position);
      if (cipher != null && !cipher.tryAcquire()) {
        continue;
      }
      if (i != 0) {
        last[thread] = (short) position;
      }
      return cipher != null ? cipher : create(position);
    }
    return create(-1);
  }

  /** Creates a cipher, which is kept if the position is one and is still empty. */
  private KeyedCipher create(int position) throws EngineUnavailableException {
    boolean keep = position >= 0;
    // Drawn singly where the rest of a block would be wasted.
    Nonces.Block block = new Nonces.Block(nonces, keep ? Nonces.Block.LENGTH : 1);
    KeyedCipher cipher = new KeyedCipher(engine, provider, copyOfKey(), block);
    keyLock.lock();
    try {
      // Nothing is added after close() has looked through the positions.
      if (!keep || closed || !kept.compareAndSet(position, null, cipher)) {
        cipher.close();
      }
    } finally {
      keyLock.unlock();
    }
    return cipher;
  }

  private AeadKey copyOfKey() {
    keyLock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the key was destroyed");
      }
      return key.copy();
    } finally {
      keyLock.unlock();
    }
  }

  /**
   * Destroys the key and the keys of all ciphers: if a call uses one, when the call ends, otherwise
   * before this returns. Every later {@link #acquire} fails.
   */
  void close() {
    keyLock.lock();
    try {
      closed = true;
      key.destroy();
    } finally {
      keyLock.unlock();
    }
    for (int i = 0; i < kept.length(); i++) {
      KeyedCipher cipher = kept.get(i);
      if (cipher != null) {
        cipher.close();
      }
    }
  }

  boolean isClosed() {
    return closed;
  }

  /** Accepts a nonce from the caller. */
  void take(byte[] nonce) throws NonceException {
    nonces.take(nonce);
  }

  /** For tests: the cipher at a position, or null. */
  KeyedCipher kept(int position) {
    return kept.get(position);
  }

  /** The number of ciphers that are kept at most. */
  int positions() {
    return kept.length();
  }
}

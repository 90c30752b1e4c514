package dev.cupel.aead;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The nonces of one instance: 96-bit big-endian numbers of which none is used twice (NIST SP
 * 800-38D, section 8.2). Threads share it without a lock.
 *
 * <p>Generated nonces count up from a random number. Two instances with one key collide only if
 * their random numbers are closer together than the number of messages: for n instances of q
 * messages the probability is below n * n * q / 2^96, less than with a random nonce for each
 * message. Threads draw them in {@linkplain Block blocks}, so that they rarely meet at the counter;
 * the nonces of one thread increase, the nonces of several interleave.
 */
final class Nonces {
  static final int LENGTH = 12;

  /** NIST SP 800-38D, section 8.3: the most calls with one key if nonces are random. */
  private static final long MAX_COUNT = 1L << 32;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** Created when the first nonce is needed, because a machine may have to wait for entropy. */
  private static final class Random {
    static final SecureRandom SOURCE = new SecureRandom();
  }

  /** Where the nonces come from. The first call decides, for good. */
  private sealed interface Origin permits Made, Given {}

  /** They are generated: a random number of 96 bits, and how many above it are drawn. */
  private static final class Made implements Origin {
    final int high = Random.SOURCE.nextInt();
    final long low = Random.SOURCE.nextLong();
    final AtomicLong drawn = new AtomicLong();
  }

  /**
   * They come from the caller: the upper 32 bits of the last one, with its lower 64 bits in the
   * superclass. Each value of the upper bits has one object, which replaces the object of a smaller
   * value.
   */
  private static final class Given extends AtomicLong implements Origin {
    private static final long serialVersionUID = 1L;
    final int high;

    Given(int high, long low) {
      super(low);
      this.high = high;
    }
  }

  private final AtomicReference<Origin> origin = new AtomicReference<>();
  private final long limit;

  Nonces() {
    this(MAX_COUNT);
  }

  /** For tests: with another number of nonces before the key must be replaced. */
  Nonces(long limit) {
    this.limit = limit;
  }

  /** A range of generated nonces, for one thread at a time. */
  static final class Block {
    /** How many nonces a thread draws at once; an instance that is closed wastes the rest. */
    static final int LENGTH = 256;

    private final Nonces nonces;
    private final int length;
    private Made made;
    private long next;
    private long end;

    /** An empty range, which draws this many nonces when it needs one. */
    Block(Nonces nonces, int length) {
      this.nonces = nonces;
      this.length = length;
    }

    /** Writes the next nonce to the caller's array. */
    void next(byte[] output, int offset) throws NonceException {
      if (next == end) {
        made = nonces.made();
        next = made.drawn.get() < nonces.limit ? made.drawn.getAndAdd(length) : nonces.limit;
        end = Math.min(next + length, nonces.limit);
        if (next >= end) {
          end = next;
          throw new NonceException("2^32 nonces are used: it is time for another key");
        }
      }
      write(made.high, made.low, next++, output, offset);
    }
  }

  /** Writes the sum of a number of 96 bits and one of 63. */
  static void write(int high, long low, long more, byte[] output, int offset) {
    long sum = low + more;
    boolean carry = Long.compareUnsigned(sum, low) < 0;
    INT.set(output, offset, carry ? high + 1 : high);
    LONG.set(output, offset + Integer.BYTES, sum);
  }

  private Made made() throws NonceException {
    Origin now = origin.get();
    if (now == null) {
      origin.compareAndSet(null, new Made());
      now = origin.get();
    }
    if (now instanceof Made) {
      return (Made) now;
    }
    throw new NonceException("this instance's nonces are given: one made here might be among them");
  }

  /** Accepts a nonce from the caller, which must be greater than all before it. */
  void take(byte[] nonce) throws NonceException {
    int high = (int) INT.get(nonce, 0);
    long low = (long) LONG.get(nonce, Integer.BYTES);
    while (true) {
      Origin now = origin.get();
      if (now instanceof Made) {
        throw new NonceException("this instance makes its nonces: a given one might be among them");
      }
      Given last = (Given) now;
      int order = last == null ? 1 : Integer.compareUnsigned(high, last.high);
      if (order > 0) {
        if (origin.compareAndSet(last, new Given(high, low))) {
          return;
        }
        continue;
      }
      long before = last.get();
      if (order < 0 || Long.compareUnsigned(low, before) <= 0) {
        throw new NonceException("the nonce is not above the one before it: nonces must rise");
      }
      // If another thread has replaced the object meanwhile, this nonce came before that one's.
      if (last.compareAndSet(before, low)) {
        return;
      }
    }
  }
}

package dev.cupel.tracer.inside;

import java.nio.ByteBuffer;
import java.security.Key;
import java.security.MessageDigest;
import java.security.Provider;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.ShortBufferException;

/**
 * The methods that Java's cryptographic classes call at the begin and the end of their own. They
 * write down lengths and counts, and never a byte of the data. They throw nothing. Safe for
 * threads.
 */
public final class Hooks {
  /** The event of a method that calls the others in its own work, and does not count. */
  public static final int WITHIN = 0;

  /** It is given a piece of a message. */
  public static final int UPDATE = 1;

  /** It ends a message. */
  public static final int FINAL = 2;

  /** It drops a message. */
  public static final int RESET = 3;

  /** It sets a key. */
  public static final int INIT = 4;

  /** It copies a context. */
  public static final int COPY = 5;

  /** It is given associated data of a message. */
  public static final int AD = 6;

  private static final ThreadLocal<ThreadState> THREADS = new ThreadLocal<>();
  private static final Stripe[] STRIPES = stripes();
  private static final AtomicInteger NEXT = new AtomicInteger();

  /** The time that a reading of the clock adds to a span, in ns. */
  static long readingNs;

  private Hooks() {}

  /** Starts counting into the folder. */
  public static void begin(String folder) {
    readingNs = reading();
    CountFile.begin(folder, STRIPES.length);
  }

  private static long reading() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 64; i++) {
      long start = System.nanoTime();
      least = Math.min(least, System.nanoTime() - start);
    }
    return least;
  }

  private static Stripe[] stripes() {
    int count = Integer.highestOneBit(4 * Math.min(Runtime.getRuntime().availableProcessors(), 64));
    Stripe[] all = new Stripe[count];
    for (int i = 0; i < count; i++) {
      all[i] = new Stripe(i);
    }
    return all;
  }

  /** A method begins. */
  public static void enter(int event, byte[] input) {
    enter(event, input == null ? 0 : input.length);
  }

  /** A method begins. */
  public static void enter(int event, ByteBuffer input) {
    enter(event, input == null ? 0 : input.remaining());
  }

  /** A method begins that is given this many bytes. */
  public static void enter(int event, int input) {
    ThreadState thread = THREADS.get();
    if (thread == null) {
      thread = new ThreadState(STRIPES[NEXT.getAndIncrement() & STRIPES.length - 1]);
      THREADS.set(thread);
    }
    if (thread.depth++ == 0) {
      thread.begin(event, input);
    }
  }

  /** A method returns. */
  public static void leave(Object context) {
    leave(0, context);
  }

  /** A method returns these bytes. */
  public static void leave(byte[] output, Object context) {
    leave(output == null ? 0 : output.length, context);
  }

  /** A method returns, and has written this many bytes. */
  public static void leave(int output, Object context) {
    ThreadState thread = THREADS.get();
    if (thread == null) {
      return;
    }
    if (thread.depth > 1 || thread.event == WITHIN) {
      thread.depth--;
      return;
    }
    long taken = thread.taken();
    try {
      if (context instanceof MessageDigest) {
        digest(thread, (MessageDigest) context, taken);
      } else if (context instanceof Mac) {
        mac(thread, (Mac) context, taken);
      } else {
        cipher(thread, (Cipher) context, output, taken);
      }
    } catch (Throwable e) {
      CountFile.lose();
    }
    thread.depth = 0;
  }

  /** A method sets a key of a cipher, and the cipher's operation. */
  public static void keyed(int mode, Object key, Object context) {
    ThreadState thread = THREADS.get();
    if (thread == null) {
      return;
    }
    if (thread.depth == 1) {
      long taken = thread.taken();
      try {
        init(thread, (Cipher) context, mode, key, taken);
      } catch (Throwable e) {
        CountFile.lose();
      }
    }
    thread.depth--;
  }

  /** A method returns a copy of a context. */
  public static void copied(Object copy, Object context) {
    ThreadState thread = THREADS.get();
    if (thread == null) {
      return;
    }
    if (thread.depth == 1) {
      try {
        Context source = Context.of(thread, context);
        if (source != null && copy != null) {
          Context target = Context.made(thread, copy);
          target.bytes = source.bytes;
          target.pieces = source.pieces;
          target.ad = source.ad;
          target.name = source.name;
          // Before a message began, the copy's key is one that was kept.
          target.isKeyed = source.isKeyed && source.pieces > 0;
        }
      } catch (Throwable e) {
        CountFile.lose();
      }
    }
    thread.depth--;
  }

  /** A method throws. */
  public static void failed(Throwable thrown, Object context) {
    ThreadState thread = THREADS.get();
    if (thread == null) {
      return;
    }
    if (thread.depth == 1 && thread.event == FINAL && !(thrown instanceof ShortBufferException)) {
      Context known = Context.of(thread, context);
      if (known != null) {
        known.forget();
      }
    }
    thread.depth--;
  }

  private static void digest(ThreadState thread, MessageDigest digest, long taken) {
    Provider provider = digest.getProvider();
    String algorithm = digest.getAlgorithm();
    // Elsewhere the name says it, and a digest that does not know its length takes long to find it.
    boolean asks = algorithm != null && algorithm.startsWith("BLAKE");
    int bits = asks ? 8 * digest.getDigestLength() : 0;
    RecentName recent = thread.digests;
    Name name =
        recent.is(provider, algorithm, bits)
            ? recent.name
            : recent.keep(provider, algorithm, bits, Names.digest(provider, algorithm, bits));
    thread.add(name, taken);
    if (thread.event == UPDATE) {
      Context.made(thread, digest).add(thread.input);
      return;
    }
    Context known = Context.of(thread, digest);
    if (thread.event == FINAL) {
      long bytes = thread.input;
      // `digest(bytes)` is a piece, `digest()` is none.
      int pieces = bytes > 0 ? 1 : 0;
      if (known != null) {
        bytes += known.bytes;
        pieces += known.pieces;
      }
      name.file.count(thread, name, CountFile.DIGEST, pieces, CountFile.NO_KEY, bytes, 0);
    }
    if (known != null) {
      known.forget();
    }
  }

  private static void mac(ThreadState thread, Mac mac, long taken) {
    Context known = Context.made(thread, mac);
    if (known.name == null || thread.event == INIT) {
      Provider provider = mac.getProvider();
      String algorithm = mac.getAlgorithm();
      RecentName recent = thread.macs;
      known.name =
          recent.is(provider, algorithm, 0)
              ? recent.name
              : recent.keep(provider, algorithm, 0, Names.mac(provider, algorithm));
    }
    thread.add(known.name, taken);
    if (thread.event == UPDATE) {
      known.add(thread.input);
    } else if (thread.event == FINAL) {
      end(thread, known, CountFile.MAC, thread.input);
    } else {
      known.forget();
      known.isKeyed |= thread.event == INIT;
    }
  }

  private static void init(ThreadState thread, Cipher cipher, int mode, Object key, long taken) {
    Context known = Context.made(thread, cipher);
    int number = System.identityHashCode(key);
    if (known.name == null || known.key != number) {
      Provider provider = cipher.getProvider();
      String algorithm = cipher.getAlgorithm();
      int bits = bits(key);
      RecentName recent = thread.ciphers;
      known.name =
          recent.is(provider, algorithm, bits)
              ? recent.name
              : recent.keep(provider, algorithm, bits, Names.cipher(provider, algorithm, bits));
      known.isKeyed = true;
      known.key = number;
    }
    known.operation =
        mode == Cipher.ENCRYPT_MODE
            ? CountFile.SEAL
            : mode == Cipher.DECRYPT_MODE ? CountFile.OPEN : 0;
    known.forget();
    thread.add(known.name, taken);
  }

  /** The length of a secret key; 0 if it is none, or does not say. */
  private static int bits(Object key) {
    if (!(key instanceof Key) || !"RAW".equals(((Key) key).getFormat())) {
      return 0;
    }
    byte[] encoded = ((Key) key).getEncoded();
    if (encoded == null) {
      return 0;
    }
    Arrays.fill(encoded, (byte) 0);
    return 8 * encoded.length;
  }

  private static void cipher(ThreadState thread, Cipher cipher, int output, long taken) {
    Context known = Context.of(thread, cipher);
    if (known == null || known.name == null) {
      return;
    }
    thread.add(known.name, taken);
    // The tag is in the input of opening, but not in the output.
    int bytes = known.operation == CountFile.OPEN ? output : thread.input;
    if (thread.event == UPDATE) {
      known.add(bytes);
    } else if (thread.event == AD) {
      known.ad += thread.input;
    } else if (thread.event == FINAL && known.operation != 0) {
      end(thread, known, known.operation, bytes);
    }
  }

  /** A message of a MAC or cipher has ended, with a last piece of this many bytes. */
  private static void end(ThreadState thread, Context known, int operation, int last) {
    int pieces = known.pieces + (thread.input > 0 ? 1 : 0);
    int key = known.isKeyed ? CountFile.PER_CALL : CountFile.KEPT;
    Name name = known.name;
    name.file.count(thread, name, operation, pieces, key, known.bytes + last, known.ad);
    known.forget();
    known.isKeyed = false;
  }
}

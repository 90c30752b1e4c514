package dev.cupel.tracer.inside;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The known facts on a digest, MAC or cipher whose message has begun, or that has a key. It keeps
 * none of them alive. Only one thread at a time may use a context: that is Java's own rule.
 */
final class Context extends WeakReference<Object> {
  private static final ReferenceQueue<Object> GONE = new ReferenceQueue<>();
  private static final ConcurrentHashMap<Object, Context> ALL = new ConcurrentHashMap<>();

  /** Bytes of the message so far, and in how many pieces they came. */
  long bytes;

  int pieces;

  /** Bytes of its associated data. */
  long ad;

  /** The key was set since the last message ended. */
  boolean isKeyed;

  /** The name of a cipher or MAC, since it has a key. */
  Name name;

  /** The operation of a cipher, one of {@link CountFile}'s, or 0. */
  int operation;

  /** The key of a cipher, as a number that distinguishes keys and reveals nothing about them. */
  int key;

  private final int hash;

  private Context(Object of) {
    super(of, GONE);
    hash = System.identityHashCode(of);
  }

  /** The record of a context; null if there is none. */
  static Context of(ThreadState thread, Object object) {
    Context last = thread.last;
    if (last != null && last.get() == object) {
      return last;
    }
    Probe probe = thread.probe;
    probe.object = object;
    Context found = ALL.get(probe);
    probe.object = null;
    if (found != null) {
      thread.last = found;
    }
    return found;
  }

  /** The same, made if it is unknown. */
  static Context made(ThreadState thread, Object object) {
    Context found = of(thread, object);
    if (found != null) {
      return found;
    }
    for (Object gone = GONE.poll(); gone != null; gone = GONE.poll()) {
      ALL.remove(gone);
    }
    Context made = new Context(object);
    ALL.put(made, made);
    thread.last = made;
    return made;
  }

  /** There is no message. */
  void forget() {
    bytes = 0;
    pieces = 0;
    ad = 0;
  }

  void add(long more) {
    bytes += more;
    pieces++;
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }
}

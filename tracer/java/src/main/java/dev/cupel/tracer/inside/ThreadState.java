package dev.cupel.tracer.inside;

/** The state of one thread. Only that thread uses it. */
final class ThreadState {
  /** The first calls of a thread, and calls with this many bytes, are all timed. */
  private static final int FIRST_CALLS = 128;

  private static final int LONG_CALL = 256 << 10;

  /** One in 64 of the others, on average. */
  private static final int INTERVAL = 64;

  /** A sample that took longer was interrupted: 50 us, and 8 ns for each byte. */
  private static final long DISTURBED_NS = 50_000;

  private static final long DISTURBED_NS_PER_BYTE = 8;

  private static final int NOT_TIMED = 0;
  private static final int EXACT = 1;
  private static final int SAMPLED = 2;

  /** How deep in calls. Only the outermost counts. */
  int depth;

  /** The event of the outermost call, one of {@link Hooks}'s. */
  int event;

  /** How many bytes it is given. */
  int input;

  /** The context that was used last, and the primitive whose calls the times below are. */
  Context last;

  Name timed;

  final RecentName digests = new RecentName();
  final RecentName macs = new RecentName();
  final RecentName ciphers = new RecentName();

  /** To find a context without making anything. */
  final Probe probe = new Probe();

  final Stripe stripe;

  long exactNs;
  long sampledNs;
  long samples;
  long disturbed;
  long calls;

  private int how;
  private long start;
  private int first = FIRST_CALLS;
  private int until;
  private int random = System.identityHashCode(this);

  ThreadState(Stripe stripe) {
    this.stripe = stripe;
  }

  void begin(int event, int input) {
    this.event = event;
    this.input = input;
    how = NOT_TIMED;
    if (event == Hooks.WITHIN) {
      return;
    }
    if (first > 0 || input >= LONG_CALL) {
      first -= first > 0 ? 1 : 0;
      how = EXACT;
      start = System.nanoTime();
    } else if (until-- == 0) {
      until = nextInterval() - 1;
      how = SAMPLED;
      start = System.nanoTime();
    }
  }

  /** Ends the measured part of a call. */
  long taken() {
    return how == NOT_TIMED ? 0 : Math.max(0, System.nanoTime() - start - Hooks.readingNs);
  }

  /** Adds the call that has just ended to the time of its primitive. */
  void add(Name name, long taken) {
    if (name != timed) {
      if (timed != null) {
        timed.file.count(this, 0, 0);
      }
      timed = name;
    }
    if (how == EXACT) {
      exactNs += taken;
      return;
    }
    calls++;
    if (how == SAMPLED && taken > DISTURBED_NS + DISTURBED_NS_PER_BYTE * input) {
      disturbed++;
    } else if (how == SAMPLED) {
      samples++;
      sampledNs += taken;
    }
  }

  private int nextInterval() {
    int x = random | 1;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    random = x;
    return 1 + Integer.remainderUnsigned(x, 2 * INTERVAL - 1);
  }
}

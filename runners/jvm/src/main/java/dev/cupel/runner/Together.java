package dev.cupel.runner;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A slice of several threads. Each makes its range of the untimed calls, they meet, and the first
 * thread reads the clock and lets all of them begin at once. The time ends with the last of them.
 */
final class Together {
  private final SliceRequest request;
  private final Part[] parts;
  private final Gate warm = new Gate();
  private final Gate start = new Gate();
  private long began;

  /** The work of one thread. */
  private static final class Part {
    long fold;
    Exception failed;
    long began;
    long ended;
    long allocated;
    Counters.Moment before;
    Counters.Moment after;
  }

  Together(SliceRequest request, int threads) {
    this.request = request;
    parts = new Part[threads];
    for (int i = 0; i < threads; i++) {
      parts[i] = new Part();
    }
  }

  /** Makes the calls of one thread. */
  void play(int index, Cell cell, Counters counters) {
    Part part = parts[index];
    long first = request.first();
    long preroll = request.preroll();
    try {
      long from = bound(preroll, index);
      cell.run(first + from, bound(preroll, index + 1) - from);
    } catch (Exception e) {
      part.failed = e;
    }
    meet(warm, index);
    long from = bound(request.iterations(), index);
    long count = bound(request.iterations(), index + 1) - from;
    part.before = counters.new Moment();
    part.allocated = Noise.allocated();
    meet(start, index);
    part.began = System.nanoTime();
    try {
      // After a failure the others must not wait for this thread.
      if (part.failed == null) {
        part.fold = cell.run(first + preroll + from, count);
      }
    } catch (Exception e) {
      part.failed = e;
    }
    part.ended = System.nanoTime();
    part.allocated = Noise.allocated() - part.allocated;
    part.after = counters.new Moment();
  }

  private void meet(Gate gate, int index) {
    if (index > 0) {
      gate.pass();
      return;
    }
    gate.await(parts.length - 1);
    began = System.nanoTime();
    gate.open = true;
  }

  /** The first of this many calls that a thread makes: count * index / threads, in 64 bits. */
  private long bound(long count, int index) {
    int all = parts.length;
    return count / all * index + count % all * index / all;
  }

  long fold() throws Exception {
    long fold = 0;
    for (Part part : parts) {
      if (part.failed != null) {
        throw part.failed;
      }
      fold += part.fold;
    }
    return fold;
  }

  long elapsed() {
    long elapsed = 0;
    for (Part part : parts) {
      elapsed = Math.max(elapsed, part.ended - began);
    }
    return elapsed;
  }

  long allocated() {
    long sum = 0;
    for (Part part : parts) {
      sum += part.allocated;
    }
    return sum;
  }

  /** Writes sums over the threads, and the longest time for which one of them did not run. */
  void noise(ReplyLine to) {
    long ran = 0;
    long waited = 0;
    long switched = 0;
    long off = 0;
    boolean waits = true;
    boolean counts = true;
    boolean slept = false;
    for (Part part : parts) {
      long own = part.after.noise.ran(part.before.noise);
      long wait = part.after.noise.waited(part.before.noise);
      ran += own;
      waits &= wait >= 0;
      waited += wait;
      counts &= part.before.switched >= 0 && part.after.switched >= 0;
      switched += part.after.switched - part.before.switched;
      slept |= part.before.slept < 0 || part.after.slept != part.before.slept;
      off = Math.max(off, part.ended - part.began - own);
    }
    to.text("\"cpu_ns\":").number(ran);
    if (waits) {
      to.text(",\"wait_ns\":").number(waited);
    }
    if (counts) {
      to.text(",\"involuntary\":").number(switched);
    }
    if (!slept) {
      to.text(",\"off_ns\":").number(off);
    }
    parts[0].after.noise.process(parts[0].before.noise, to);
  }

  /**
   * Holds threads until the first one opens it. They spin: to wake one takes longer than many a
   * slice. If they do not have processors of their own, they let others run after a while.
   */
  private static final class Gate {
    private static final int LOOKS = 1 << 12;
    private final AtomicInteger arrived = new AtomicInteger();
    private volatile boolean open;

    void pass() {
      arrived.incrementAndGet();
      for (int looks = 0; !open; looks++) {
        rest(looks);
      }
    }

    void await(int threads) {
      for (int looks = 0; arrived.get() < threads; looks++) {
        rest(looks);
      }
    }

    private static void rest(int looks) {
      if (looks < LOOKS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }
}

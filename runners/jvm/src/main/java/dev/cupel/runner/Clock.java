package dev.cupel.runner;

/** Measures the clock's resolution. */
final class Clock {
  private Clock() {}

  /** The smallest step between two readings, in ns. */
  static long resolution() {
    long least = Long.MAX_VALUE;
    long last = System.nanoTime();
    for (int i = 0; i < 20_000; i++) {
      long now = System.nanoTime();
      if (now > last) {
        least = Math.min(least, now - last);
      }
      last = now;
    }
    return least == Long.MAX_VALUE ? 1_000_000 : least;
  }
}

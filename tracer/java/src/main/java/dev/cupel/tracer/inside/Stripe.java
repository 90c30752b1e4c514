package dev.cupel.tracer.inside;

/**
 * Threads with the same stripe share their tables, and its lock. There are more stripes than
 * processors, so threads that run at the same time rarely meet; a table for each thread would not
 * do for a program with a million virtual ones.
 */
final class Stripe {
  final int index;

  Stripe(int index) {
    this.index = index;
  }
}

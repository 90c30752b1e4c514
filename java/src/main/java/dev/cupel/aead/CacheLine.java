package dev.cupel.aead;

/**
 * 64 bytes in front of the fields of a subclass, so that two neighbouring objects of it, which two
 * threads write, do not share a cache line.
 */
abstract class CacheLine {
  long a, b, c, d, e, f, g, h;
}

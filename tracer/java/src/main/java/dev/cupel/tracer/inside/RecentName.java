package dev.cupel.tracer.inside;

import java.security.Provider;

/** The name that a thread has looked up last: programs ask for the same one again and again. */
final class RecentName {
  Name name;
  private Provider provider;
  private String algorithm;
  private int bits;

  boolean is(Provider provider, String algorithm, int bits) {
    return name != null
        && this.provider == provider
        && this.algorithm == algorithm
        && this.bits == bits;
  }

  Name keep(Provider provider, String algorithm, int bits, Name name) {
    this.provider = provider;
    this.algorithm = algorithm;
    this.bits = bits;
    this.name = name;
    return name;
  }
}

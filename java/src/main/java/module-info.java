/**
 * Cupel's Java library: hashes in pure Java, or by the JDK where that is faster, and AES-256-GCM by
 * an available provider. It needs nothing but the platform.
 */
module dev.cupel {
  // It reports whether HotSpot has code of its own for SHA-256.
  requires jdk.management;

  exports dev.cupel.aead;
  exports dev.cupel.hash;
  exports dev.cupel.provider;

  provides java.security.Provider with
      dev.cupel.provider.CupelProvider;
}

/**
 * Cupel's Java library: hashes in Java alone, and AES-256-GCM by whichever provider is there. It
 * needs nothing but the platform.
 */
module dev.cupel {
  exports dev.cupel.aead;
  exports dev.cupel.hash;
  exports dev.cupel.provider;

  provides java.security.Provider with
      dev.cupel.provider.CupelProvider;
}

/**
 * Cupel's Java library: hashes in pure Java, and AES-256-GCM by an available provider. It needs
 * nothing but the platform.
 */
module dev.cupel {
  exports dev.cupel.aead;
  exports dev.cupel.hash;
  exports dev.cupel.provider;

  provides java.security.Provider with
      dev.cupel.provider.CupelProvider;
}

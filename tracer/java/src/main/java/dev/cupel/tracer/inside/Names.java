package dev.cupel.tracer.inside;

import java.security.Provider;
import java.util.Locale;
import java.util.Map;

/** Java's names of the primitives of the catalogue. */
final class Names {
  private static final Map<String, String> DIGESTS =
      Map.ofEntries(
          Map.entry("SHA", "sha1"),
          Map.entry("SHA1", "sha1"),
          Map.entry("SHA-1", "sha1"),
          Map.entry("SHA256", "sha256"),
          Map.entry("SHA-256", "sha256"),
          Map.entry("SHA512", "sha512"),
          Map.entry("SHA-512", "sha512"),
          Map.entry("SHA512/256", "sha512-256"),
          Map.entry("SHA-512/256", "sha512-256"),
          Map.entry("SHA3-256", "sha3-256"),
          Map.entry("BLAKE2B-512", "blake2b"),
          Map.entry("BLAKE2S-256", "blake2s"),
          Map.entry("BLAKE3-256", "blake3"));

  private static final Map<String, String> MACS =
      Map.of(
          "HMACSHA256", "hmac-sha256",
          "HMAC-SHA256", "hmac-sha256",
          "HMAC/SHA256", "hmac-sha256",
          "HMACSHA512", "hmac-sha512",
          "HMAC-SHA512", "hmac-sha512",
          "HMAC/SHA512", "hmac-sha512",
          "AESCMAC", "aes-cmac",
          "SIPHASH", "siphash-2-4",
          "SIPHASH-2-4", "siphash-2-4");

  private Names() {}

  /** The name of a provider, as `library` of a mix has it. */
  static String library(Provider provider) {
    String name = provider == null ? "java" : provider.getName();
    if (name.equalsIgnoreCase("SUN") || name.startsWith("Sun")) {
      return "jdk";
    }
    switch (name) {
      case "BC":
        return "bouncycastle";
      case "AmazonCorrettoCryptoProvider":
        return "accp";
      default:
        String plain = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        return plain.isEmpty() ? "java" : plain;
    }
  }

  /** A digest of this many bits. */
  static Name digest(Provider provider, String algorithm, int bits) {
    String found = DIGESTS.get(upper(algorithm));
    // Bouncy Castle has one name for all lengths of BLAKE.
    String primitive = found != null ? found : DIGESTS.get(upper(algorithm) + "-" + bits);
    return named(provider, algorithm, primitive);
  }

  static Name mac(Provider provider, String algorithm) {
    return named(provider, algorithm, MACS.get(upper(algorithm)));
  }

  /** A cipher, with a key of this many bits. */
  static Name cipher(Provider provider, String transformation, int bits) {
    return named(provider, transformation, aead(upper(transformation), bits));
  }

  private static String aead(String transformation, int bits) {
    String cipher = transformation.split("/")[0];
    String mode = transformation.substring(cipher.length());
    boolean isAes = cipher.equals("AES") || cipher.equals("AES_128") || cipher.equals("AES_256");
    if (isAes && mode.startsWith("/GCM/") && (bits == 128 || bits == 256)) {
      return "aes-" + bits + "-gcm";
    }
    if (isAes && mode.startsWith("/GCM-SIV/") && bits == 256) {
      return "aes-256-gcm-siv";
    }
    return cipher.equals("CHACHA20-POLY1305") ? "chacha20-poly1305" : null;
  }

  private static Name named(Provider provider, String algorithm, String primitive) {
    CountFile file = CountFile.of(library(provider));
    return file.name(primitive != null ? primitive : "?" + algorithm, primitive != null);
  }

  private static String upper(String name) {
    return name == null ? "" : name.toUpperCase(Locale.ROOT);
  }
}

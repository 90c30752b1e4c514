package dev.cupel.provider;

import java.security.Provider;

/**
 * {@link dev.cupel.hash.Sha256} and {@link dev.cupel.hash.HmacSha256} as services of the Java
 * Cryptography Architecture, so that an application switches by name: {@code
 * MessageDigest.getInstance("SHA-256", "Cupel")}, or for all of it with {@code
 * Security.insertProviderAt(new CupelProvider(), 1)}.
 */
public final class CupelProvider extends Provider {
  /** The name that {@code getInstance} takes. */
  public static final String NAME = "Cupel";

  private static final long serialVersionUID = 1L;

  /** Makes the provider; it is not yet registered. */
  public CupelProvider() {
    super(NAME, "0.1", "Cupel: SHA-256 and HMAC-SHA-256 in Java alone");
    put("MessageDigest.SHA-256", Sha256Spi.class.getName());
    put("Alg.Alias.MessageDigest.SHA256", "SHA-256");
    put("Alg.Alias.MessageDigest.2.16.840.1.101.3.4.2.1", "SHA-256");
    put("Alg.Alias.MessageDigest.OID.2.16.840.1.101.3.4.2.1", "SHA-256");
    put("Mac.HmacSHA256", HmacSha256Spi.class.getName());
    put("Alg.Alias.Mac.1.2.840.113549.2.9", "HmacSHA256");
    put("Alg.Alias.Mac.OID.1.2.840.113549.2.9", "HmacSHA256");
  }
}

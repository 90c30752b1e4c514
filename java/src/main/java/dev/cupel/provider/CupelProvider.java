package dev.cupel.provider;

import java.security.Provider;

/**
 * Provides {@link dev.cupel.hash.Sha256} and {@link dev.cupel.hash.HmacSha256} through the Java
 * Cryptography Architecture. An application selects them by name with {@code
 * MessageDigest.getInstance("SHA-256", "Cupel")}, or everywhere with {@code
 * Security.insertProviderAt(new CupelProvider(), 1)}.
 */
public final class CupelProvider extends Provider {
  /** The provider's name, for {@code getInstance}. */
  public static final String NAME = "Cupel";

  private static final long serialVersionUID = 1L;

  /** Creates the provider; it is not registered yet. */
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

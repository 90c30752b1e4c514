package dev.cupel.hash;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.Security;

/**
 * The JDK's own SHA-256, which HotSpot replaces by code of its own where the processor has
 * instructions for it. No Java is as fast as that. HotSpot reports whether it is there; nothing is
 * timed.
 */
final class JdkSha256 {
  /** The system property that decides instead: {@code java} or {@code jdk}. */
  static final String PROPERTY = "dev.cupel.hash.sha256";

  private static final boolean SELECTED = select(System.getProperty(PROPERTY));

  private JdkSha256() {}

  /** Whether it is used. */
  static boolean isSelected() {
    return SELECTED;
  }

  /** A new one. It is asked for by its provider: the first one that has SHA-256 might be ours. */
  static MessageDigest create() {
    try {
      return MessageDigest.getInstance("SHA-256", "SUN");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no SHA-256 of its own", e);
    }
  }

  /**
   * Whether it is used if the property has this value, or is absent.
   *
   * @throws IllegalArgumentException if the value is neither of the two
   */
  static boolean select(String asked) {
    if (asked != null && !asked.equals("java") && !asked.equals("jdk")) {
      throw new IllegalArgumentException(PROPERTY + " is " + asked + ", neither java nor jdk");
    }
    Provider sun = Security.getProvider("SUN");
    return sun != null
        && sun.getService("MessageDigest", "SHA-256") != null
        && (asked == null ? hasIntrinsic() : asked.equals("jdk"));
  }

  /**
   * Whether HotSpot has code of its own for SHA-256 on this processor. Its flag for SHA-256 is
   * hidden by default, that for the family is not. On x86-64 and AArch64 they agree.
   */
  private static boolean hasIntrinsic() {
    String arch = System.getProperty("os.arch", "");
    if (!arch.equals("amd64") && !arch.equals("x86_64") && !arch.equals("aarch64")) {
      return false;
    }
    try {
      HotSpotDiagnosticMXBean vm =
          ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
      return vm != null && vm.getVMOption("UseSHA").getValue().equals("true");
    } catch (LinkageError | RuntimeException e) {
      // Another VM, or one without the module jdk.management.
      return false;
    }
  }
}

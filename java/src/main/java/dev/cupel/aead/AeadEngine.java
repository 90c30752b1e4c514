package dev.cupel.aead;

import java.security.Provider;
import java.security.Security;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Who computes AES-256-GCM. Only the JDK's is always there; the others are found when they are on
 * the class path or the module path, and this library depends on none of them.
 */
public enum AeadEngine {
  /** The JDK's own provider, with HotSpot's intrinsics where the processor has AES instructions. */
  JDK(null, "SunJCE"),
  /** Amazon Corretto Crypto Provider: AWS-LC's native code. */
  ACCP(
      "com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider",
      "AmazonCorrettoCryptoProvider"),
  /** Conscrypt: BoringSSL's native code. */
  CONSCRYPT("org.conscrypt.OpenSSLProvider", "Conscrypt"),
  /** BouncyCastle: Java alone. */
  BOUNCY_CASTLE("org.bouncycastle.jce.provider.BouncyCastleProvider", "BC");

  /** The system property that names the engine of {@link #selected}: {@code jdk}, {@code accp}. */
  public static final String PROPERTY = "dev.cupel.aead.engine";

  private final String className;
  private final String providerName;

  AeadEngine(String className, String providerName) {
    this.className = className;
    this.providerName = providerName;
  }

  /**
   * The engine that the system property {@value #PROPERTY} names, else {@link #best}.
   *
   * @throws IllegalArgumentException where it names none, with the names that there are
   */
  public static AeadEngine selected() {
    String name = System.getProperty(PROPERTY);
    if (name == null || name.isBlank()) {
      return best();
    }
    String constant = name.strip().toUpperCase(Locale.ROOT).replace('-', '_');
    for (AeadEngine engine : values()) {
      if (engine.name().equals(constant)) {
        return engine;
      }
    }
    throw new IllegalArgumentException(
        PROPERTY + " is " + name + ", which is none of jdk, accp, conscrypt, bouncy-castle");
  }

  /**
   * The first that is there: of the JDK, ACCP, Conscrypt and BouncyCastle where HotSpot has AES
   * intrinsics (x86-64 and AArch64), elsewhere of the two with native code, the JDK and
   * BouncyCastle. The order comes from measurements over many calls, not from timing a few of them
   * here: that elects wrongly.
   */
  public static AeadEngine best() {
    String arch = System.getProperty("os.arch", "");
    boolean intrinsics = arch.equals("amd64") || arch.equals("x86_64") || arch.equals("aarch64");
    List<AeadEngine> order =
        intrinsics ? List.of(values()) : List.of(ACCP, CONSCRYPT, JDK, BOUNCY_CASTLE);
    for (AeadEngine engine : order) {
      if (engine.isAvailable()) {
        return engine;
      }
    }
    return JDK;
  }

  /** Those that are there, in the order of their declaration. */
  public static List<AeadEngine> available() {
    List<AeadEngine> found = new ArrayList<>();
    for (AeadEngine engine : values()) {
      if (engine.isAvailable()) {
        found.add(engine);
      }
    }
    return found;
  }

  /** Whether its provider can be loaded and works on this machine. */
  public boolean isAvailable() {
    try {
      return provider() != null;
    } catch (EngineUnavailableException e) {
      return false;
    }
  }

  /**
   * Its provider, which need not be registered.
   *
   * @throws EngineUnavailableException where it is not there or does not start, with the reason
   */
  Provider provider() throws EngineUnavailableException {
    Provider registered = Security.getProvider(providerName);
    if (registered != null) {
      return registered;
    }
    if (className == null) {
      throw new EngineUnavailableException(this, "this Java has no provider " + providerName, null);
    }
    return Loaded.get(this);
  }

  /** Providers that were loaded here; each is made once, because some of them start native code. */
  private static final class Loaded {
    private static final ClassValue<Object> MADE =
        new ClassValue<>() {
          @Override
          protected Object computeValue(Class<?> type) {
            try {
              return type.getDeclaredConstructor().newInstance();
            } catch (ReflectiveOperationException | LinkageError e) {
              return e;
            }
          }
        };

    static Provider get(AeadEngine engine) throws EngineUnavailableException {
      Object made;
      try {
        made = MADE.get(Class.forName(engine.className));
      } catch (ClassNotFoundException e) {
        throw new EngineUnavailableException(
            engine, engine.className + " is on neither the class path nor the module path", e);
      } catch (LinkageError e) {
        throw new EngineUnavailableException(engine, "it does not load: " + e, e);
      }
      if (made instanceof Provider) {
        return (Provider) made;
      }
      Throwable cause = (Throwable) made;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      throw new EngineUnavailableException(engine, "it does not start: " + cause, (Throwable) made);
    }
  }
}

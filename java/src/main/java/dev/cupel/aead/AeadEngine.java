package dev.cupel.aead;

import java.security.Provider;
import java.security.Security;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A provider that computes AES-256-GCM. Only the JDK's is always available. The others are found if
 * they are on the class path or the module path; this library does not depend on them.
 */
public enum AeadEngine {
  /** The JDK's own provider; HotSpot has intrinsics for it on processors with AES instructions. */
  JDK(null, "SunJCE"),
  /** Amazon Corretto Crypto Provider: AWS-LC's native code. */
  ACCP(
      "com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider",
      "AmazonCorrettoCryptoProvider"),
  /** Conscrypt: BoringSSL's native code. */
  CONSCRYPT("org.conscrypt.OpenSSLProvider", "Conscrypt"),
  /** BouncyCastle: pure Java. */
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
   * Returns the engine that the system property {@value #PROPERTY} names, otherwise {@link #best}.
   *
   * @throws IllegalArgumentException if the property does not name an engine; the message lists
   *     them
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
   * Returns the first available engine: of the JDK, ACCP, Conscrypt and BouncyCastle if HotSpot has
   * AES intrinsics (x86-64 and AArch64), otherwise of ACCP, Conscrypt, the JDK and BouncyCastle.
   * The order comes from measurements of many calls. Timing a few calls here would often choose
   * wrongly.
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

  /** The available engines, in the order of their declaration. */
  public static List<AeadEngine> available() {
    List<AeadEngine> found = new ArrayList<>();
    for (AeadEngine engine : values()) {
      if (engine.isAvailable()) {
        found.add(engine);
      }
    }
    return found;
  }

  /** Whether the engine's provider can be loaded and works on this machine. */
  public boolean isAvailable() {
    try {
      return provider() != null;
    } catch (EngineUnavailableException e) {
      return false;
    }
  }

  /**
   * The engine's provider, which need not be registered.
   *
   * @throws EngineUnavailableException if it is missing or does not start, with the reason
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

  /** The providers loaded so far. Each is created once, because some of them start native code. */
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

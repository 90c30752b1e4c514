package dev.cupel.runner;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The versions of this runner's libraries and of its JVM. */
final class Versions {
  private static final Properties BUILT = new Properties();

  static {
    try (InputStream in = Versions.class.getResourceAsStream("versions.properties")) {
      BUILT.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Versions() {}

  /** The version of a library in this build, or of the release that the tool puts in its place. */
  static String of(String library) {
    String version = System.getProperty("dev.cupel.version." + library, BUILT.getProperty(library));
    if (version == null) {
      throw new IllegalArgumentException("no version of " + library);
    }
    return version;
  }

  /** This Java in full: vendor, version and VM, because patch versions differ. */
  static String java() {
    return System.getProperty("java.vendor")
        + " "
        + System.getProperty("java.runtime.version")
        + ", "
        + System.getProperty("java.vm.name");
  }
}

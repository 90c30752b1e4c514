package dev.cupel.runner;

import java.security.NoSuchAlgorithmException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipException;

/** Turns an exception of a library or the JVM into a sentence that a person can act on. */
final class Trouble {
  /** How to get the libraries again. */
  static final String REMEDY = "rm -r runners/jvm/target, then run again: Maven fetches it again";

  private static final Pattern CLASS_FILE = Pattern.compile("class file version (\\d+)");

  private Trouble() {}

  static String inWords(Throwable thrown) {
    Throwable first = thrown;
    boolean initialising = false;
    while (!(first instanceof OutOfMemoryError) && first.getCause() != null) {
      initialising |= first instanceof ExceptionInInitializerError;
      first = first.getCause();
    }
    String words = inWordsAlone(first);
    return initialising ? "its static initialiser fails: " + words : words;
  }

  private static String inWordsAlone(Throwable thrown) {
    String said = String.valueOf(thrown.getMessage());
    if (thrown instanceof OutOfMemoryError) {
      long heap = Runtime.getRuntime().maxMemory() >> 20;
      return "out of memory ("
          + said
          + " in about "
          + heap
          + " MiB): give the family a larger -Xmx, or take smaller sizes";
    }
    if (thrown instanceof UnsupportedClassVersionError) {
      Matcher version = CLASS_FILE.matcher(said);
      String needed =
          version.find() ? "Java " + (Integer.parseInt(version.group(1)) - 44) : "a newer Java";
      return "needs "
          + needed
          + " and this is Java "
          + Runtime.version().feature()
          + " ("
          + said.split(" ", 2)[0].replace('/', '.')
          + ")";
    }
    // The JVM says "Could not initialize class" of a class that does exist.
    if (thrown instanceof ClassNotFoundException
        || thrown instanceof NoClassDefFoundError && !said.contains(" ")) {
      return said.replace('/', '.')
          + " is not in the runner's lib folder, or its jar is damaged: "
          + REMEDY;
    }
    if (thrown instanceof ClassFormatError
        || thrown instanceof ZipException
        || thrown instanceof SecurityException && said.contains("digest error")) {
      return "its jar is damaged (" + said + "): " + REMEDY;
    }
    if (thrown instanceof UnsatisfiedLinkError) {
      return "its native library does not load: " + said;
    }
    if (thrown instanceof NoSuchAlgorithmException) {
      return said + " (FIPS mode, or a native library that is not for this system?)";
    }
    return thrown.toString();
  }
}

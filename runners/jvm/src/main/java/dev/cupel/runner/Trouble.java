package dev.cupel.runner;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipException;

/** What a library or the JVM throws, in a sentence that a person can act on. */
final class Trouble {
  /** What brings the libraries anew. */
  static final String ANEW = "rm -r runners/jvm/target, then run again: Maven brings it anew";

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
    // "Could not initialize class" is said of one that is there.
    if (thrown instanceof ClassNotFoundException
        || thrown instanceof NoClassDefFoundError && !said.contains(" ")) {
      return said.replace('/', '.')
          + " is not in the runner's lib folder, or its jar is damaged: "
          + ANEW;
    }
    if (thrown instanceof ClassFormatError
        || thrown instanceof ZipException
        || thrown instanceof SecurityException && said.contains("digest error")) {
      return "its jar is damaged (" + said + "): " + ANEW;
    }
    if (thrown instanceof UnsatisfiedLinkError) {
      return "its native library does not load: " + said;
    }
    return thrown.toString();
  }
}

package dev.cupel.tracer;

import java.lang.instrument.Instrumentation;

/**
 * The class that a JVM calls before the program's {@code main}. This class runs on Java 8; all
 * others need Java 11. Whatever fails here, the program runs as without the tracer.
 */
public final class Premain {
  private Premain() {}

  /** Starts counting into the folder. */
  public static void premain(String folder, Instrumentation instrumentation) {
    try {
      Class.forName("dev.cupel.tracer.Agent")
          .getMethod("start", String.class, Instrumentation.class)
          .invoke(null, folder, instrumentation);
    } catch (Exception | LinkageError e) {
      Throwable why = e.getCause() != null ? e.getCause() : e;
      String java = System.getProperty("java.version");
      System.err.println(
          "cupel: the calls of this JVM (Java " + java + ") are not counted: " + why);
    }
  }
}

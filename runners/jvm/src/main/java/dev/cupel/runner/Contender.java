package dev.cupel.runner;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.security.NoSuchAlgorithmException;
import java.security.NoSuchProviderException;
import java.util.List;

/**
 * One row of the runner's table. Before a contender is chosen, only one class file of its library
 * is read, to see whether the library is present.
 *
 * @param name unique within the runner
 * @param library where the code comes from
 * @param version the library's version in this build
 * @param licence SPDX expression
 * @param summary how it is called
 * @param probe a class of the library, or null if it needs none
 * @param offers the operations that it implements
 * @param maker prepares it for a task
 */
public record Contender(
    String name,
    String library,
    String version,
    String licence,
    String summary,
    String probe,
    List<Offer> offers,
    Maker maker) {

  /** Creates calls. */
  public interface Maker {
    /** A call prepared for a task that the contender offers. */
    Call prepare(Task task) throws Exception;
  }

  /**
   * A primitive and an operation that a contender implements.
   *
   * @param key {@code prepared} or {@code per-call} if it supports only that one, otherwise null
   * @param shares whether several threads may make one call at the same time: it keeps nothing of a
   *     message, and the library documents that the prepared object is safe to share
   */
  public record Offer(String primitive, String operation, String key, boolean shares) {
    /** An offer that supports every contract, except that nothing is shared. */
    public Offer(String primitive, String operation) {
      this(primitive, operation, null, false);
    }

    /** The same offer, of a call that threads may share. */
    Offer shared() {
      return new Offer(primitive, operation, key, true);
    }
  }

  /** The call for one half of a round trip that it offers. */
  Call half(Task task, String operation) throws Refused {
    offered(task);
    return prepare(task.as(operation));
  }

  Call prepare(Task task) throws Refused {
    Refused missing = missing();
    if (missing != null) {
      throw missing;
    }
    offered(task);
    if (task.contract().prefix() > 0 && !task.operation().equals("digest")) {
      throw Refused.unsupported(task.operation() + " has no prefix");
    }
    try {
      Call call = maker.prepare(task);
      if (task.contract().prefix() > 0 && !call.copiesPrefix()) {
        throw Refused.unsupported(name + " copies no state");
      }
      return call;
    } catch (Exception | LinkageError e) {
      if (lacks(e)) {
        throw Refused.missing(
            library + " has no " + task.primitive() + " here: " + Trouble.inWords(e), null);
      }
      throw Refused.of(e);
    }
  }

  /**
   * Whether a provider could not be loaded, or has no such algorithm: it has no native library for
   * this system, or FIPS mode does not allow the algorithm. Before a call is prepared, nothing has
   * been answered, so nothing is wrong.
   */
  private static boolean lacks(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof NoSuchAlgorithmException
          || cause instanceof NoSuchProviderException
          || cause instanceof UnsatisfiedLinkError
          || cause instanceof NoClassDefFoundError
          || cause instanceof ExceptionInInitializerError) {
        return true;
      }
    }
    return false;
  }

  /** Refuses threads that share an object that this contender cannot share. */
  void checkShared(String primitive, String operation, Contract contract) throws Refused {
    Offer offer = offer(primitive, operation);
    boolean prepared = !contract.keyPerCall() && contract.chunk() == 0;
    if (contract.shared() && (offer == null || !offer.shares || !prepared)) {
      throw Refused.unsupported(name + " has nothing prepared that threads may share");
    }
  }

  private Offer offer(String primitive, String operation) {
    return offers.stream()
        .filter(o -> o.primitive.equals(primitive) && o.operation.equals(operation))
        .findFirst()
        .orElse(null);
  }

  /** Refuses a task that it does not offer. */
  private void offered(Task task) throws Refused {
    Offer offer = offer(task.primitive(), task.operation());
    if (offer == null) {
      throw Refused.unsupported(name + " has no " + task.operation() + " of " + task.primitive());
    }
    String key = task.contract().keyPerCall() ? "per-call" : "prepared";
    if (offer.key != null && !offer.key.equals(key)) {
      throw Refused.unsupported(name + " has its key schedule " + offer.key + " only");
    }
  }

  JsonObject listed() {
    JsonObject listed = new JsonObject();
    listed.addProperty("name", name);
    listed.addProperty("library", library);
    listed.addProperty("version", version);
    listed.addProperty("licence", licence);
    listed.addProperty("summary", summary);
    JsonArray array = new JsonArray();
    for (Offer offer : offers) {
      JsonObject one = new JsonObject();
      one.addProperty("primitive", offer.primitive);
      one.addProperty("operation", offer.operation);
      if (offer.key != null) {
        one.addProperty("key", offer.key);
      }
      array.add(one);
    }
    listed.add("offers", array);
    Refused missing = missing();
    if (missing != null) {
      JsonObject refusal = missing.reply();
      refusal.remove("status");
      listed.add("missing", refusal);
    }
    return listed;
  }

  private Refused missing() {
    if (probe == null) {
      return null;
    }
    try {
      Class.forName(probe, false, Contender.class.getClassLoader());
      return null;
    } catch (UnsupportedClassVersionError e) {
      return Refused.missing(
          library + " " + version + " " + Trouble.inWords(e),
          "take a newer JDK, or an older version of the library");
    } catch (ClassNotFoundException e) {
      return Refused.missing(
          library + " is not in the runner's lib folder, or its jar is damaged", Trouble.REMEDY);
    } catch (LinkageError | RuntimeException e) {
      // A jar whose signature does not match its content causes a SecurityException.
      return Refused.missing(library + " does not load: " + Trouble.inWords(e), Trouble.REMEDY);
    }
  }
}

package dev.cupel.runner;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;

/**
 * One row of the runner's table. Nothing of its library is loaded before it is chosen, beyond one
 * class file that shows that the library is there.
 *
 * @param name unique within the runner
 * @param library where the code comes from
 * @param version the library's, of the build
 * @param licence SPDX expression
 * @param summary how it is called
 * @param probe a class of the library, or null where it needs none
 * @param offers what it does
 * @param maker makes it ready for a task
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

  /** Makes calls. */
  public interface Maker {
    /** A call ready for a task that the contender offers. */
    Call ready(Task task) throws Exception;
  }

  /**
   * One thing that a contender does.
   *
   * @param key {@code prepared} or {@code per-call} where its key schedule has one place only, else
   *     null
   */
  public record Offer(String primitive, String operation, String key) {
    /** One that can keep every contract. */
    public Offer(String primitive, String operation) {
      this(primitive, operation, null);
    }
  }

  /** One half of a round trip that it offers. */
  Call half(Task task, String operation) throws Refused {
    offered(task);
    return ready(task.as(operation));
  }

  Call ready(Task task) throws Refused {
    Refused missing = missing();
    if (missing != null) {
      throw missing;
    }
    offered(task);
    try {
      return maker.ready(task);
    } catch (Exception | LinkageError e) {
      throw Refused.of(e);
    }
  }

  /** Refuses what it does not offer. */
  private void offered(Task task) throws Refused {
    Offer offer =
        offers.stream()
            .filter(
                o -> o.primitive.equals(task.primitive()) && o.operation.equals(task.operation()))
            .findFirst()
            .orElse(null);
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
          library + " is not in the runner's lib folder, or its jar is damaged", Trouble.ANEW);
    } catch (LinkageError | RuntimeException e) {
      // A jar whose signature does not fit what is in it is told by a SecurityException.
      return Refused.missing(library + " does not load: " + Trouble.inWords(e), Trouble.ANEW);
    }
  }
}

package dev.cupel.runner;

import com.google.gson.JsonObject;

/** A request or a case that is not fulfilled. */
public final class Refused extends Exception {
  private static final long serialVersionUID = 1L;

  private final String status;
  private final String remedy;

  private Refused(String status, String reason, String remedy) {
    super(reason, null, false, false);
    this.status = status;
    this.remedy = remedy;
  }

  /** It should have worked but did not. */
  public static Refused failed(String reason) {
    return new Refused("failed", reason, null);
  }

  /** The contender cannot do this by its nature. */
  public static Refused unsupported(String reason) {
    return new Refused("unsupported", reason, null);
  }

  /** The same, with a remedy. */
  public static Refused unsupported(String reason, String remedy) {
    return new Refused("unsupported", reason, remedy);
  }

  /** Something is not installed; the remedy may be null. */
  public static Refused missing(String reason, String remedy) {
    return new Refused("missing", reason, remedy);
  }

  /** Anything else that a library throws. */
  static Refused of(Throwable thrown) {
    if (thrown instanceof Refused) {
      return (Refused) thrown;
    }
    return failed(Trouble.inWords(thrown));
  }

  String status() {
    return status;
  }

  /** As a reply's fields. */
  JsonObject reply() {
    JsonObject reply = new JsonObject();
    reply.addProperty("status", status);
    reply.addProperty("reason", getMessage());
    if (remedy != null) {
      reply.addProperty("remedy", remedy);
    }
    return reply;
  }
}

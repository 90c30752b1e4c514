package dev.cupel.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Threads that share one prepared object. */
class SharedTest {
  private static Ask ask(String primitive, String operation, int key) {
    Ask ask = new Ask(primitive, operation).key(key);
    return operation.equals("mac") ? ask : ask.with("nonce", "counter");
  }

  @ParameterizedTest
  @CsvSource({
    "cupel-aead-jdk, aes-256-gcm, open, 32",
    "cupel-aead-accp, aes-256-gcm, open, 32",
    "cupel, siphash-2-4, mac, 16",
    "cupel, siphash-1-3-128, mac, 16"
  })
  void theyMakeTheCallsOfOne(String contender, String primitive, String operation, int key) {
    Server server = new Server(Contenders.all());
    Ask.ok(ask(primitive, operation, key).prepare(server, contender));
    String expected = Ask.slice(server, 0, 100, 2000).get("fold").getAsString();
    for (int threads : new int[] {2, 3}) {
      Ask shared =
          ask(primitive, operation, key).with("threads", threads).with("shared", "context");
      JsonObject reply = Ask.ok(shared.prepare(server, contender));
      assertEquals(threads, reply.getAsJsonArray("threads").size());
      assertEquals(expected, Ask.slice(server, 0, 100, 2000).get("fold").getAsString());
    }
  }

  @ParameterizedTest
  @CsvSource({
    // Not documented as safe to share.
    "jdk, aes-256-gcm, open, 32",
    "bouncycastle, siphash-2-4, mac, 16",
    "cupel, hmac-sha256, mac, 32",
    // Nonces that are given must increase over all threads.
    "cupel-aead-jdk, aes-256-gcm, seal, 32",
    "cupel-aead-jdk, aes-256-gcm, seal-open, 32"
  })
  void whatMustNotBeSharedIsUnsupported(
      String contender, String primitive, String operation, int key) {
    Server server = new Server(Contenders.all());
    Ask shared = ask(primitive, operation, key).with("threads", 2).with("shared", "context");
    String reason = Ask.unsupported(shared.prepare(server, contender));
    assertEquals(contender + " has nothing prepared that threads may share", reason);
    JsonObject one = new JsonObject();
    one.add("input", new JsonObject());
    one.getAsJsonObject("input").addProperty("hex", "00".repeat(20));
    one.addProperty("key", "00".repeat(key));
    one.addProperty("nonce", operation.equals("mac") ? "" : "00".repeat(12));
    // The whole request, not its case: else a contender would be wrong that only cannot share.
    JsonObject reply = shared.compute(server, contender, one);
    assertEquals(reason, Ask.unsupported(reply));
    assertTrue(reply.has("status"), reply.toString());
  }

  @Test
  void oneThreadAndAKeyInTheCallShareNothing() {
    Server server = new Server(Contenders.all());
    Ask alone = ask("aes-256-gcm", "open", 32).with("shared", "context");
    String reason = Ask.unsupported(alone.prepare(server, "cupel-aead-jdk"));
    assertEquals("one thread shares nothing", reason);
    Ask inside = ask("aes-256-gcm", "open", 32).with("threads", 2).with("shared", "context");
    reason = Ask.unsupported(inside.with("key", "per-call").prepare(server, "cupel-aead-jdk"));
    assertTrue(reason.contains("nothing prepared"), reason);
    Ask pieces = ask("siphash-2-4", "mac", 16).with("threads", 2).with("shared", "context");
    reason =
        Ask.unsupported(pieces.with("chunk", 8).prepare(new Server(Contenders.all()), "cupel"));
    assertTrue(reason.contains("nothing prepared"), reason);
    Ask unknown = ask("aes-256-gcm", "open", 32).with("threads", 2).with("shared", "buffers");
    assertTrue(Ask.unsupported(unknown.prepare(server, "cupel-aead-jdk")).contains("buffers"));
  }

  /** A call that waits, in a lock of its object or outside. */
  private static final class Waiting extends Call {
    /** In ns. */
    private static final long HOLD = 2_000_000;

    private final boolean locked;
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    Waiting(boolean locked) {
      this.locked = locked;
    }

    @Override
    public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to) {
      if (!locked) {
        return hold();
      }
      synchronized (this) {
        return hold();
      }
    }

    private int hold() {
      most.accumulateAndGet(inside.incrementAndGet(), Math::max);
      long end = System.nanoTime() + HOLD;
      for (long left = HOLD; left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      inside.decrementAndGet();
      return 0;
    }
  }

  /** Nanoseconds of twenty calls by two threads that share this one. */
  private static long elapsed(Waiting call) {
    AtomicInteger made = new AtomicInteger();
    Contender contender =
        new Contender(
            "waiting",
            "",
            "",
            "",
            "",
            null,
            List.of(new Contender.Offer("sha256", "digest").shared()),
            task -> {
              made.incrementAndGet();
              return call;
            });
    Server server = new Server(List.of(contender));
    Ask shared = new Ask("sha256", "digest").with("threads", 2).with("shared", "context");
    Ask.ok(shared.prepare(server, "waiting"));
    assertEquals(1, made.get(), "one object for both threads");
    return Ask.slice(server, 0, 0, 20).get("elapsed_ns").getAsLong();
  }

  @Test
  void aLockInWhatTheyShareCostsItsTime() {
    Waiting locked = new Waiting(true);
    long turns = elapsed(locked);
    assertEquals(1, locked.most.get());
    assertTrue(turns >= 20 * Waiting.HOLD, turns + " ns with a lock");
    // A busy machine may delay a thread, but not every time.
    Waiting free = new Waiting(false);
    long side = Long.MAX_VALUE;
    for (int attempt = 0; attempt < 20 && side > 0.7 * turns; attempt++) {
      side = Math.min(side, elapsed(free));
    }
    assertEquals(2, free.most.get(), "both were inside at once");
    assertTrue(side <= 0.7 * turns, turns + " ns with a lock, " + side + " ns without");
  }
}

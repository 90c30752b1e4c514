package dev.cupel.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.junit.jupiter.api.Test;

/** What a collection costs is known even if it takes less than the JVM's millisecond. */
class NoiseTest {
  private static JsonObject noise(Runnable work) {
    Noise before = new Noise();
    work.run();
    Noise after = new Noise();
    ReplyLine line = new ReplyLine();
    after.since(before, line.clear().text("{"));
    return JsonParser.parseString(line.text("}").toString()).getAsJsonObject();
  }

  @Test
  void aCollectionStopsTheThread() {
    noise(() -> {});
    assertEquals(0, noise(() -> {}).get("gc_ns").getAsLong());
    for (int i = 0; i < 10; i++) {
      long began = System.nanoTime();
      long stopped = noise(System::gc).get("gc_ns").getAsLong();
      long took = System.nanoTime() - began;
      // Each time, and in no steps of a millisecond.
      assertTrue(stopped > 0 && stopped <= took, stopped + " of " + took);
      assertTrue(stopped % 1_000_000 != 0, stopped + " is a multiple of 1 ms");
    }
  }
}

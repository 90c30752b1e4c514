package dev.cupel.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The cost of a collection is known, and is as in a process that has run for a long time. */
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

  /**
   * Otherwise each of the first collections would copy all objects that live as long as the
   * process.
   */
  @Test
  void theHeapIsCollectedOnceCellsArePrepared() {
    List<GarbageCollectorMXBean> full = fullCollectors();
    Server server = new Server(Contenders.all());
    Ask.ok(new Ask("sha256", "digest").prepare(server, "jdk"));
    long before = collections(full);
    Ask.slice(server, 0, 0, 1);
    assertEquals(before + 1, collections(full), "before the first slice");
    Ask.slice(server, 1, 0, 1);
    assertEquals(before + 1, collections(full), "not before later ones");
  }

  /** Those that collect the whole heap if asked. */
  private static List<GarbageCollectorMXBean> fullCollectors() {
    List<GarbageCollectorMXBean> all = ManagementFactory.getGarbageCollectorMXBeans();
    List<Long> before = all.stream().map(GarbageCollectorMXBean::getCollectionCount).toList();
    System.gc();
    return all.stream()
        .filter(one -> one.getCollectionCount() > before.get(all.indexOf(one)))
        .toList();
  }

  private static long collections(List<GarbageCollectorMXBean> collectors) {
    return collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
  }
}

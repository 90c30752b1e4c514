package dev.cupel;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** The bytes that a call allocates once it is compiled. */
public final class Allocation {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Allocation() {}

  /** The smallest of several batches, because the JVM itself allocates now and then. */
  public static double perCall(Runnable call) {
    for (int i = 0; i < 30_000; i++) {
      call.run();
    }
    long least = Long.MAX_VALUE;
    for (int batch = 0; batch < 10; batch++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 1000; i++) {
        call.run();
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    return least / 1000.0;
  }
}

package dev.cupel.runner;

import dev.cupel.runner.Contender.Offer;
import dev.cupel.runner.contenders.Empty;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * Contenders whose true ratios are known by construction, in the place of the JVM runner's own
 * table: this class comes first on the class path, and all else is the runner as it ships.
 *
 * <p>A call is the JDK's SHA-256 of the message, then a chain of steps each of which waits for the
 * one before. The chain begins with the digest, so that the two do not overlap. The contenders
 * differ only in the number of steps.
 */
final class Contenders {
  /** The chain takes nearly all of a call. Every share below is a whole number of steps. */
  private static final int STEPS = 40_000;

  private static final int PERCENT = STEPS / 100;

  private Contenders() {}

  static List<Contender> all() {
    List<Contender> all = new ArrayList<>();
    all.add(
        new Contender(
            "empty",
            "cupel",
            Versions.of("runner"),
            "MIT OR Apache-2.0",
            "nothing, through the same call: what the runner itself costs",
            null,
            List.of(new Offer("empty", "digest")),
            task -> new Empty()));
    all.add(known("same", 0));
    all.add(known("copy-1", 0));
    all.add(known("copy-2", 0));
    all.add(known("copy-3", 0));
    all.add(known("plus-1", 1));
    all.add(known("plus-2", 2));
    all.add(known("plus-3", 3));
    all.add(known("plus-5", 5));
    return all;
  }

  private static Contender known(String name, int percent) {
    return new Contender(
        name,
        "Cupel's evidence",
        "1",
        "MIT OR Apache-2.0",
        "MessageDigest, then a chain of counted steps",
        null,
        List.of(new Offer("sha256", "digest")),
        task -> {
          task.inOnePiece();
          return new Known(STEPS + percent * PERCENT);
        });
  }

  private static final class Known extends Call {
    private final MessageDigest digest = MessageDigest.getInstance("SHA-256");
    private final int steps;
    private long sink;

    Known(int steps) throws Exception {
      this.steps = steps;
    }

    @Override
    public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to)
        throws Exception {
      digest.update(input, offset, length);
      digest.digest(output, to, 32);
      sink = chain(Bytes.word(output, to), steps);
      return 32;
    }

    /** Three operations that each wait for the last. No compiler can combine two steps into one. */
    private static long chain(long x, int steps) {
      for (int left = steps; left > 0; left--) {
        x = (x ^ (x >>> 29)) * 0xbf58476d1ce4e5b9L;
      }
      return x;
    }
  }
}

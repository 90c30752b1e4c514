package dev.cupel.hash;

/**
 * The message schedules of sixteen blocks at once. The schedule of one block cannot be vectorised,
 * for each word waits for the one before the last; those of sixteen can, side by side in one array,
 * and HotSpot's C2 does so by itself: it costs a seventh. The rounds stay one block after the
 * other.
 */
final class Sha256Lanes {
  /** Blocks side by side: the fewest that let C2 fill a vector of 512 bits. */
  static final int COUNT = 16;

  /**
   * From so many blocks on, sixteen schedules at once, some of them of nothing, cost less than so
   * many one by one.
   */
  static final int WORTHWHILE = 6;

  /** Word t of block b is number 16 t + b. */
  private static final int WORDS = 64 * COUNT;

  private final int[] w = new int[WORDS];

  /**
   * Makes the schedules of {@code count} blocks, the first at {@code offset}, each {@code stride}
   * bytes behind the one before it.
   */
  void schedule(byte[] input, int offset, int stride, int count) {
    for (int lane = 0; lane < count; lane++) {
      load(w, lane, input, offset + lane * stride);
    }
    expand(w);
  }

  /** Takes a block into a state. */
  void compress(int[] state, int lane, int[] wk) {
    Sha256Block.compressColumn(state, w, lane, wk);
  }

  void clear() {
    java.util.Arrays.fill(w, 0);
  }

  private static void load(int[] w, int lane, byte[] input, int offset) {
    for (int t = 0; t < 16; t++) {
      w[t * COUNT + lane] = Sha256Block.word(input, offset + 4 * t);
    }
  }

  /** One loop over one array and nothing else, or C2 does not vectorise it. */
  private static void expand(int[] w) {
    for (int i = 16 * COUNT; i < WORDS; i++) {
      int old = w[i - 15 * COUNT];
      int recent = w[i - 2 * COUNT];
      w[i] =
          w[i - 16 * COUNT]
              + w[i - 7 * COUNT]
              + (Integer.rotateRight(old, 7) ^ Integer.rotateRight(old, 18) ^ old >>> 3)
              + (Integer.rotateRight(recent, 17) ^ Integer.rotateRight(recent, 19) ^ recent >>> 10);
    }
  }
}

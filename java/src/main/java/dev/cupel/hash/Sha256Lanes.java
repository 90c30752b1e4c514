package dev.cupel.hash;

/**
 * The message schedules of sixteen blocks at once. The schedule of one block cannot be vectorised,
 * because each word waits for the one before the last. The schedules of sixteen blocks, side by
 * side in one array, can be: HotSpot's C2 does it by itself, and they cost a seventh. The rounds
 * are still computed one block after the other.
 */
final class Sha256Lanes {
  /** Blocks side by side: the fewest with which C2 fills a vector of 512 bits. */
  static final int COUNT = 16;

  /**
   * From this number of blocks on, sixteen schedules at once, some of them unused, cost less than
   * the schedules one by one.
   */
  static final int WORTHWHILE = 6;

  /** Word t of block b is number 16 t + b. */
  private static final int WORDS = 64 * COUNT;

  private final int[] w = new int[WORDS];

  /**
   * Computes the schedules of {@code count} blocks, the first at {@code offset}, each {@code
   * stride} bytes after the one before it.
   */
  void schedule(byte[] input, int offset, int stride, int count) {
    for (int lane = 0; lane < count; lane++) {
      load(w, lane, input, offset + lane * stride);
    }
    expand(w);
  }

  /** Updates a state with a block. */
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

  /** One loop over one array and nothing else; otherwise C2 does not vectorise it. */
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

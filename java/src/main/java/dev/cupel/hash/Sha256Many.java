package dev.cupel.hash;

import java.util.Arrays;

/**
 * In pure Java: sixteen messages at a time advance block by block, so that the schedules of sixteen
 * blocks are computed together even if the messages are short.
 */
final class Sha256Many extends Sha256Path {
  private static final int BLOCK = Sha256Block.LENGTH;
  private static final int LANES = Sha256Lanes.COUNT;

  private final Sha256Lanes lanes = new Sha256Lanes();
  private final int[][] states = new int[LANES][8];
  private final int[] wk = new int[64];
  private final byte[] last = new byte[LANES * BLOCK];

  /** For one message that has no others to be computed with. */
  private final Sha256 single = new Sha256();

  @Override
  void digest(byte[] input, int offset, int size, int count, byte[] output, int outputOffset) {
    if (count == 1) {
      single.hash(input, offset, size, output, outputOffset);
      return;
    }
    for (int i = 0; i < count; i += LANES) {
      int at = offset + i * size;
      int to = outputOffset + i * Sha256.DIGEST_LENGTH;
      group(input, at, size, Math.min(LANES, count - i), output, to);
    }
  }

  private void group(byte[] input, int offset, int size, int count, byte[] output, int to) {
    for (int lane = 0; lane < count; lane++) {
      Sha256Block.init(states[lane]);
    }
    int whole = size & -BLOCK;
    for (int at = 0; at < whole; at += BLOCK) {
      compress(input, offset + at, size, count);
    }
    int rest = size - whole;
    for (int lane = 0; lane < count; lane++) {
      System.arraycopy(input, offset + lane * size + whole, last, lane * BLOCK, rest);
      Sha256Block.pad(last, lane * BLOCK, rest);
    }
    if (rest > Sha256Block.MAX_FILLED_WITH_LENGTH) {
      compress(last, 0, BLOCK, count);
      Arrays.fill(last, (byte) 0);
    }
    for (int lane = 0; lane < count; lane++) {
      Sha256Block.putLength(last, lane * BLOCK, size);
    }
    compress(last, 0, BLOCK, count);
    for (int lane = 0; lane < count; lane++) {
      Sha256Block.put(states[lane], output, to + lane * Sha256.DIGEST_LENGTH);
    }
  }

  private void compress(byte[] input, int offset, int stride, int count) {
    lanes.schedule(input, offset, stride, count);
    for (int lane = 0; lane < count; lane++) {
      lanes.compress(states[lane], lane, wk);
    }
  }
}

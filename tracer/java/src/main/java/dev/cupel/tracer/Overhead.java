package dev.cupel.tracer;

import java.security.MessageDigest;
import java.util.Arrays;

/**
 * The time that the tracer adds to a message in a JVM, in ns: {@code java 31.2} on standard output.
 *
 * <p>Started with the tracer. Two copies of a digest that computes nothing are called alternately:
 * one by the methods that Java has, with hooks, and one by methods that do the same without hooks.
 * The result is the median of the differences. A message is an update and a digest.
 */
public final class Overhead {
  private static final int WARM_UP = 200;
  private static final int TURNS = 101;
  private static final int CALLS = 500;

  private Overhead() {}

  /** Prints it; nothing if this JVM is not traced. */
  public static void main(String[] arguments) {
    Nothing traced = new Nothing();
    Nothing plain = new Nothing();
    byte[] data = new byte[64];
    double[] differences = new double[TURNS];
    for (int turn = -WARM_UP; turn < TURNS; turn++) {
      long begin = System.nanoTime();
      for (int i = 0; i < CALLS; i++) {
        traced.update(data, 0, data.length);
        traced.digest();
      }
      long between = System.nanoTime();
      for (int i = 0; i < CALLS; i++) {
        plain.plainUpdate(data, 0, data.length);
        plain.plainDigest();
      }
      long end = System.nanoTime();
      if (turn >= 0) {
        differences[turn] = (double) (between - begin - (end - between)) / CALLS;
      }
    }
    Arrays.sort(differences);
    System.out.printf(java.util.Locale.ROOT, "java %.1f%n", differences[TURNS / 2]);
  }

  private static final class Nothing extends MessageDigest {
    private final byte[] result = new byte[32];
    private int state;
    private long bytes;

    Nothing() {
      super("SHA-256");
    }

    /** The work of {@link MessageDigest#update(byte[], int, int)}. */
    void plainUpdate(byte[] input, int offset, int length) {
      if (input == null) {
        throw new IllegalArgumentException("No input buffer given");
      }
      if (input.length - offset < length) {
        throw new IllegalArgumentException("Input buffer too short");
      }
      engineUpdate(input, offset, length);
      state = 1;
    }

    /** The work of {@link MessageDigest#digest()}. */
    byte[] plainDigest() {
      byte[] digest = engineDigest();
      state = 0;
      return digest;
    }

    @Override
    protected void engineUpdate(byte input) {
      bytes++;
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int length) {
      bytes += length;
    }

    @Override
    protected byte[] engineDigest() {
      result[0] = (byte) (bytes + state);
      return result;
    }

    @Override
    protected void engineReset() {
      bytes = 0;
    }
  }
}

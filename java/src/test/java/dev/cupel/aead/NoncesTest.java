package dev.cupel.aead;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Nonces of several threads: none twice, and as many as the standard allows. */
class NoncesTest {
  private static final int THREADS = 8;

  @Test
  void oneThreadCountsUpThroughEveryCarry() throws Exception {
    Nonces.Block block = new Nonces.Block(new Nonces(), 256);
    BigInteger before = number(next(block));
    BigInteger all = BigInteger.ONE.shiftLeft(96);
    // The last two bytes have carried at least once.
    for (int i = 0; i < 70_000; i++) {
      BigInteger now = number(next(block));
      assertEquals(before.add(BigInteger.ONE).mod(all), now);
      before = now;
    }
  }

  /** The lower 64 bits rarely overflow by chance: 2^32 of 2^64 starting points do. */
  @Test
  void theUpperBitsGetTheCarryOfTheLowerOnes() {
    byte[] output = new byte[13];
    Nonces.write(0x01020304, -2, 1, output, 1);
    assertArrayEquals(new byte[] {0, 1, 2, 3, 4, -1, -1, -1, -1, -1, -1, -1, -1}, output);
    Nonces.write(0x01020304, -2, 2, output, 1);
    assertArrayEquals(new byte[] {0, 1, 2, 3, 5, 0, 0, 0, 0, 0, 0, 0, 0}, output);
    Nonces.write(-1, -1, 1, output, 1);
    assertArrayEquals(new byte[13], output);
  }

  @Test
  void blocksOfSeveralThreadsHaveNoNonceInCommonAndEndAtTheLimit() throws Exception {
    int limit = 100_000;
    Nonces nonces = new Nonces(limit);
    List<Set<String>> made =
        together(
            thread ->
                () -> {
                  Nonces.Block block = new Nonces.Block(nonces, thread % 2 == 0 ? 256 : 1);
                  Set<String> own = new HashSet<>();
                  try {
                    while (true) {
                      assertTrue(own.add(number(next(block)).toString()));
                    }
                  } catch (NonceException e) {
                    assertThrows(NonceException.class, () -> next(block), "and it stays so");
                    return own;
                  }
                });
    Set<String> all = new HashSet<>();
    int sum = 0;
    for (Set<String> own : made) {
      all.addAll(own);
      sum += own.size();
    }
    assertEquals(limit, sum);
    assertEquals(limit, all.size(), "some nonce was made twice");
  }

  /** Every thread offers every number; each number is accepted once at most, in rising order. */
  @Test
  void aGivenNonceIsAcceptedOnceWhicheverThreadBringsIt() throws Exception {
    Nonces nonces = new Nonces();
    CyclicBarrier barrier = new CyclicBarrier(THREADS);
    List<List<Integer>> taken =
        together(
            thread ->
                () -> {
                  List<Integer> own = new ArrayList<>();
                  for (int i = 0; i < 20_000; i++) {
                    if (i % 100 == 0) {
                      barrier.await();
                    }
                    byte[] nonce = new byte[12];
                    // Every eighth has new upper bits.
                    nonce[2] = (byte) (i >> 11);
                    nonce[3] = (byte) (i >> 3);
                    nonce[11] = (byte) (i & 7);
                    try {
                      nonces.take(nonce);
                      own.add(i);
                    } catch (NonceException e) {
                      // Another thread was before.
                    }
                  }
                  return own;
                });
    Set<Integer> all = new TreeSet<>();
    int sum = 0;
    for (List<Integer> own : taken) {
      all.addAll(own);
      sum += own.size();
      for (int i = 1; i < own.size(); i++) {
        assertTrue(own.get(i - 1) < own.get(i));
      }
    }
    assertEquals(all.size(), sum, "some nonce was accepted twice");
    assertTrue(all.contains(19_999), "the greatest is always accepted");
  }

  private static byte[] next(Nonces.Block block) throws NonceException {
    byte[] nonce = new byte[12];
    block.next(nonce, 0);
    return nonce;
  }

  private static BigInteger number(byte[] nonce) {
    return new BigInteger(1, nonce);
  }

  private interface Job<T> {
    Callable<T> of(int thread);
  }

  private static <T> List<T> together(Job<T> job) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<T>> futures = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        futures.add(executor.submit(job.of(thread)));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get(200, TimeUnit.SECONDS));
      }
      return results;
    } finally {
      executor.shutdownNow();
    }
  }
}

package dev.cupel.aead;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cupel.Allocation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One instance and many threads: no wrong output, no nonce twice, no waiting, no key left. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AeadThreadsTest {
  private static final int THREADS = 16;
  private static final int MESSAGES = 1500;
  private static final byte[] KEY = new byte[32];
  private static final byte[] AD = {1, 2, 3};

  static {
    Arrays.fill(KEY, (byte) 7);
  }

  @ParameterizedTest
  @EnumSource
  void eachOutputIsThatOfItsOwnMessage(AeadEngine engine) throws Exception {
    try (Aead shared = Aead.of(engine, KEY)) {
      Set<String> nonces = ConcurrentHashMap.newKeySet();
      together(Executors.newFixedThreadPool(THREADS), THREADS, worker(engine, shared, nonces));
      assertEquals(THREADS * MESSAGES, nonces.size());
    }
  }

  @ParameterizedTest
  @EnumSource
  void virtualThreadsToo(AeadEngine engine) throws Exception {
    ExecutorService executor = virtualThreads();
    Set<String> nonces = ConcurrentHashMap.newKeySet();
    try (Aead shared = Aead.of(engine, KEY)) {
      together(executor, THREADS, worker(engine, shared, nonces));
      assertEquals(THREADS * MESSAGES, nonces.size());
    }
  }

  private static Work worker(AeadEngine engine, Aead shared, Set<String> nonces) {
    return thread -> {
      // Another instance checks, so that a fault of the shared one does not cancel out.
      Aead own = Aead.of(engine, KEY);
      Random random = new Random(thread);
      for (int i = 0; i < MESSAGES; i++) {
        byte[] plaintext = new byte[random.nextInt(300)];
        random.nextBytes(plaintext);
        byte[] sealed = shared.seal(plaintext, AD);
        assertTrue(nonces.add(Arrays.toString(Arrays.copyOf(sealed, 12))), "a nonce twice");
        assertArrayEquals(plaintext, own.open(sealed, AD));
        assertArrayEquals(plaintext, shared.open(sealed, AD));
        sealed[sealed.length - 1] ^= 1;
        assertThrows(AuthenticationException.class, () -> shared.open(sealed, AD));
      }
    };
  }

  /** Every call answers correctly or says that the instance is closed; then no key is left. */
  @ParameterizedTest
  @EnumSource
  void closingWhileThreadsWork(AeadEngine engine) throws Exception {
    for (int round = 0; round < 20; round++) {
      Ciphers ciphers = new Ciphers(engine, engine.provider(), KEY, 4);
      Aead shared = new Aead(engine, ciphers);
      Aead checker = Aead.of(engine, KEY);
      byte[] before = checker.seal(AD, AD);
      CountDownLatch working = new CountDownLatch(THREADS);
      Work work =
          thread -> {
            for (int i = 0; ; i++) {
              byte[] plaintext = {(byte) thread, (byte) i, 5};
              byte[] sealed;
              byte[] opened;
              try {
                sealed = shared.seal(plaintext, AD);
                opened = shared.open(before, AD);
              } catch (IllegalStateException e) {
                assertEquals("the key was destroyed", e.getMessage());
                assertTrue(shared.isDestroyed());
                return;
              }
              synchronized (checker) {
                assertArrayEquals(plaintext, checker.open(sealed, AD));
              }
              assertArrayEquals(AD, opened);
              if (i == 10) {
                working.countDown();
              }
            }
          };
      Work closer =
          thread -> {
            try {
              assertTrue(working.await(60, TimeUnit.SECONDS), "a thread has failed");
            } finally {
              shared.close();
            }
            assertThrows(IllegalStateException.class, () -> shared.seal(AD));
            assertThrows(IllegalStateException.class, () -> shared.open(before, AD));
          };
      together(
          Executors.newCachedThreadPool(),
          THREADS + 1,
          thread -> (thread == THREADS ? closer : work).run(thread));
      for (int i = 0; i < ciphers.positions(); i++) {
        KeyedCipher kept = ciphers.kept(i);
        assertTrue(kept == null || kept.isDestroyed(), "position " + i);
      }
    }
  }

  @Test
  void aThreadWaitsForNoOther() throws Exception {
    Ciphers ciphers = new Ciphers(AeadEngine.JDK, AeadEngine.JDK.provider(), KEY, 2);
    Aead shared = new Aead(AeadEngine.JDK, ciphers);
    List<KeyedCipher> held = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      KeyedCipher one = ciphers.acquire();
      for (KeyedCipher other : held) {
        assertNotSame(other, one);
      }
      held.add(one);
    }
    // More than are kept are in calls that do not end, yet others can work.
    together(Executors.newCachedThreadPool(), 3, thread -> shared.open(shared.seal(AD, KEY), KEY));
    held.forEach(KeyedCipher::release);
    int kept = 0;
    for (KeyedCipher one : held) {
      kept += one.isDestroyed() ? 0 : 1;
    }
    assertEquals(2, ciphers.positions());
    assertEquals(2, kept, "those beyond the limit are destroyed when they are released");
  }

  /**
   * Two threads that met at a position have one each from then on, wherever they were numbered to.
   */
  @Test
  void threadsThatMetPart() throws Exception {
    Ciphers ciphers = new Ciphers(AeadEngine.JDK, AeadEngine.JDK.provider(), KEY, 4);
    ExecutorService first = Executors.newSingleThreadExecutor();
    List<ExecutorService> others = new ArrayList<>();
    try {
      KeyedCipher its = first.submit(ciphers::acquire).get();
      its.release();
      int met = 0;
      for (int i = 0; i < 64 && met < 3; i++) {
        ExecutorService other = Executors.newSingleThreadExecutor();
        others.add(other);
        KeyedCipher before = other.submit(ciphers::acquire).get();
        before.release();
        assertSame(its, first.submit(ciphers::acquire).get(), "nothing has taken it meanwhile");
        KeyedCipher beside = other.submit(ciphers::acquire).get();
        assertNotSame(its, beside);
        beside.release();
        its.release();
        assertSame(beside, other.submit(ciphers::acquire).get(), "it comes back to the same");
        beside.release();
        met += before == its ? 1 : 0;
      }
      assertTrue(met > 0, "no thread looked first where another did, so this shows nothing");
    } finally {
      first.shutdownNow();
      others.forEach(ExecutorService::shutdownNow);
    }
  }

  /** Many threads that end: the next ones use their ciphers again. */
  @Test
  void threadsThatEndLeaveNothing() throws Exception {
    Ciphers ciphers = new Ciphers(AeadEngine.JDK, AeadEngine.JDK.provider(), KEY, 4);
    Aead shared = new Aead(AeadEngine.JDK, ciphers);
    Set<KeyedCipher> seen = ConcurrentHashMap.newKeySet();
    for (int i = 0; i < 500; i++) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  shared.seal(AD);
                  KeyedCipher one = ciphers.acquire();
                  seen.add(one);
                  one.release();
                } catch (AeadException e) {
                  throw new AssertionError(e);
                }
              });
      thread.start();
      thread.join();
    }
    assertTrue(seen.size() <= 4, seen.size() + " ciphers for threads that never ran together");
  }

  /** The ciphers themselves no longer have the key, also those that a call had during close. */
  @ParameterizedTest
  @EnumSource
  void theEnginesCiphersLoseTheKey(AeadEngine engine) throws Exception {
    Ciphers ciphers = new Ciphers(engine, engine.provider(), KEY, 4);
    KeyedCipher busy = ciphers.acquire();
    KeyedCipher free = ciphers.acquire();
    byte[] nonce = new byte[12];
    byte[] sealed = new byte[19];
    for (KeyedCipher one : List.of(busy, free)) {
      one.seal(nonce, 0, AD, 0, 3, AD, sealed, 0);
      one.open(nonce, 0, sealed, 0, 19, AD, new byte[3], 0);
    }
    List<Cipher> engines = new ArrayList<>();
    engines.addAll(Arrays.asList(busy.ciphers()));
    engines.addAll(Arrays.asList(free.ciphers()));
    free.release();
    ciphers.close();
    assertTrue(free.isDestroyed());
    int opened = busy.open(nonce, 0, sealed, 0, 19, AD, new byte[3], 0);
    assertEquals(3, opened, "it is still its call's");
    busy.release();
    assertTrue(busy.isDestroyed());
    Aead zeros = Aead.of(engine, new byte[32]);
    byte[] ofZeros = new byte[19];
    zeros.seal(new byte[12], AD, 0, 3, new byte[0], ofZeros, 0);
    for (Cipher cipher : engines) {
      assertArrayEquals(AD, cipher.doFinal(ofZeros), "what it opens now is of the key of zeros");
    }
  }

  @Test
  void aCallAllocatesLessThanACipherWithNewParameters() throws Exception {
    byte[] input = new byte[64];
    byte[] output = new byte[80];
    byte[] nonce = new byte[12];
    byte[] noAd = new byte[0];
    Aead shared = Aead.of(AeadEngine.JDK, KEY);
    AeadKey key = new AeadKey(KEY);
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", AeadEngine.JDK.provider());
    double bare =
        Allocation.perCall(
            () -> {
              try {
                rise(nonce);
                cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, nonce));
                cipher.doFinal(input, 0, 64, output, 0);
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    double ours =
        Allocation.perCall(
            () -> {
              try {
                rise(nonce);
                shared.seal(nonce, input, 0, 64, noAd, output, 0);
              } catch (AeadException e) {
                throw new AssertionError(e);
              }
            });
    // The bare one has a copy of the nonce in its parameters: 32 bytes.
    assertTrue(ours <= bare - 32, ours + " bytes, the provider alone " + bare);
  }

  private static void rise(byte[] nonce) {
    for (int i = 11; i >= 0 && ++nonce[i] == 0; i--) {
      // Carry to the byte before.
    }
  }

  private interface Work {
    void run(int thread) throws Exception;
  }

  /** Runs this many at the same time, and reports the first failure. */
  private static void together(ExecutorService executor, int count, Work work) throws Exception {
    try {
      CountDownLatch started = new CountDownLatch(count);
      List<Future<?>> futures = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int thread = i;
        futures.add(
            executor.submit(
                () -> {
                  started.countDown();
                  started.await();
                  work.run(thread);
                  return null;
                }));
      }
      for (Future<?> future : futures) {
        future.get(200, TimeUnit.SECONDS);
      }
    } finally {
      executor.shutdownNow();
    }
  }

  /** An executor of Java 21 and later. */
  private static ExecutorService virtualThreads() throws Exception {
    Assumptions.assumeTrue(Runtime.version().feature() >= 21, "no virtual threads before Java 21");
    return (ExecutorService)
        Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
  }
}

package dev.cupel.hash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.cupel.Allocation;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compared with the JDK: every method, at every length around blocks, padding and lanes. */
class Sha256Test {
  private static final Random RANDOM = new Random(256);

  /** Twice over sixteen blocks, and over the six from which schedules are computed together. */
  private static final int LONGEST = 2500;

  @Test
  void rangesOfEveryLength() throws Exception {
    Sha256 hash = new Sha256();
    for (int length = 0; length < LONGEST; length++) {
      int offset = length % 61;
      byte[] input = bytes(length + 61);
      byte[] output = new byte[40];
      hash.hash(input, offset, length, output, 5);
      byte[] message = Arrays.copyOfRange(input, offset, offset + length);
      assertArrayEquals(expected(message), Arrays.copyOfRange(output, 5, 37), "length " + length);
      assertArrayEquals(new byte[5], Arrays.copyOf(output, 5), "what lies before the digest");
      assertArrayEquals(new byte[3], Arrays.copyOfRange(output, 37, 40), "the bytes after it");
    }
  }

  @Test
  void piecesOfEveryKind() throws Exception {
    Sha256 hash = new Sha256();
    for (int round = 0; round < 2000; round++) {
      byte[] message = bytes(RANDOM.nextInt(LONGEST));
      for (int at = 0; at < message.length; ) {
        int left = message.length - at;
        int count = Math.min(left, RANDOM.nextInt(RANDOM.nextBoolean() ? 9 : 1200));
        switch (RANDOM.nextInt(4)) {
          case 0 -> hash.update(message, at, count);
          case 1 -> hash.update(ByteBuffer.wrap(message, at, count).slice());
          case 2 -> {
            ByteBuffer direct = ByteBuffer.allocateDirect(count + 3).position(3);
            direct.put(message, at, count).position(3);
            hash.update(direct.asReadOnlyBuffer());
          }
          default -> {
            count = 1;
            hash.update(message[at]);
          }
        }
        at += count;
      }
      assertArrayEquals(expected(message), hash.digest());
    }
  }

  @Test
  void aBufferIsReadToItsLimit() {
    ByteBuffer heap = ByteBuffer.wrap(new byte[10]).position(2).limit(7);
    new Sha256().update(heap);
    assertEquals(7, heap.position());
    ByteBuffer direct = ByteBuffer.allocateDirect(200).position(2).limit(170);
    new Sha256().update(direct);
    assertEquals(170, direct.position());
  }

  @Test
  void aCopyGoesItsOwnWay() throws Exception {
    Sha256 hash = new Sha256();
    hash.update(new byte[100]);
    Sha256 copy = hash.copy();
    hash.update((byte) 1);
    copy.update((byte) 2);
    byte[] message = new byte[101];
    message[100] = 1;
    assertArrayEquals(expected(message), hash.digest());
    message[100] = 2;
    assertArrayEquals(expected(message), copy.digest());
  }

  /** By each code path, and by the one that is taken. */
  @Test
  void manyMessages() throws Exception {
    checkMany(Sha256::digestMany);
    checkMany(new Sha256Many()::digest);
    checkMany(new Sha256Path.Jdk(JdkSha256.create())::digest);
  }

  private interface Many {
    void digest(byte[] input, int offset, int size, int count, byte[] output, int outputOffset);
  }

  private static void checkMany(Many many) throws Exception {
    for (int size : new int[] {0, 1, 13, 55, 56, 63, 64, 65, 119, 120, 128, 500}) {
      for (int count : new int[] {0, 1, 2, 15, 16, 17, 40}) {
        byte[] input = bytes(3 + size * count);
        byte[] output = new byte[2 + 32 * count];
        many.digest(input, 3, size, count, output, 2);
        for (int i = 0; i < count; i++) {
          byte[] message = Arrays.copyOfRange(input, 3 + i * size, 3 + (i + 1) * size);
          byte[] digest = Arrays.copyOfRange(output, 2 + 32 * i, 34 + 32 * i);
          assertArrayEquals(expected(message), digest, count + " of " + size + ", number " + i);
        }
      }
    }
  }

  /** Also where the digest overwrites its message. */
  @Test
  void oneMessageByTheStaticMethods() throws Exception {
    for (int length = 0; length < 200; length++) {
      byte[] message = bytes(length);
      byte[] expected = expected(message);
      assertArrayEquals(expected, Sha256.digest256(message));
      byte[] place = Arrays.copyOf(message, length + 32);
      Sha256.digest256(place, 0, length, place, length / 2);
      assertArrayEquals(expected, Arrays.copyOfRange(place, length / 2, length / 2 + 32));
    }
    byte[] ten = new byte[10];
    assertThrows(
        IndexOutOfBoundsException.class, () -> Sha256.digest256(ten, 1, 10, new byte[32], 0));
    assertThrows(IndexOutOfBoundsException.class, () -> Sha256.digest256(ten, 0, 10, ten, 0));
    assertArrayEquals(expected(ten), Sha256.digest256(ten), "after a range that is not there");
  }

  @Test
  void rangesThatAreNotThere() {
    Sha256 hash = new Sha256();
    byte[] ten = new byte[10];
    byte[] digest = new byte[32];
    assertThrows(IndexOutOfBoundsException.class, () -> hash.hash(ten, 5, 6, digest, 0));
    assertThrows(IndexOutOfBoundsException.class, () -> hash.hash(ten, 0, 10, digest, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> hash.update(ten, -1, 3));
    assertThrows(IndexOutOfBoundsException.class, () -> hash.digest(digest, 1));
    assertThrows(
        IndexOutOfBoundsException.class, () -> Sha256.digestMany(ten, 0, 5, 3, new byte[96], 0));
    assertThrows(
        IndexOutOfBoundsException.class, () -> Sha256.digestMany(ten, 0, 5, 2, new byte[63], 0));
    assertThrows(
        IllegalArgumentException.class, () -> Sha256.digestMany(ten, 0, -1, 2, new byte[64], 0));
    // Their product is 0 in 32 bits.
    assertThrows(
        IndexOutOfBoundsException.class,
        () -> Sha256.digestMany(ten, 0, 1 << 16, 1 << 16, new byte[96], 0));
  }

  @Test
  void nothingIsAllocated() {
    byte[] input = bytes(2000);
    byte[] output = new byte[32 * 32];
    Sha256 hash = new Sha256();
    assertEquals(0, Allocation.perCall(() -> hash.hash(input, 0, 13, output, 0)));
    assertEquals(0, Allocation.perCall(() -> hash.hash(input, 0, 2000, output, 0)));
    assertEquals(0, Allocation.perCall(() -> Sha256.digest256(input, 0, 100, output, 0)));
    assertEquals(0, Allocation.perCall(() -> Sha256.digestMany(input, 0, 40, 32, output, 0)));
    Sha256Many lanes = new Sha256Many();
    assertEquals(0, Allocation.perCall(() -> lanes.digest(input, 0, 40, 32, output, 0)));
    Sha256Path.Jdk jdk = new Sha256Path.Jdk(JdkSha256.create());
    assertEquals(0, Allocation.perCall(() -> jdk.digest(input, 0, 40, 32, output, 0)));
    assertEquals(
        0,
        Allocation.perCall(
            () -> {
              hash.update(input, 0, 99);
              hash.digest(output, 0);
            }));
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  private static byte[] expected(byte[] message) throws Exception {
    return MessageDigest.getInstance("SHA-256").digest(message);
  }
}

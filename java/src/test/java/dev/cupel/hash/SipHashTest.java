package dev.cupel.hash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cupel.Allocation;
import dev.cupel.Vectors;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The authors' tables, Wycheproof, and every method compared with the paper's definition. */
class SipHashTest {
  private static final Random RANDOM = new Random(24);

  @Test
  void theAuthorsTables() {
    byte[] counting = counting(64);
    SipHash sip = SipHash.sipHash24(Arrays.copyOf(counting, 16));
    List<byte[]> narrow = Vectors.table("siphash/siphash-2-4.txt");
    List<byte[]> wide = Vectors.table("siphash/siphash-2-4-128.txt");
    assertEquals(64, narrow.size());
    assertEquals(64, wide.size());
    for (int n = 0; n < 64; n++) {
      byte[] message = Arrays.copyOf(counting, n);
      assertArrayEquals(narrow.get(n), littleEndian(sip.hash(message)), "length " + n);
      assertArrayEquals(wide.get(n), sip.hash128(message), "128 bits, length " + n);
    }
  }

  @ParameterizedTest
  @CsvSource({"1,3,siphash_1_3", "2,4,siphash_2_4", "4,8,siphash_4_8"})
  void wycheproof(int c, int d, String file) {
    wycheproof(file, key -> SipHash.of(c, d, key), (sip, m) -> littleEndian(sip.hash(m)));
  }

  @ParameterizedTest
  @CsvSource({"2,4,siphashx_2_4", "4,8,siphashx_4_8"})
  void wycheproof128(int c, int d, String file) {
    wycheproof(file, key -> SipHash.of(c, d, key), SipHash::hash128);
  }

  private interface Tag {
    byte[] of(SipHash sip, byte[] message);
  }

  private static void wycheproof(String file, Function<byte[], SipHash> make, Tag tag) {
    int count = 0;
    for (Vectors.Entry entry : Vectors.records("wycheproof/" + file + ".txt")) {
      byte[] tagBytes = tag.of(make.apply(entry.bytes("Key")), entry.bytes("Msg"));
      boolean valid = entry.text("Result").equals("valid");
      assertEquals(valid, SipHash.equal(entry.bytes("Tag"), tagBytes), entry.toString());
      count++;
    }
    assertEquals(40, count);
  }

  @ParameterizedTest
  @CsvSource({"1,3", "2,4", "3,5"})
  void everyWayInGivesOneTag(int c, int d) {
    byte[] key = random(16);
    SipHash sip = SipHash.of(c, d, key);
    for (int length = 0; length < 300; length++) {
      byte[] message = random(length);
      long tag = plain(c, d, key, message);
      byte[] array = new byte[length + 20];
      System.arraycopy(message, 0, array, 7, length);
      assertEquals(tag, sip.hash(message));
      assertEquals(tag, sip.hash(array, 7, length), "range of " + length);
      ByteBuffer heap = ByteBuffer.wrap(array, 7, length);
      assertEquals(tag, sip.hash(heap), "heap buffer of " + length);
      assertEquals(tag, sip.hash(heap.slice()), "slice of " + length);
      assertEquals(tag, sip.hash(heap.asReadOnlyBuffer()), "read-only buffer of " + length);
      ByteBuffer direct = ByteBuffer.allocateDirect(length + 20).order(ByteOrder.BIG_ENDIAN);
      direct.put(array).position(7).limit(7 + length);
      assertEquals(tag, sip.hash(direct), "direct buffer of " + length);
      assertEquals(7, direct.position(), "the buffer stays as it is");
      if (length == 8) {
        assertEquals(
            tag, sip.hash(ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).getLong()));
      }
      if (length % 2 == 0) {
        char[] chars = new char[length / 2];
        ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).asCharBuffer().get(chars);
        assertEquals(tag, sip.hash(new String(chars)), "text of " + length);
        assertEquals(tag, sip.hash(new StringBuilder().append(chars)), "builder of " + length);
      }
    }
    String text = "Zürich, 東京";
    assertEquals(sip.hash(text.getBytes(StandardCharsets.UTF_16LE)), sip.hash(text));
  }

  @ParameterizedTest
  @CsvSource({"1,3", "2,4", "3,5"})
  void piecesOfEveryKind(int c, int d) {
    byte[] key = random(16);
    SipHash sip = SipHash.of(c, d, key);
    SipHasher narrow = sip.hasher();
    SipHasher wide = sip.hasher128();
    for (int round = 0; round < 1000; round++) {
      byte[] message = random(RANDOM.nextInt(600));
      for (int at = 0; at < message.length; ) {
        int count = Math.min(message.length - at, RANDOM.nextInt(30));
        int kind = RANDOM.nextInt(4);
        if (kind == 3 && message.length - at >= 8) {
          count = 8;
        } else if (kind == 3) {
          kind = 0;
        }
        for (SipHasher hasher : List.of(narrow, wide)) {
          switch (kind) {
            case 0 -> hasher.update(message, at, count);
            case 1 -> hasher.update(ByteBuffer.wrap(message, at, count));
            case 2 -> {
              for (int i = 0; i < count; i++) {
                hasher.update(message[at + i]);
              }
            }
            default -> hasher.update(LittleEndian.word(message, at));
          }
        }
        at += count;
      }
      assertEquals(plain(c, d, key, message), narrow.finish());
      byte[] tag = new byte[17];
      assertEquals(16, wide.finish(tag, 1));
      assertArrayEquals(sip.hash128(message), Arrays.copyOfRange(tag, 1, 17));
    }
  }

  @Test
  void keysAndRoundsAreChecked() {
    for (int length : new int[] {0, 15, 17, 32}) {
      assertThrows(IllegalArgumentException.class, () -> SipHash.sipHash24(new byte[length]));
    }
    assertThrows(IllegalArgumentException.class, () -> SipHash.of(0, 4, new byte[16]));
    assertThrows(IllegalArgumentException.class, () -> SipHash.of(2, 0, new byte[16]));
    SipHash sip = SipHash.sipHash13(new byte[16]);
    assertThrows(IndexOutOfBoundsException.class, () -> sip.hash(new byte[4], 2, 3));
    assertThrows(
        IndexOutOfBoundsException.class, () -> sip.hash128(new byte[4], 0, 4, new byte[15], 0));
    assertThrows(IllegalStateException.class, () -> sip.hasher128().finish());
  }

  @Test
  void aDestroyedKeyIsGone() {
    byte[] message = {1};
    for (int c = 1; c < 4; c++) {
      SipHash sip = SipHash.of(c, c + 2, random(16));
      SipHasher hasher = sip.hasher();
      assertFalse(sip.isDestroyed());
      sip.destroy();
      assertTrue(sip.isDestroyed());
      assertThrows(IllegalStateException.class, () -> sip.hash(message));
      assertThrows(IllegalStateException.class, () -> sip.hash(7));
      assertThrows(IllegalStateException.class, () -> sip.hash("text"));
      assertThrows(IllegalStateException.class, () -> sip.hash(ByteBuffer.wrap(message)));
      assertThrows(IllegalStateException.class, () -> sip.hash128(message));
      assertThrows(IllegalStateException.class, sip::hasher);
      hasher.close();
      assertThrows(IllegalStateException.class, hasher::finish);
    }
  }

  private long sink;

  @Test
  void nothingIsAllocated() {
    byte[] message = random(100);
    ByteBuffer direct = ByteBuffer.allocateDirect(100);
    byte[] output = new byte[16];
    for (SipHash sip : List.of(SipHash.sipHash13(message16()), SipHash.sipHash24(message16()))) {
      assertEquals(0, Allocation.perCall(() -> sink += sip.hash(message)));
      assertEquals(0, Allocation.perCall(() -> sink += sip.hash(message, 3, 61)));
      assertEquals(0, Allocation.perCall(() -> sink += sip.hash(direct)));
      assertEquals(0, Allocation.perCall(() -> sink += sip.hash(12345L)));
      assertEquals(0, Allocation.perCall(() -> sink += sip.hash("a text of some length")));
      SipHasher hasher = sip.hasher();
      assertEquals(0, Allocation.perCall(() -> sink += hasher.update(message).finish()));
      SipHasher wide = sip.hasher128();
      assertEquals(0, Allocation.perCall(() -> sink += wide.update(message).finish(output, 0)));
    }
  }

  private static byte[] message16() {
    return random(16);
  }

  /** SipHash as the paper defines it, one byte after the other. */
  private static long plain(int c, int d, byte[] key, byte[] message) {
    SipState state = new SipState(c, d, false);
    state.init(word(key, 0), word(key, 8));
    int whole = message.length / 8 * 8;
    for (int i = 0; i < whole; i += 8) {
      state.absorb(word(message, i));
    }
    byte[] last = Arrays.copyOf(Arrays.copyOfRange(message, whole, message.length), 8);
    last[7] = (byte) message.length;
    state.absorb(word(last, 0));
    return state.first();
  }

  private static long word(byte[] bytes, int at) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(at);
  }

  private static byte[] littleEndian(long tag) {
    return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(tag).array();
  }

  private static byte[] counting(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) i;
    }
    return bytes;
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return bytes;
  }
}

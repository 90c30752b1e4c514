package dev.cupel.hash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cupel.Allocation;
import dev.cupel.Vectors;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** RFC 4231, Wycheproof, and the JDK's {@code Mac}: both code paths, and the one that is taken. */
class HmacSha256Test {
  private static final Random RANDOM = new Random(4231);

  static Stream<Function<byte[], HmacState>> paths() {
    return Stream.of(HmacInJava::new, HmacByJdk::new, HmacState::of);
  }

  @ParameterizedTest
  @MethodSource("paths")
  void rfc4231(Function<byte[], HmacState> path) {
    int count = 0;
    for (Vectors.Entry entry : Vectors.records("rfc/rfc-4231-sha256.txt")) {
      HmacSha256 mac = new HmacSha256(entry.bytes("Key"), path);
      mac.update(entry.bytes("Msg"));
      assertArrayEquals(entry.bytes("MD"), mac.tag());
      count++;
    }
    assertEquals(6, count);
  }

  @ParameterizedTest
  @MethodSource("paths")
  void wycheproof(Function<byte[], HmacState> path) {
    int invalid = 0;
    for (Vectors.Entry entry : Vectors.records("wycheproof/hmac_sha256.txt")) {
      HmacSha256 mac = new HmacSha256(entry.bytes("Key"), path);
      mac.update(entry.bytes("Msg"));
      byte[] expected = entry.bytes("Tag");
      byte[] tag = Arrays.copyOf(mac.tag(), expected.length);
      boolean valid = entry.text("Result").equals("valid");
      assertEquals(valid, Arrays.equals(expected, tag), entry.toString());
      invalid += valid ? 0 : 1;
    }
    assertTrue(invalid > 0);
  }

  @ParameterizedTest
  @MethodSource("paths")
  void keysAndMessagesOfEveryLength(Function<byte[], HmacState> path) throws Exception {
    for (int length = 1; length < 300; length++) {
      byte[] key = bytes(1 + length % 130);
      byte[] message = bytes(length);
      Mac jdk = Mac.getInstance("HmacSHA256");
      jdk.init(new SecretKeySpec(key, "HmacSHA256"));
      HmacSha256 mac = new HmacSha256(key, path);
      byte[] tag = new byte[34];
      mac.update((byte) 99);
      mac.tag(message, 0, length, tag, 1);
      assertArrayEquals(jdk.doFinal(message), Arrays.copyOfRange(tag, 1, 33), "length " + length);
      int middle = length / 3;
      mac.update(message, 0, middle);
      HmacSha256 copy = mac.copy();
      mac.update((byte) 1);
      copy.update(message, middle, length - middle);
      assertArrayEquals(jdk.doFinal(message), copy.tag(), "copied, length " + length);
      byte[] longer = Arrays.copyOf(message, length + 1);
      longer[middle] = 1;
      System.arraycopy(message, middle, longer, middle + 1, length - middle);
      mac.update(ByteBuffer.wrap(message, middle, length - middle));
      assertArrayEquals(jdk.doFinal(longer), mac.tag(), "the original, length " + length);
      mac.update(message);
      mac.reset();
      assertArrayEquals(jdk.doFinal(), mac.tag(), "of nothing");
    }
  }

  @ParameterizedTest
  @MethodSource("paths")
  void rangesThatAreNotThere(Function<byte[], HmacState> path) {
    HmacSha256 mac = new HmacSha256(bytes(20), path);
    byte[] ten = new byte[10];
    byte[] tag = new byte[32];
    assertThrows(IndexOutOfBoundsException.class, () -> mac.update(ten, 5, 6));
    assertThrows(IndexOutOfBoundsException.class, () -> mac.tag(tag, 1));
    mac.update(ten);
    assertThrows(IndexOutOfBoundsException.class, () -> mac.tag(ten, 0, 11, tag, 0));
    assertThrows(IndexOutOfBoundsException.class, () -> mac.tag(ten, 0, 10, tag, 1));
  }

  @ParameterizedTest
  @MethodSource("paths")
  void aDestroyedKeyIsGone(Function<byte[], HmacState> path) {
    HmacSha256 mac = new HmacSha256(bytes(20), path);
    mac.destroy();
    assertTrue(mac.isDestroyed());
    assertThrows(IllegalStateException.class, () -> mac.update((byte) 0));
    assertThrows(IllegalStateException.class, mac::tag);
    assertThrows(IllegalStateException.class, mac::reset);
    assertThrows(IllegalStateException.class, mac::copy);
  }

  /** The state after a key's block is as good as the key. */
  @Test
  void theJdksStatesOfADestroyedKeyAreOverwritten() throws Exception {
    byte[] empty = MessageDigest.getInstance("SHA-256").digest();
    HmacByJdk state = new HmacByJdk(bytes(64));
    state.update(new byte[] {1}, 0, 1);
    MessageDigest[] keyed = state.keyed();
    assertEquals(3, keyed.length);
    state.clear();
    for (MessageDigest one : keyed) {
      assertArrayEquals(empty, one.digest());
    }
  }

  @Test
  void whatATagAllocates() {
    byte[] message = bytes(1000);
    byte[] tag = new byte[32];
    HmacSha256 java = new HmacSha256(bytes(32), HmacInJava::new);
    assertEquals(0, Allocation.perCall(() -> java.tag(message, 0, 1000, tag, 0)));
    // Two clones: the digest's state, its block, and the two objects around them.
    HmacSha256 jdk = new HmacSha256(bytes(32), HmacByJdk::new);
    double bytes = Allocation.perCall(() -> jdk.tag(message, 0, 1000, tag, 0));
    assertTrue(bytes <= 512, bytes + " bytes");
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return bytes;
  }
}

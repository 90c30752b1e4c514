package dev.cupel.hash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cupel.Allocation;
import dev.cupel.Vectors;
import java.util.Arrays;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** RFC 4231, Wycheproof, and the JDK. */
class HmacSha256Test {
  private static final Random RANDOM = new Random(4231);

  @Test
  void rfc4231() {
    int count = 0;
    for (Vectors.Entry entry : Vectors.records("rfc/rfc-4231-sha256.txt")) {
      HmacSha256 mac = new HmacSha256(entry.bytes("Key"));
      mac.update(entry.bytes("Msg"));
      assertArrayEquals(entry.bytes("MD"), mac.tag());
      count++;
    }
    assertEquals(6, count);
  }

  @Test
  void wycheproof() {
    int invalid = 0;
    for (Vectors.Entry entry : Vectors.records("wycheproof/hmac_sha256.txt")) {
      HmacSha256 mac = new HmacSha256(entry.bytes("Key"));
      mac.update(entry.bytes("Msg"));
      byte[] expected = entry.bytes("Tag");
      byte[] tag = Arrays.copyOf(mac.tag(), expected.length);
      boolean valid = entry.text("Result").equals("valid");
      assertEquals(valid, Arrays.equals(expected, tag), entry.toString());
      invalid += valid ? 0 : 1;
    }
    assertTrue(invalid > 0);
  }

  @Test
  void keysAndMessagesOfEveryLength() throws Exception {
    for (int length = 1; length < 300; length++) {
      byte[] key = bytes(1 + length % 130);
      byte[] message = bytes(length);
      Mac jdk = Mac.getInstance("HmacSHA256");
      jdk.init(new SecretKeySpec(key, "HmacSHA256"));
      HmacSha256 mac = new HmacSha256(key);
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
    }
  }

  @Test
  void aDestroyedKeyIsGone() {
    HmacSha256 mac = new HmacSha256(bytes(20));
    mac.destroy();
    assertTrue(mac.isDestroyed());
    assertThrows(IllegalStateException.class, () -> mac.update((byte) 0));
    assertThrows(IllegalStateException.class, mac::tag);
    assertThrows(IllegalStateException.class, mac::reset);
    assertThrows(IllegalStateException.class, mac::copy);
  }

  @Test
  void nothingIsAllocated() {
    HmacSha256 mac = new HmacSha256(bytes(32));
    byte[] message = bytes(1000);
    byte[] tag = new byte[32];
    assertEquals(0, Allocation.perCall(() -> mac.tag(message, 0, 1000, tag, 0)));
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return bytes;
  }
}

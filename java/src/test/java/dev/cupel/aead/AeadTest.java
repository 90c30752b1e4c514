package dev.cupel.aead;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every engine opens messages that another sealed; no altered message is opened; no nonce is used
 * twice.
 */
class AeadTest {
  private static final Random RANDOM = new Random(38);
  private static final byte[] KEY = bytes(32);
  private static final byte[] AD = {1, 2, 3};
  private static final byte[] NONE = {};

  @Test
  void everyPairOfEnginesInteroperates() throws Exception {
    for (AeadEngine from : AeadEngine.values()) {
      for (AeadEngine to : AeadEngine.values()) {
        Aead sealer = Aead.of(from, KEY);
        Aead opener = Aead.of(to, KEY);
        for (int size : new int[] {0, 1, 15, 16, 17, 64, 1000, 8191, 8192, 8193, 70000}) {
          for (byte[] ad : List.of(NONE, AD, bytes(1000))) {
            byte[] plaintext = bytes(size);
            byte[] sealed = sealer.seal(plaintext, ad);
            assertEquals(size + Aead.OVERHEAD, sealed.length);
            assertArrayEquals(plaintext, opener.open(sealed, ad), from + " to " + to + ", " + size);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatWasAlteredIsRefused(AeadEngine engine) throws Exception {
    Aead aead = Aead.of(engine, KEY);
    for (int size : new int[] {0, 1, 40, 100}) {
      byte[] sealed = aead.seal(bytes(size), AD);
      for (int bit = 0; bit < 8 * sealed.length; bit++) {
        byte[] altered = sealed.clone();
        altered[bit / 8] ^= (byte) (1 << bit % 8);
        assertThrows(AuthenticationException.class, () -> aead.open(altered, AD), "bit " + bit);
      }
      assertThrows(AuthenticationException.class, () -> aead.open(sealed, NONE));
      assertThrows(AuthenticationException.class, () -> aead.open(sealed, new byte[] {1, 2, 4}));
      assertThrows(AuthenticationException.class, () -> aead.open(sealed, new byte[] {1, 2, 3, 0}));
      byte[] longer = Arrays.copyOf(sealed, sealed.length + 1);
      assertThrows(AuthenticationException.class, () -> aead.open(longer, AD));
      for (int length = 0; length < sealed.length; length++) {
        byte[] cut = Arrays.copyOf(sealed, length);
        Class<? extends AeadException> expected =
            length < Aead.OVERHEAD ? MessageLengthException.class : AuthenticationException.class;
        assertThrows(expected, () -> aead.open(cut, AD), "cut to " + length);
      }
      assertDoesNotThrow(() -> aead.open(sealed, AD), "a refusal leaves it as it was");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRefusalLeavesNoPlaintext(AeadEngine engine) throws Exception {
    Aead aead = Aead.of(engine, KEY);
    byte[] nonce = new byte[12];
    byte[] plaintext = bytes(5000);
    byte[] sealed = new byte[5016];
    aead.seal(nonce, plaintext, 0, 5000, NONE, sealed, 0);
    sealed[5015] ^= 1;
    byte[] output = new byte[5100];
    Arrays.fill(output, (byte) 7);
    assertThrows(
        AuthenticationException.class, () -> aead.open(nonce, sealed, 0, 5016, NONE, output, 50));
    for (int i = 0; i < 5000; i++) {
      assertTrue(output[50 + i] == 0 || output[50 + i] == 7, "plaintext at " + i);
    }
    assertUntouched(output, 50, 5050);
    sealed[5015] ^= 1;
    assertEquals(5000, aead.open(nonce, sealed, 0, 5016, NONE, output, 50));
    assertArrayEquals(plaintext, Arrays.copyOfRange(output, 50, 5050));
    assertUntouched(output, 50, 5050);
  }

  /** The bytes before and after a range still have their sevens. */
  private static void assertUntouched(byte[] output, int from, int to) {
    for (int i = 0; i < output.length; i++) {
      assertTrue(i >= from && i < to || output[i] == 7, "written at " + i);
    }
  }

  @ParameterizedTest
  @EnumSource
  void noncesAreMadeOnce(AeadEngine engine) throws Exception {
    Set<String> seen = new HashSet<>();
    for (int instance = 0; instance < 20; instance++) {
      Aead aead = Aead.of(engine, KEY);
      for (int i = 0; i < 300; i++) {
        assertTrue(seen.add(Arrays.toString(Arrays.copyOf(aead.seal(NONE), 12))));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void givenNoncesMustRise(AeadEngine engine) throws Exception {
    Aead aead = Aead.of(engine, KEY);
    byte[] output = new byte[16];
    byte[] nonce = new byte[12];
    nonce[11] = 5;
    aead.seal(nonce, NONE, 0, 0, NONE, output, 0);
    assertThrows(
        NonceException.class, () -> aead.seal(nonce, NONE, 0, 0, NONE, output, 0), "the same");
    nonce[11] = 4;
    assertThrows(
        NonceException.class, () -> aead.seal(nonce, NONE, 0, 0, NONE, output, 0), "a lower one");
    nonce[11] = (byte) 0x80;
    aead.seal(nonce, NONE, 0, 0, NONE, output, 0);
    nonce[0] = (byte) 0xff;
    aead.seal(nonce, NONE, 0, 0, NONE, output, 0);
    assertThrows(NonceException.class, () -> aead.seal(NONE), "one made here could be among them");
    Aead other = Aead.of(engine, KEY);
    other.seal(NONE);
    assertThrows(NonceException.class, () -> other.seal(nonce, NONE, 0, 0, NONE, output, 0));
    assertThrows(
        IllegalArgumentException.class, () -> aead.seal(new byte[11], NONE, 0, 0, NONE, output, 0));
  }

  @ParameterizedTest
  @EnumSource
  void aDestroyedKeyIsGone(AeadEngine engine) throws Exception {
    Aead aead = Aead.of(engine, KEY);
    byte[] sealed = aead.seal(AD);
    assertFalse(aead.isDestroyed());
    aead.destroy();
    assertTrue(aead.isDestroyed());
    assertThrows(IllegalStateException.class, () -> aead.seal(AD));
    assertThrows(IllegalStateException.class, () -> aead.open(sealed));
    Aead other = Aead.of(engine, KEY);
    try (other) {
      other.open(sealed);
    }
    assertThrows(IllegalStateException.class, () -> other.open(sealed), "closed");
  }

  @Test
  void keysAndRangesAreChecked() throws Exception {
    for (int length : new int[] {0, 16, 24, 31, 33}) {
      assertThrows(IllegalArgumentException.class, () -> Aead.of(new byte[length]));
    }
    Aead aead = Aead.of(KEY);
    byte[] nonce = new byte[12];
    assertThrows(
        IndexOutOfBoundsException.class,
        () -> aead.seal(nonce, new byte[4], 0, 4, NONE, new byte[19], 0));
    assertThrows(
        MessageLengthException.class,
        () -> aead.open(nonce, new byte[15], 0, 15, NONE, new byte[16], 0));
  }

  @Test
  void theSystemPropertySelects() throws Exception {
    try {
      System.setProperty(AeadEngine.PROPERTY, "bouncy-castle");
      assertEquals(AeadEngine.BOUNCY_CASTLE, Aead.of(KEY).engine());
      System.setProperty(AeadEngine.PROPERTY, "rot13");
      String message =
          assertThrows(IllegalArgumentException.class, () -> Aead.of(KEY)).getMessage();
      assertTrue(message.contains("rot13") && message.contains("conscrypt"), message);
      System.clearProperty(AeadEngine.PROPERTY);
      assertEquals(AeadEngine.best(), Aead.of(KEY).engine());
      assertTrue(AeadEngine.available().contains(AeadEngine.JDK));
    } finally {
      System.clearProperty(AeadEngine.PROPERTY);
    }
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return bytes;
  }
}

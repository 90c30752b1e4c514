package dev.cupel.provider;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.InvalidKeyException;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.Security;
import java.util.ServiceLoader;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The provider works by its name, and is found as a service. */
class CupelProviderTest {
  private static final byte[] MESSAGE = "a message".getBytes(StandardCharsets.UTF_8);

  @BeforeEach
  void register() {
    Security.insertProviderAt(new CupelProvider(), 1);
  }

  @AfterEach
  void unregister() {
    Security.removeProvider(CupelProvider.NAME);
  }

  @Test
  void digestByName() throws Exception {
    byte[] expected = MessageDigest.getInstance("SHA-256", "SUN").digest(MESSAGE);
    MessageDigest ours = MessageDigest.getInstance("SHA-256");
    assertEquals(CupelProvider.NAME, ours.getProvider().getName());
    assertEquals(32, ours.getDigestLength());
    assertArrayEquals(expected, ours.digest(MESSAGE));
    assertArrayEquals(
        expected, MessageDigest.getInstance("2.16.840.1.101.3.4.2.1", "Cupel").digest(MESSAGE));
    ours.update(MESSAGE[0]);
    MessageDigest copy = (MessageDigest) ours.clone();
    ours.update((byte) 0);
    copy.update(ByteBuffer.wrap(MESSAGE, 1, MESSAGE.length - 1));
    byte[] room = new byte[33];
    assertEquals(32, copy.digest(room, 0, 33));
    assertArrayEquals(expected, java.util.Arrays.copyOf(room, 32));
    assertThrows(DigestException.class, () -> copy.digest(room, 0, 31));
    ours.reset();
    assertArrayEquals(expected, ours.digest(MESSAGE));
  }

  @Test
  void macByName() throws Exception {
    SecretKeySpec key = new SecretKeySpec(new byte[] {1, 2, 3}, "HmacSHA256");
    Mac theirs = Mac.getInstance("HmacSHA256", "SunJCE");
    theirs.init(key);
    byte[] expected = theirs.doFinal(MESSAGE);
    Mac ours = Mac.getInstance("HmacSHA256");
    ours.init(key);
    assertEquals(CupelProvider.NAME, ours.getProvider().getName());
    assertArrayEquals(expected, ours.doFinal(MESSAGE));
    ours.update(MESSAGE[0]);
    Mac copy = (Mac) ours.clone();
    ours.update((byte) 0);
    copy.update(MESSAGE, 1, MESSAGE.length - 1);
    assertArrayEquals(expected, copy.doFinal());
    ours.reset();
    ours.update(ByteBuffer.wrap(MESSAGE));
    assertArrayEquals(expected, ours.doFinal());
  }

  @Test
  void onlySecretKeys() throws Exception {
    Mac ours = Mac.getInstance("HmacSHA256", "Cupel");
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    assertThrows(
        InvalidKeyException.class, () -> ours.init(generator.generateKeyPair().getPublic()));
  }

  @Test
  void isFoundAsAService() {
    assertTrue(
        ServiceLoader.load(Provider.class).stream()
            .anyMatch(provider -> provider.type() == CupelProvider.class));
  }
}

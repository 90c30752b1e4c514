package dev.cupel.aead;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cupel.Vectors;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** NIST's and Wycheproof's vectors with 96-bit nonces, on every engine. */
class AeadVectorTest {
  @ParameterizedTest
  @EnumSource
  void nistSeals(AeadEngine engine) throws Exception {
    List<Vectors.Entry> records = nist("gcmEncryptExtIV256.rsp");
    assertTrue(records.size() > 300, "most records have such nonces");
    for (Vectors.Entry entry : records) {
      Aead aead = Aead.of(engine, entry.bytes("Key"));
      byte[] plaintext = entry.bytes("PT");
      byte[] output = new byte[plaintext.length + 16];
      int written =
          aead.seal(
              entry.bytes("IV"), plaintext, 0, plaintext.length, entry.bytes("AAD"), output, 0);
      assertEquals(output.length, written);
      assertArrayEquals(join(entry.bytes("CT"), entry.bytes("Tag")), output, entry.toString());
    }
  }

  @ParameterizedTest
  @EnumSource
  void nistOpens(AeadEngine engine) throws Exception {
    int refused = 0;
    for (Vectors.Entry entry : nist("gcmDecrypt256.rsp")) {
      byte[] sealed = join(entry.bytes("IV"), entry.bytes("CT"), entry.bytes("Tag"));
      Aead aead = Aead.of(engine, entry.bytes("Key"));
      if (entry.has("FAIL")) {
        assertThrows(AuthenticationException.class, () -> aead.open(sealed, entry.bytes("AAD")));
        refused++;
      } else {
        assertArrayEquals(entry.bytes("PT"), aead.open(sealed, entry.bytes("AAD")));
      }
    }
    assertTrue(refused > 0);
  }

  @ParameterizedTest
  @EnumSource
  void wycheproof(AeadEngine engine) throws Exception {
    int refused = 0;
    for (Vectors.Entry entry : Vectors.records("wycheproof/aes_gcm.txt")) {
      if (entry.text("Key").length() != 64 || entry.text("IV").length() != 24) {
        continue;
      }
      byte[] sealed = join(entry.bytes("IV"), entry.bytes("CT"), entry.bytes("Tag"));
      byte[] ad = entry.bytes("AAD");
      Aead aead = Aead.of(engine, entry.bytes("Key"));
      if (entry.text("Result").equals("invalid")) {
        assertThrows(AuthenticationException.class, () -> aead.open(sealed, ad), entry.toString());
        refused++;
        continue;
      }
      byte[] message = entry.bytes("Msg");
      assertArrayEquals(message, aead.open(sealed, ad), entry.toString());
      byte[] output = new byte[message.length + 16];
      aead.seal(entry.bytes("IV"), message, 0, message.length, ad, output, 0);
      assertArrayEquals(Arrays.copyOfRange(sealed, 12, sealed.length), output, entry.toString());
    }
    assertTrue(refused > 0);
  }

  private static List<Vectors.Entry> nist(String file) {
    return Vectors.records("nist-cavp/" + file).stream()
        .filter(entry -> entry.has("IV") && entry.text("IV").length() == 24)
        .toList();
  }

  private static byte[] join(byte[]... parts) {
    byte[] all = {};
    for (byte[] part : parts) {
      int at = all.length;
      all = Arrays.copyOf(all, at + part.length);
      System.arraycopy(part, 0, all, at, part.length);
    }
    return all;
  }
}

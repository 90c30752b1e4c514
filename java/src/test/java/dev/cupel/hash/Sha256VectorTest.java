package dev.cupel.hash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cupel.Vectors;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** NIST's vectors: CAVP 11.0, byte-oriented. */
class Sha256VectorTest {
  @ParameterizedTest
  @ValueSource(strings = {"SHA256ShortMsg.rsp", "SHA256LongMsg.rsp"})
  void digestsOfMessages(String file) {
    List<Vectors.Entry> records =
        Vectors.records("nist-cavp/" + file).stream().filter(r -> r.has("Msg")).toList();
    assertEquals(file.contains("Short") ? 65 : 64, records.size());
    for (Vectors.Entry entry : records) {
      // A record of length 0 has a byte that is not part of its message.
      int length = Integer.parseInt(entry.text("Len")) / 8;
      byte[] message = Arrays.copyOf(entry.bytes("Msg"), length);
      assertArrayEquals(entry.bytes("MD"), Sha256.digest256(message), entry.text("Len"));
    }
  }

  @Test
  void theMonteCarloChain() {
    List<Vectors.Entry> records = Vectors.records("nist-cavp/SHA256Monte.rsp");
    Sha256 hash = new Sha256();
    byte[] seed = null;
    int checkpoints = 0;
    for (Vectors.Entry entry : records) {
      if (entry.has("Seed")) {
        seed = entry.bytes("Seed");
        continue;
      }
      if (!entry.has("COUNT")) {
        continue;
      }
      byte[][] last = {seed, seed, seed};
      for (int i = 0; i < 1000; i++) {
        for (byte[] part : last) {
          hash.update(part);
        }
        last = new byte[][] {last[1], last[2], hash.digest()};
      }
      seed = last[2];
      assertArrayEquals(entry.bytes("MD"), seed, "checkpoint " + entry.text("COUNT"));
      checkpoints++;
    }
    assertEquals(100, checkpoints);
  }
}

package dev.cupel.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The facts about a call besides its output that the answers to {@code compute} have. */
class VerifierTest {
  private static final String PLAINTEXT = "attack at dawn, from the east";

  /** Refuses every message, after it has written {@code left}. */
  private static Contender refusing(byte[] left) {
    Call call =
        new Call() {
          @Override
          public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to)
              throws NotAuthentic {
            System.arraycopy(left, 0, output, to, left.length);
            throw new NotAuthentic(new IllegalStateException("the tag is wrong"));
          }
        };
    return opening(call);
  }

  private static Contender opening(Call call) {
    List<Contender.Offer> offers = List.of(new Contender.Offer("aes-256-gcm", "open"));
    return new Contender("opening", "", "", "", "", null, offers, task -> call);
  }

  private static JsonObject answer(byte[] left) throws Refused {
    return answer(refusing(left));
  }

  /** The answer for a message whose tag is zeros. */
  private static JsonObject answer(Contender contender) throws Refused {
    Contract contract = Contract.of(new JsonObject());
    Verifier verifier = new Verifier(contender, "aes-256-gcm", "open", contract);
    String sealed = HexFormat.of().formatHex(new byte[PLAINTEXT.length() + 16]);
    String cases =
        String.format(
            "[{\"input\":{\"hex\":\"%s\"},\"key\":\"%s\",\"nonce\":\"%s\"}]",
            sealed, "00".repeat(32), "00".repeat(12));
    JsonArray answers = verifier.answers(JsonParser.parseString(cases).getAsJsonArray());
    return answers.get(0).getAsJsonObject();
  }

  @Test
  void aRefusalThatLeavesPlaintextIsAFailure() throws Refused {
    byte[] plaintext = PLAINTEXT.getBytes(StandardCharsets.US_ASCII);
    for (int length : new int[] {8, plaintext.length}) {
      JsonObject answer = answer(Arrays.copyOf(plaintext, length));
      assertTrue(answer.has("failed"), answer::toString);
    }
  }

  /** A prepared object may keep its approval of the message before. */
  @Test
  void aForgeryIsRefusedAfterItsMessageWasOpened() throws Refused {
    for (boolean once : new boolean[] {false, true}) {
      Call call =
          new Call() {
            private boolean known;

            @Override
            public int call(
                byte[] input, int offset, int length, byte[] nonce, byte[] output, int to)
                throws NotAuthentic {
              known = once && known || input[offset + length - 1] == 0;
              if (!known) {
                throw new NotAuthentic(new IllegalStateException("the tag is wrong"));
              }
              return length - 16;
            }
          };
      JsonObject answer = answer(opening(call));
      assertEquals(once, answer.has("failed"), answer::toString);
    }
  }

  @Test
  void aRefusalThatLeavesZerosOrNothingIsARefusal() throws Refused {
    for (int length : new int[] {0, PLAINTEXT.length()}) {
      assertEquals("not authentic", answer(new byte[length]).get("refused").getAsString());
    }
  }
}

package dev.cupel.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.cupel.runner.Contender.Offer;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every offer of every contender gives the published answers, and refuses every input that it must.
 */
class KnownAnswersTest {
  /** A published answer, in hex. */
  private record Known(
      String primitive, String key, String nonce, String ad, String message, String output) {
    /** The input of an operation. */
    String input(String operation) {
      return operation.equals("open") ? output : message;
    }

    /** The answer that it must give. */
    String answer(String operation) {
      return switch (operation) {
        case "open" -> message;
        case "seal-open" -> output + message;
        default -> output;
      };
    }

    Known withKey(String other) {
      return new Known(primitive, other, nonce, ad, message, output);
    }

    Known withNonce(String other) {
      return new Known(primitive, key, other, ad, message, output);
    }

    Known withAd(String other) {
      return new Known(primitive, key, nonce, other, message, output);
    }

    Known withMessage(String other) {
      return new Known(primitive, key, nonce, ad, other, output);
    }

    Known withOutput(String other) {
      return new Known(primitive, key, nonce, ad, message, other);
    }
  }

  private static final List<Known> ALL = read();

  private static List<Known> read() {
    try (InputStream file = KnownAnswersTest.class.getResourceAsStream("/known-answers.txt")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.replaceAll("(?<= )-(?= )", "").split(" ", 7))
          .map(part -> new Known(part[0], part[1], part[2], part[3], part[4], part[5]))
          .toList();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static List<Known> known(Offer offer) {
    List<Known> known = ALL.stream().filter(k -> k.primitive.equals(offer.primitive())).toList();
    assertFalse(known.isEmpty(), "no published answer of " + offer.primitive() + " is known here");
    return known;
  }

  /** Only {@code cupel verify} has the answers of rapidhash 3: its author publishes none. */
  static Stream<Contender> contenders() {
    return Contenders.all().stream();
  }

  private static List<Offer> offers(Contender contender) {
    return contender.offers().stream().filter(o -> !o.primitive().equals("rapidhash-3")).toList();
  }

  private static boolean keyed(Offer offer) {
    return !offer.operation().startsWith("digest");
  }

  private static boolean sealed(Offer offer) {
    return keyed(offer) && !offer.operation().equals("mac");
  }

  /** Where the key schedule can be in an offer. */
  private static List<String> schedules(Offer offer) {
    if (!keyed(offer)) {
      return List.of("none");
    }
    return offer.key() == null ? List.of("prepared", "per-call") : List.of(offer.key());
  }

  private static JsonObject answer(
      Contender contender, Offer offer, String schedule, Known known, int... chunks)
      throws Refused {
    JsonObject contract = new JsonObject();
    contract.addProperty("key", schedule);
    return answer(contender, offer, contract, known, chunks);
  }

  private static JsonObject answer(
      Contender contender, Offer offer, JsonObject contract, Known known, int... chunks)
      throws Refused {
    JsonObject input = new JsonObject();
    input.addProperty("hex", known.input(offer.operation()));
    JsonObject one = new JsonObject();
    one.add("input", input);
    one.addProperty("key", known.key);
    one.addProperty("nonce", known.nonce);
    one.addProperty("ad", known.ad);
    one.addProperty("offset", 3);
    JsonArray lengths = new JsonArray();
    for (int chunk : chunks) {
      lengths.add(chunk);
    }
    one.add("chunks", lengths);
    JsonArray cases = new JsonArray();
    cases.add(one);
    Verifier verifier =
        new Verifier(contender, offer.primitive(), offer.operation(), Contract.of(contract));
    return verifier.answers(cases).get(0).getAsJsonObject();
  }

  @ParameterizedTest
  @MethodSource("contenders")
  void publishedAnswersAreGivenInOnePieceAndInChunks(Contender contender) throws Refused {
    for (Offer offer : offers(contender)) {
      for (Known known : known(offer)) {
        String expected = "{\"output\":\"" + known.answer(offer.operation()) + "\"}";
        for (String schedule : schedules(offer)) {
          String what = contender.name() + " " + offer + " " + schedule;
          JsonObject whole = answer(contender, offer, schedule, known);
          assertEquals(expected, whole.toString(), what);
          JsonObject streamed = answer(contender, offer, schedule, known, 1, 0, 7);
          if (sealed(offer)) {
            assertTrue(streamed.has("unsupported"), what + streamed);
          } else if (!streamed.has("unsupported")) {
            assertEquals(expected, streamed.toString(), what);
          }
        }
      }
    }
  }

  /** The contenders that copy states; of the others, every prefix is unsupported. */
  private static final Set<String> COPYING =
      Set.of("jdk-reused", "bouncycastle", "conscrypt", "accp");

  /** BouncyCastle's other classes have no interface to copy them. */
  private static final Set<String> MEMOABLE = Set.of("sha1", "sha256", "sha512", "sha512-256");

  @ParameterizedTest
  @MethodSource("contenders")
  void aPrefixComesBeforeEveryMessage(Contender contender) throws Refused {
    for (Offer offer : offers(contender)) {
      JsonObject contract = new JsonObject();
      Known known = known(offer).get(0);
      for (int prefix : new int[] {1, 64, 200}) {
        contract.addProperty("key", schedules(offer).get(0));
        contract.addProperty("prefix", prefix);
        String before = HexFormat.of().formatHex(Contract.of(contract).prefixBytes());
        Known whole = known.withMessage(before + known.message);
        for (int[] chunks : new int[][] {{}, {3, 0, 64}}) {
          JsonObject copied = answer(contender, offer, contract, known, chunks);
          String what = contender.name() + " " + offer + " " + prefix + " " + copied;
          if (!COPYING.contains(contender.name()) || !offer.operation().equals("digest")) {
            assertTrue(copied.has("unsupported"), what);
            continue;
          }
          if (copied.has("unsupported") && !MEMOABLE.contains(offer.primitive())) {
            continue;
          }
          assertEquals(answer(contender, offer, "none", whole), copied, what);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("contenders")
  void whatIsNotAuthenticIsRefused(Contender contender) throws Refused {
    for (Offer offer : offers(contender)) {
      if (!offer.operation().equals("open")) {
        continue;
      }
      for (Known good : known(offer)) {
        String output = good.output;
        List<Known> bad = new ArrayList<>();
        bad.add(good.withOutput(flipped(output, 0)));
        bad.add(good.withOutput(flipped(output, output.length() - 32)));
        bad.add(good.withOutput(flipped(output, output.length() - 2)));
        bad.add(good.withOutput(output.substring(2)));
        bad.add(good.withOutput(output.substring(0, 30)));
        bad.add(good.withOutput(""));
        bad.add(good.withAd(good.ad.isEmpty() ? "00" : flipped(good.ad, 0)));
        bad.add(good.withNonce(flipped(good.nonce, good.nonce.length() - 2)));
        bad.add(good.withKey(flipped(good.key, good.key.length() - 2)));
        for (String schedule : schedules(offer)) {
          for (Known one : bad) {
            JsonObject answer = answer(contender, offer, schedule, one);
            assertTrue(answer.has("refused"), contender.name() + " " + one + ": " + answer);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("contenders")
  void keysAndNoncesOfOtherLengthsAreUnsupported(Contender contender) throws Refused {
    for (Offer offer : offers(contender)) {
      Known good = known(offer).get(0);
      List<Known> bad = new ArrayList<>();
      if (keyed(offer) && !offer.primitive().startsWith("hmac-")) {
        // Half a key is the key of another primitive: AES-128 for AES-256.
        bad.add(good.withKey(good.key.substring(2)));
        bad.add(good.withKey(good.key.substring(good.key.length() / 2)));
      }
      if (sealed(offer)) {
        for (int length : new int[] {0, 8, 12, 16, 24}) {
          if (2 * length != good.nonce.length()) {
            bad.add(good.withNonce("00".repeat(length)));
          }
        }
      }
      for (String schedule : schedules(offer)) {
        for (Known one : bad) {
          JsonObject answer = answer(contender, offer, schedule, one);
          assertTrue(answer.has("unsupported"), contender.name() + " " + one + ": " + answer);
        }
      }
    }
  }

  /** One bit of the byte at an even place of the hex. */
  private static String flipped(String hex, int at) {
    int changed = Integer.parseInt(hex.substring(at, at + 2), 16) ^ 0x10;
    return hex.substring(0, at) + String.format("%02x", changed) + hex.substring(at + 2);
  }
}

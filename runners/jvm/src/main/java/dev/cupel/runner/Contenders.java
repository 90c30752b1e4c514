package dev.cupel.runner;

import dev.cupel.aead.AeadEngine;
import dev.cupel.runner.Contender.Offer;
import dev.cupel.runner.contenders.Asherah;
import dev.cupel.runner.contenders.BouncyCastle;
import dev.cupel.runner.contenders.Cupel;
import dev.cupel.runner.contenders.Empty;
import dev.cupel.runner.contenders.Guava;
import dev.cupel.runner.contenders.Hash4j;
import dev.cupel.runner.contenders.Jca;
import dev.cupel.runner.contenders.JcaAead;
import dev.cupel.runner.contenders.Pando;
import dev.cupel.runner.contenders.Zackehh;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The runner's table. Makers are lambdas, not method references: a method reference would load its
 * class, and with it the library, in every process (half a second for BouncyCastle's signed jar).
 */
final class Contenders {
  private static final String BC = "org.bouncycastle.jce.provider.BouncyCastleProvider";
  private static final String CONSCRYPT = "org.conscrypt.OpenSSLProvider";
  private static final String ACCP =
      "com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider";

  private static final String APACHE = "Apache-2.0";
  private static final String GPL = "GPL-2.0-only WITH Classpath-exception-2.0";
  private static final String OURS = "MIT OR Apache-2.0";

  private Contenders() {}

  static List<Contender> all() {
    String java = Versions.java();
    return List.of(
        new Contender(
            "empty",
            "cupel",
            Versions.of("runner"),
            OURS,
            "nothing, through the same call: what the runner itself costs",
            null,
            offers(digests("empty")),
            task -> new Empty()),
        new Contender(
            "jdk",
            "JDK",
            java,
            GPL,
            "MessageDigest.getInstance in every call; Mac and Cipher kept, with the key in every init",
            null,
            offers(
                digests("sha1", "sha256", "sha512", "sha512-256", "sha3-256"),
                macs("hmac-sha256", "hmac-sha512"),
                aeads(null, "aes-128-gcm", "aes-256-gcm", "chacha20-poly1305")),
            Contenders::jdk),
        new Contender(
            "jdk-reused",
            "JDK",
            java,
            GPL,
            "one MessageDigest for all calls",
            null,
            offers(digests("sha1", "sha256", "sha512", "sha512-256", "sha3-256"), many("sha256")),
            task -> Jca.reused(task, null)),
        new Contender(
            "bouncycastle",
            "BouncyCastle",
            Versions.of("bouncycastle"),
            "MIT",
            "lightweight classes, kept; the key schedule kept where the contract prepares it; GCM-SIV and"
                + " XChaCha20 take the key in every call",
            "org.bouncycastle.crypto.digests.SHA256Digest",
            offers(
                digests("sha1", "sha256", "sha512", "sha512-256", "sha3-256", "shake128"),
                digests("blake2b", "blake2s", "blake3"),
                macs("hmac-sha256", "hmac-sha512", "aes-cmac", "blake3-keyed"),
                macs("siphash-1-3", "siphash-2-4"),
                aeads(null, "aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"),
                aeads("per-call", "aes-256-gcm-siv", "xchacha20-poly1305")),
            task -> BouncyCastle.prepare(task)),
        new Contender(
            "bouncycastle-jce",
            "BouncyCastle",
            Versions.of("bouncycastle"),
            "MIT",
            "its JCE provider; init takes the key in every call",
            BC,
            offers(
                aeads("per-call", "aes-128-gcm", "aes-256-gcm", "aes-256-gcm-siv"),
                aeads("per-call", "chacha20-poly1305", "xchacha20-poly1305")),
            task -> new JcaAead(task, BC, false)),
        new Contender(
            "conscrypt",
            "Conscrypt",
            Versions.of("conscrypt"),
            APACHE,
            "one MessageDigest, Mac or Cipher kept; AEADs take the key in every call",
            CONSCRYPT,
            offers(
                digests("sha1", "sha256", "sha512"),
                macs("hmac-sha256", "hmac-sha512", "aes-cmac"),
                aeads("per-call", "aes-128-gcm", "aes-256-gcm", "aes-256-gcm-siv"),
                aeads("per-call", "chacha20-poly1305", "xchacha20-poly1305")),
            task -> jca(task, CONSCRYPT, false)),
        new Contender(
            "accp",
            "Amazon Corretto Crypto Provider",
            Versions.of("accp"),
            APACHE,
            "one MessageDigest, Mac or Cipher kept, the key in every init",
            ACCP,
            offers(
                digests("sha1", "sha256", "sha512"),
                macs("hmac-sha256", "hmac-sha512"),
                aeads(null, "aes-128-gcm", "aes-256-gcm")),
            task -> jca(task, ACCP, true)),
        new Contender(
            "asherah",
            "Asherah",
            Versions.of("asherah"),
            "MIT",
            "its BouncyCastle engine, nonces given; new arrays, copied to the output",
            "com.godaddy.asherah.crypto.engine.bouncycastle.BouncyAes256GcmCrypto",
            offers(aeads("per-call", "aes-256-gcm")),
            task -> Asherah.prepare(task)),
        new Contender(
            "pando",
            "software.pando.crypto:siphash",
            Versions.of("pando"),
            APACHE,
            "SipHash.mac, whose new array is copied to the output",
            "software.pando.crypto.siphash.SipHash",
            offers(macs("siphash-1-3", "siphash-2-4", "siphash-2-4-128")),
            task -> Pando.prepare(task)),
        new Contender(
            "zackehh",
            "com.zackehh:siphash",
            Versions.of("zackehh"),
            "MIT",
            "SipHash.hash",
            "com.zackehh.siphash.SipHash",
            offers(macs("siphash-1-3", "siphash-2-4")),
            task -> Zackehh.prepare(task)),
        new Contender(
            "guava",
            "Guava",
            Versions.of("guava"),
            APACHE,
            "HashFunction.hashBytes, a Hasher where streamed",
            "com.google.common.hash.Hashing",
            offers(macs("siphash-2-4"), digests("murmur3-32", "murmur3-128")),
            task -> Guava.prepare(task)),
        new Contender(
            "hash4j",
            "hash4j",
            Versions.of("hash4j"),
            APACHE,
            "Hasher64.hashBytesToLong: unkeyed, a mark of speed",
            "com.dynatrace.hash4j.hashing.Hashing",
            offers(digests("xxh3-64", "wyhash-final-4", "komihash-5-0", "rapidhash-3")),
            task -> Hash4j.prepare(task)),
        new Contender(
            "cupel",
            "dev.cupel:cupel",
            Versions.of("cupel"),
            OURS,
            "one instance kept; streaming classes where streamed; HMAC and batches by the JDK where that is faster",
            "dev.cupel.hash.Sha256",
            offers(
                digests("sha256"),
                many("sha256"),
                macs("hmac-sha256"),
                macs("siphash-1-3", "siphash-2-4", "siphash-1-3-128", "siphash-2-4-128")
                    .map(Offer::shared)),
            task -> Cupel.prepare(task)),
        new Contender(
            "cupel-aead-jdk",
            "dev.cupel:cupel",
            Versions.of("cupel"),
            OURS,
            "Aead on the JDK, nonces given",
            "dev.cupel.aead.Aead",
            offers(aeads(null, "aes-256-gcm").map(Contenders::openedTogether)),
            task -> Cupel.aead(task, AeadEngine.JDK)),
        new Contender(
            "cupel-aead-accp",
            "dev.cupel:cupel",
            Versions.of("cupel"),
            OURS,
            "Aead on ACCP, nonces given",
            ACCP,
            offers(aeads(null, "aes-256-gcm").map(Contenders::openedTogether)),
            task -> Cupel.aead(task, AeadEngine.ACCP)));
  }

  /**
   * Threads share an Aead only to open: nonces that are given must increase over all threads, and
   * the nonces of a slice do not.
   */
  private static Offer openedTogether(Offer offer) {
    return offer.operation().equals("open") ? offer.shared() : offer;
  }

  private static Call jdk(Task task) throws Exception {
    return switch (task.operation()) {
      case "digest" -> Jca.instanced(task);
      case "mac" -> Jca.mac(task, null);
      default -> new JcaAead(task, null, true);
    };
  }

  private static Call jca(Task task, String provider, boolean keepsSchedule) throws Exception {
    return switch (task.operation()) {
      case "digest" -> Jca.reused(task, provider);
      case "mac" -> Jca.mac(task, provider);
      default -> new JcaAead(task, provider, keepsSchedule);
    };
  }

  @SafeVarargs
  @SuppressWarnings("varargs")
  private static List<Offer> offers(Stream<Offer>... parts) {
    return Arrays.stream(parts).flatMap(part -> part).toList();
  }

  private static Stream<Offer> digests(String... primitives) {
    return Arrays.stream(primitives).map(primitive -> new Offer(primitive, "digest"));
  }

  private static Stream<Offer> many(String... primitives) {
    return Arrays.stream(primitives).map(primitive -> new Offer(primitive, "digest-many"));
  }

  private static Stream<Offer> macs(String... primitives) {
    return Arrays.stream(primitives).map(primitive -> new Offer(primitive, "mac"));
  }

  /** Both directions and the round trip; {@code key} says where the key schedule must be. */
  private static Stream<Offer> aeads(String key, String... primitives) {
    return Arrays.stream(primitives)
        .flatMap(
            primitive ->
                Stream.of("seal", "open", "seal-open")
                    .map(operation -> new Offer(primitive, operation, key, false)));
  }
}

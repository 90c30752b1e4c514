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
import dev.cupel.runner.contenders.JcaGcm;
import dev.cupel.runner.contenders.Pando;
import dev.cupel.runner.contenders.Zackehh;
import java.util.List;

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
            List.of(new Offer("empty", "digest")),
            task -> new Empty()),
        new Contender(
            "jdk",
            "JDK",
            java,
            GPL,
            "MessageDigest.getInstance in every call; Mac and Cipher kept, with the key in every init",
            null,
            List.of(
                new Offer("sha1", "digest"),
                new Offer("sha256", "digest"),
                new Offer("sha512", "digest"),
                new Offer("hmac-sha256", "mac"),
                new Offer("aes-256-gcm", "seal"),
                new Offer("aes-256-gcm", "open"),
                new Offer("aes-256-gcm", "seal-open")),
            Contenders::jdk),
        new Contender(
            "jdk-reused",
            "JDK",
            java,
            GPL,
            "one MessageDigest for all calls",
            null,
            digests(),
            task -> Jca.reused(task, null)),
        new Contender(
            "bouncycastle",
            "BouncyCastle",
            Versions.of("bouncycastle"),
            "MIT",
            "lightweight classes, kept; GCM's key schedule kept where the contract prepares it",
            "org.bouncycastle.crypto.digests.SHA256Digest",
            List.of(
                new Offer("sha1", "digest"),
                new Offer("sha256", "digest"),
                new Offer("sha512", "digest"),
                new Offer("hmac-sha256", "mac"),
                new Offer("siphash-1-3", "mac"),
                new Offer("siphash-2-4", "mac"),
                new Offer("aes-256-gcm", "seal"),
                new Offer("aes-256-gcm", "open"),
                new Offer("aes-256-gcm", "seal-open")),
            task -> BouncyCastle.prepare(task)),
        new Contender(
            "bouncycastle-jce",
            "BouncyCastle",
            Versions.of("bouncycastle"),
            "MIT",
            "its JCE provider; GCM's init takes the key in every call",
            BC,
            gcm("per-call"),
            task -> new JcaGcm(task, BC, false)),
        new Contender(
            "conscrypt",
            "Conscrypt",
            Versions.of("conscrypt"),
            APACHE,
            "one MessageDigest, Mac or Cipher kept; GCM takes the key in every call",
            CONSCRYPT,
            jca("per-call"),
            task -> jca(task, CONSCRYPT, false)),
        new Contender(
            "accp",
            "Amazon Corretto Crypto Provider",
            Versions.of("accp"),
            APACHE,
            "one MessageDigest, Mac or Cipher kept, the key in every init",
            ACCP,
            jca(null),
            task -> jca(task, ACCP, true)),
        new Contender(
            "asherah",
            "Asherah",
            Versions.of("asherah"),
            "MIT",
            "its BouncyCastle engine, nonces given; new arrays, copied to the output",
            "com.godaddy.asherah.crypto.engine.bouncycastle.BouncyAes256GcmCrypto",
            gcm("per-call"),
            task -> Asherah.prepare(task)),
        new Contender(
            "pando",
            "software.pando.crypto:siphash",
            Versions.of("pando"),
            APACHE,
            "SipHash.mac, whose new array is copied to the output",
            "software.pando.crypto.siphash.SipHash",
            List.of(
                new Offer("siphash-1-3", "mac"),
                new Offer("siphash-2-4", "mac"),
                new Offer("siphash-2-4-128", "mac")),
            task -> Pando.prepare(task)),
        new Contender(
            "zackehh",
            "com.zackehh:siphash",
            Versions.of("zackehh"),
            "MIT",
            "SipHash.hash",
            "com.zackehh.siphash.SipHash",
            List.of(new Offer("siphash-1-3", "mac"), new Offer("siphash-2-4", "mac")),
            task -> Zackehh.prepare(task)),
        new Contender(
            "guava",
            "Guava",
            Versions.of("guava"),
            APACHE,
            "HashFunction.hashBytes, a Hasher where streamed",
            "com.google.common.hash.Hashing",
            List.of(
                new Offer("siphash-2-4", "mac"),
                new Offer("murmur3-32", "digest"),
                new Offer("murmur3-128", "digest")),
            task -> Guava.prepare(task)),
        new Contender(
            "hash4j",
            "hash4j",
            Versions.of("hash4j"),
            APACHE,
            "Hasher64.hashBytesToLong: unkeyed, a mark of speed",
            "com.dynatrace.hash4j.hashing.Hashing",
            List.of(
                new Offer("xxh3-64", "digest"),
                new Offer("wyhash-final-4", "digest"),
                new Offer("komihash-5-0", "digest"),
                new Offer("rapidhash-3", "digest")),
            task -> Hash4j.prepare(task)),
        new Contender(
            "cupel",
            "dev.cupel:cupel",
            Versions.of("cupel"),
            OURS,
            "one instance kept; streaming classes where streamed",
            "dev.cupel.hash.Sha256",
            List.of(
                new Offer("sha256", "digest"),
                new Offer("hmac-sha256", "mac"),
                new Offer("siphash-1-3", "mac"),
                new Offer("siphash-2-4", "mac"),
                new Offer("siphash-1-3-128", "mac"),
                new Offer("siphash-2-4-128", "mac")),
            task -> Cupel.prepare(task)),
        new Contender(
            "cupel-aead-jdk",
            "dev.cupel:cupel",
            Versions.of("cupel"),
            OURS,
            "Aead on the JDK, nonces given",
            "dev.cupel.aead.Aead",
            gcm(null),
            task -> Cupel.aead(task, AeadEngine.JDK)),
        new Contender(
            "cupel-aead-accp",
            "dev.cupel:cupel",
            Versions.of("cupel"),
            OURS,
            "Aead on ACCP, nonces given",
            ACCP,
            gcm(null),
            task -> Cupel.aead(task, AeadEngine.ACCP)));
  }

  private static Call jdk(Task task) throws Exception {
    return switch (task.operation()) {
      case "digest" -> Jca.instanced(task);
      case "mac" -> Jca.mac(task, null);
      default -> new JcaGcm(task, null, true);
    };
  }

  private static Call jca(Task task, String provider, boolean keepsSchedule) throws Exception {
    return switch (task.operation()) {
      case "digest" -> Jca.reused(task, provider);
      case "mac" -> Jca.mac(task, provider);
      default -> new JcaGcm(task, provider, keepsSchedule);
    };
  }

  private static List<Offer> digests() {
    return List.of(
        new Offer("sha1", "digest"), new Offer("sha256", "digest"), new Offer("sha512", "digest"));
  }

  private static List<Offer> jca(String key) {
    return List.of(
        new Offer("sha1", "digest"),
        new Offer("sha256", "digest"),
        new Offer("sha512", "digest"),
        new Offer("hmac-sha256", "mac"),
        new Offer("aes-256-gcm", "seal", key),
        new Offer("aes-256-gcm", "open", key),
        new Offer("aes-256-gcm", "seal-open", key));
  }

  private static List<Offer> gcm(String key) {
    return List.of(
        new Offer("aes-256-gcm", "seal", key),
        new Offer("aes-256-gcm", "open", key),
        new Offer("aes-256-gcm", "seal-open", key));
  }
}

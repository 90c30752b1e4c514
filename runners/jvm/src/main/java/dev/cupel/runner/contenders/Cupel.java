package dev.cupel.runner.contenders;

import dev.cupel.aead.Aead;
import dev.cupel.aead.AeadEngine;
import dev.cupel.aead.AuthenticationException;
import dev.cupel.aead.EngineUnavailableException;
import dev.cupel.aead.MessageLengthException;
import dev.cupel.hash.HmacSha256;
import dev.cupel.hash.Sha256;
import dev.cupel.hash.SipHash;
import dev.cupel.hash.SipHasher;
import dev.cupel.runner.Bytes;
import dev.cupel.runner.Call;
import dev.cupel.runner.Refused;
import dev.cupel.runner.Task;

/** Cupel's own library. */
public final class Cupel {
  private Cupel() {}

  /** A prepared hash or MAC. */
  public static Call prepare(Task task) throws Exception {
    switch (task.primitive()) {
      case "sha256":
        if (task.operation().equals("digest-many")) {
          return new Sha256Batch(task);
        }
        return task.chunks().length == 0 ? new Sha256Whole() : new Sha256Pieces(task);
      case "hmac-sha256":
        return Keyed.of(task, () -> new Hmac(task));
      case "siphash-1-3":
        return sip(task, 1, 3, false);
      case "siphash-2-4":
        return sip(task, 2, 4, false);
      case "siphash-1-3-128":
        return sip(task, 1, 3, true);
      case "siphash-2-4-128":
        return sip(task, 2, 4, true);
      default:
        throw Refused.unsupported("no " + task.primitive());
    }
  }

  private static Call sip(Task task, int c, int d, boolean wide) throws Exception {
    task.keyOf(SipHash.KEY_LENGTH);
    if (task.chunks().length > 0) {
      return Keyed.of(task, () -> new SipPieces(task, SipHash.of(c, d, task.key()), wide));
    }
    return wide
        ? Keyed.of(task, () -> new Sip128(SipHash.of(c, d, task.key())))
        : Keyed.of(task, () -> new Sip64(SipHash.of(c, d, task.key())));
  }

  /** AES-256-GCM by an engine, with nonces given by the caller. */
  public static Call aead(Task task, AeadEngine engine) throws Exception {
    task.inOnePiece();
    task.keyOf(Aead.KEY_LENGTH);
    try {
      return task.operation().equals("seal")
          ? Keyed.of(task, () -> new Seal(Aead.of(engine, task.key()), task.ad()))
          : Keyed.of(task, () -> new Open(Aead.of(engine, task.key()), task.ad()));
    } catch (EngineUnavailableException e) {
      throw Refused.missing(e.getMessage(), null);
    }
  }

  private static final class Sha256Whole extends Call {
    private final Sha256 hash = new Sha256();

    @Override
    public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to) {
      hash.hash(input, offset, length, output, to);
      return Sha256.DIGEST_LENGTH;
    }
  }

  private static final class Sha256Batch extends Call {
    private final int count;

    Sha256Batch(Task task) {
      count = task.contract().batch();
    }

    @Override
    public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to) {
      Sha256.digestMany(input, offset, length / count, count, output, to);
      return count * Sha256.DIGEST_LENGTH;
    }

    @Override
    public String codePath() {
      return Sha256.path();
    }
  }

  private static final class Sha256Pieces extends Chunks {
    private final Sha256 hash = new Sha256();

    Sha256Pieces(Task task) {
      super(task);
    }

    @Override
    void update(byte[] input, int offset, int length) {
      hash.update(input, offset, length);
    }

    @Override
    int finish(byte[] output, int to) {
      hash.digest(output, to);
      return Sha256.DIGEST_LENGTH;
    }
  }

  private static final class Hmac extends Chunks {
    private final HmacSha256 mac;

    Hmac(Task task) {
      super(task);
      mac = new HmacSha256(task.key());
    }

    @Override
    void update(byte[] input, int offset, int length) {
      mac.update(input, offset, length);
    }

    @Override
    int finish(byte[] output, int to) {
      mac.tag(output, to);
      return HmacSha256.TAG_LENGTH;
    }

    @Override
    public String codePath() {
      return Sha256.path();
    }
  }

  private static final class Sip64 extends Call {
    private final SipHash sip;

    Sip64(SipHash sip) {
      this.sip = sip;
    }

    @Override
    public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to) {
      Bytes.put(output, to, sip.hash(input, offset, length));
      return 8;
    }
  }

  private static final class Sip128 extends Call {
    private final SipHash sip;

    Sip128(SipHash sip) {
      this.sip = sip;
    }

    @Override
    public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to) {
      sip.hash128(input, offset, length, output, to);
      return 16;
    }
  }

  private static final class SipPieces extends Chunks {
    private final SipHasher hasher;

    SipPieces(Task task, SipHash sip, boolean wide) {
      super(task);
      hasher = wide ? sip.hasher128() : sip.hasher();
    }

    @Override
    void update(byte[] input, int offset, int length) {
      hasher.update(input, offset, length);
    }

    @Override
    int finish(byte[] output, int to) {
      return hasher.finish(output, to);
    }
  }

  private static final class Seal extends Call {
    private final Aead aead;
    private final byte[] ad;

    Seal(Aead aead, byte[] ad) {
      this.aead = aead;
      this.ad = ad;
    }

    @Override
    public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to)
        throws Exception {
      return aead.seal(nonce, input, offset, length, ad, output, to);
    }

    @Override
    public String codePath() {
      return aead.provider();
    }
  }

  private static final class Open extends Call {
    private final Aead aead;
    private final byte[] ad;

    Open(Aead aead, byte[] ad) {
      this.aead = aead;
      this.ad = ad;
    }

    @Override
    public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to)
        throws Exception {
      try {
        return aead.open(nonce, input, offset, length, ad, output, to);
      } catch (AuthenticationException | MessageLengthException e) {
        throw new NotAuthentic(e);
      }
    }

    @Override
    public String codePath() {
      return aead.provider();
    }
  }
}

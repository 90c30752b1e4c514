package dev.cupel.runner.contenders;

import dev.cupel.runner.Call;
import dev.cupel.runner.Refused;
import dev.cupel.runner.Task;
import org.bouncycastle.crypto.digests.Blake2bDigest;
import org.bouncycastle.crypto.digests.Blake2sDigest;
import org.bouncycastle.crypto.digests.Blake3Digest;
import org.bouncycastle.crypto.digests.SHA1Digest;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.digests.SHA3Digest;
import org.bouncycastle.crypto.digests.SHA512Digest;
import org.bouncycastle.crypto.digests.SHA512tDigest;
import org.bouncycastle.crypto.digests.SHAKEDigest;
import org.bouncycastle.crypto.engines.AESEngine;
import org.bouncycastle.crypto.macs.Blake3Mac;
import org.bouncycastle.crypto.macs.CMac;
import org.bouncycastle.crypto.macs.HMac;
import org.bouncycastle.crypto.macs.SipHash;
import org.bouncycastle.crypto.params.KeyParameter;
import org.bouncycastle.util.Memoable;

/**
 * Hashes and MACs of BouncyCastle's lightweight interface: its own classes, without the JCA. {@link
 * BouncyCastleAead} has the AEADs.
 */
public final class BouncyCastle {
  private BouncyCastle() {}

  /** A prepared call for any of its offers. */
  public static Call prepare(Task task) throws Exception {
    return switch (task.primitive()) {
      case "sha1" -> new Digest(task, new SHA1Digest());
      case "sha256" -> new Digest(task, new SHA256Digest());
      case "sha512" -> new Digest(task, new SHA512Digest());
      case "sha512-256" -> new Digest(task, new SHA512tDigest(256));
      case "sha3-256" -> new Digest(task, new SHA3Digest(256));
      case "shake128" -> new Digest(task, new SHAKEDigest(128));
      case "blake2b" -> new Digest(task, new Blake2bDigest(512));
      case "blake2s" -> new Digest(task, new Blake2sDigest(256));
      case "blake3" -> new Digest(task, new Blake3Digest(256));
      case "hmac-sha256" -> new Mac(task, new HMac(new SHA256Digest()));
      case "hmac-sha512" -> new Mac(task, new HMac(new SHA512Digest()));
      case "aes-cmac" -> keyed(task, 16, new CMac(AESEngine.newInstance()));
      case "blake3-keyed" -> keyed(task, 32, new Blake3Mac(new Blake3Digest(256)));
      case "siphash-1-3" -> keyed(task, 16, new SipHash(1, 3));
      case "siphash-2-4" -> keyed(task, 16, new SipHash(2, 4));
      default -> new BouncyCastleAead(task);
    };
  }

  private static Call keyed(Task task, int length, org.bouncycastle.crypto.Mac mac) throws Refused {
    task.keyOf(length);
    return new Mac(task, mac);
  }

  private static final class Digest extends Chunks {
    private final org.bouncycastle.crypto.Digest digest;

    /** The state of the contract's prefix, or null if there is none or it cannot be copied. */
    private final Memoable first;

    Digest(Task task, org.bouncycastle.crypto.Digest digest) {
      super(task);
      this.digest = digest;
      byte[] prefix = task.contract().prefixBytes();
      digest.update(prefix, 0, prefix.length);
      boolean copies = prefix.length > 0 && digest instanceof Memoable;
      first = copies ? ((Memoable) digest).copy() : null;
    }

    @Override
    public boolean copiesPrefix() {
      return first != null;
    }

    @Override
    void begin() {
      if (first != null) {
        ((Memoable) digest).reset(first);
      }
    }

    @Override
    void update(byte[] input, int offset, int length) {
      digest.update(input, offset, length);
    }

    @Override
    int finish(byte[] output, int to) {
      return digest.doFinal(output, to);
    }
  }

  private static final class Mac extends Chunks {
    private final org.bouncycastle.crypto.Mac mac;
    private final byte[] key;
    private final boolean perCall;

    Mac(Task task, org.bouncycastle.crypto.Mac mac) {
      super(task);
      this.mac = mac;
      key = task.key();
      perCall = task.contract().keyPerCall();
      mac.init(new KeyParameter(key));
    }

    @Override
    void begin() {
      if (perCall) {
        mac.init(new KeyParameter(key));
      }
    }

    @Override
    void update(byte[] input, int offset, int length) {
      mac.update(input, offset, length);
    }

    @Override
    int finish(byte[] output, int to) {
      return mac.doFinal(output, to);
    }
  }
}

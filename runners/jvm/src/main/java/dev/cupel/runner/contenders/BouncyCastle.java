package dev.cupel.runner.contenders;

import dev.cupel.runner.Call;
import dev.cupel.runner.Refused;
import dev.cupel.runner.Task;
import org.bouncycastle.crypto.InvalidCipherTextException;
import org.bouncycastle.crypto.digests.SHA1Digest;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.digests.SHA512Digest;
import org.bouncycastle.crypto.engines.AESEngine;
import org.bouncycastle.crypto.macs.HMac;
import org.bouncycastle.crypto.macs.SipHash;
import org.bouncycastle.crypto.modes.GCMBlockCipher;
import org.bouncycastle.crypto.modes.GCMModeCipher;
import org.bouncycastle.crypto.params.AEADParameters;
import org.bouncycastle.crypto.params.KeyParameter;

/** BouncyCastle's lightweight interface: its own classes, without the JCA. */
public final class BouncyCastle {
  private BouncyCastle() {}

  /** A prepared call for any of its offers. */
  public static Call prepare(Task task) throws Exception {
    switch (task.primitive()) {
      case "sha1":
        return new Digest(task, new SHA1Digest());
      case "sha256":
        return new Digest(task, new SHA256Digest());
      case "sha512":
        return new Digest(task, new SHA512Digest());
      case "hmac-sha256":
        return new Mac(task, new HMac(new SHA256Digest()));
      case "siphash-1-3":
        task.keyOf(16);
        return new Mac(task, new SipHash(1, 3));
      case "siphash-2-4":
        task.keyOf(16);
        return new Mac(task, new SipHash(2, 4));
      case "aes-256-gcm":
        return new Gcm(task);
      default:
        throw Refused.unsupported("no " + task.primitive());
    }
  }

  private static final class Digest extends Chunks {
    private final org.bouncycastle.crypto.Digest digest;

    Digest(Task task, org.bouncycastle.crypto.Digest digest) {
      super(task);
      this.digest = digest;
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

  private static final class Gcm extends Call {
    private final GCMModeCipher cipher = GCMBlockCipher.newInstance(AESEngine.newInstance());
    private final boolean sealing;
    private final boolean perCall;
    private final byte[] key;
    private final byte[] ad;

    Gcm(Task task) throws Refused {
      task.inOnePiece();
      task.keyOf(32);
      sealing = task.operation().equals("seal");
      perCall = task.contract().keyPerCall();
      key = task.key();
      ad = task.ad();
      if (!perCall) {
        // A nonce that no message has: this call is for the key schedule, which is kept.
        byte[] none = new byte[13];
        cipher.init(sealing, new AEADParameters(new KeyParameter(key), 128, none));
      }
    }

    @Override
    public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to)
        throws Exception {
      KeyParameter keyed = perCall ? new KeyParameter(key) : null;
      cipher.init(sealing, new AEADParameters(keyed, 128, nonce));
      if (ad.length > 0) {
        cipher.processAADBytes(ad, 0, ad.length);
      }
      int written = cipher.processBytes(input, offset, length, output, to);
      try {
        return written + cipher.doFinal(output, to + written);
      } catch (InvalidCipherTextException e) {
        // It writes plaintext before it has verified the tag; the caller must not see it.
        java.util.Arrays.fill(output, to, to + Math.max(0, length - 16), (byte) 0);
        throw new NotAuthentic(e);
      }
    }

    @Override
    public String codePath() {
      return cipher.getUnderlyingCipher().getClass().getSimpleName();
    }
  }
}

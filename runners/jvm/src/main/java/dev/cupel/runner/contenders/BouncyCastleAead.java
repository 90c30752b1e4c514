package dev.cupel.runner.contenders;

import dev.cupel.runner.Call;
import dev.cupel.runner.Refused;
import dev.cupel.runner.Task;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.bouncycastle.crypto.InvalidCipherTextException;
import org.bouncycastle.crypto.engines.AESEngine;
import org.bouncycastle.crypto.modes.AEADBlockCipher;
import org.bouncycastle.crypto.modes.AEADCipher;
import org.bouncycastle.crypto.modes.ChaCha20Poly1305;
import org.bouncycastle.crypto.modes.GCMBlockCipher;
import org.bouncycastle.crypto.modes.GCMSIVBlockCipher;
import org.bouncycastle.crypto.modes.XChaCha20Poly1305;
import org.bouncycastle.crypto.params.AEADParameters;
import org.bouncycastle.crypto.params.KeyParameter;

/** AEADs of BouncyCastle's lightweight interface. */
final class BouncyCastleAead extends Call {
  private final AEADCipher cipher;
  private final boolean sealing;
  private final boolean perCall;
  private final byte[] key;
  private final byte[] ad;

  BouncyCastleAead(Task task) throws Refused {
    task.inOnePiece();
    task.keyOf(task.primitive().equals("aes-128-gcm") ? 16 : 32);
    cipher =
        switch (task.primitive()) {
          case "aes-128-gcm", "aes-256-gcm" -> GCMBlockCipher.newInstance(AESEngine.newInstance());
          case "aes-256-gcm-siv" -> new GCMSIVBlockCipher(AESEngine.newInstance());
          case "chacha20-poly1305" -> new ChaCha20Poly1305();
          case "xchacha20-poly1305" -> new XChaCha20Poly1305();
          default -> throw Refused.unsupported("no " + task.primitive());
        };
    sealing = task.operation().equals("seal");
    perCall = task.contract().keyPerCall();
    key = task.key();
    ad = task.ad();
    if (!perCall) {
      // For the key schedule, which is kept. A nonce that no call has, because it is refused twice:
      // the nonces of calls are numbers, and of test vectors patterns.
      byte[] none = "no call has!".getBytes(StandardCharsets.US_ASCII);
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
      Arrays.fill(output, to, to + Math.max(0, length - 16), (byte) 0);
      throw new NotAuthentic(e);
    }
  }

  @Override
  public String codePath() {
    return cipher instanceof AEADBlockCipher block
        ? block.getUnderlyingCipher().getClass().getSimpleName()
        : "java";
  }
}

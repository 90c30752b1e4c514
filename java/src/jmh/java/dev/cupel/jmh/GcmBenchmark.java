package dev.cupel.jmh;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.Provider;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/**
 * AES-256-GCM by {@code Cipher}: the key schedule in every call, nonces from a counter, the output
 * in a given buffer. This is the contract of document 004's suite.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class GcmBenchmark {
  private static final String NAME = "AES/GCM/NoPadding";
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** Length of a plaintext in bytes. */
  @Param({"64", "256", "1024", "4096"})
  public int size;

  /** The provider of the cipher. */
  @Param({"jdk", "bouncycastle-jce", "conscrypt", "accp"})
  public String provider;

  private final byte[] key = new byte[32];
  private final byte[] nonce = new byte[12];
  private byte[][] sealed;
  private byte[][] nonces;
  private Messages messages;
  private Provider made;
  private Cipher kept;
  private byte[] output;
  private long calls;

  /** Creates the messages, and as many sealed ones. */
  @Setup
  public void setUp() throws Exception {
    messages = Messages.anywhere(size);
    output = new byte[size + 64];
    String name =
        switch (provider) {
          case "bouncycastle-jce" -> "org.bouncycastle.jce.provider.BouncyCastleProvider";
          case "conscrypt" -> "org.conscrypt.OpenSSLProvider";
          case "accp" -> "com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider";
          default -> null;
        };
    made =
        name == null ? null : (Provider) Class.forName(name).getDeclaredConstructor().newInstance();
    // These two keep the schedule of the previous key; a new cipher has none to keep.
    kept = provider.equals("jdk") || provider.equals("accp") ? null : cipher();
    sealed = new byte[messages.count()][messages.offset + size + 16];
    nonces = new byte[messages.count()][];
    for (int i = 0; i < sealed.length; i++) {
      nonces[i] = counted().clone();
      keyed(Cipher.ENCRYPT_MODE, nonces[i])
          .doFinal(messages.next(), messages.offset, size, sealed[i], messages.offset);
    }
  }

  /** Seals. */
  @Benchmark
  public void seal(Blackhole hole) throws Exception {
    Cipher cipher = keyed(Cipher.ENCRYPT_MODE, counted());
    hole.consume(cipher.doFinal(messages.next(), messages.offset, size, output, 0));
    hole.consume(output);
  }

  /** Opens. */
  @Benchmark
  public void open(Blackhole hole) throws Exception {
    int i = (int) calls++ & sealed.length - 1;
    Cipher cipher = keyed(Cipher.DECRYPT_MODE, nonces[i]);
    hole.consume(cipher.doFinal(sealed[i], messages.offset, size + 16, output, 0));
    hole.consume(output);
  }

  private Cipher keyed(int mode, byte[] nonce) throws Exception {
    Cipher cipher = kept == null ? cipher() : kept;
    cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, nonce));
    return cipher;
  }

  private Cipher cipher() throws Exception {
    return made == null ? Cipher.getInstance(NAME) : Cipher.getInstance(NAME, made);
  }

  /** Advances the nonce, which all calls share. */
  private byte[] counted() {
    WORD.set(nonce, 4, calls++);
    return nonce;
  }
}

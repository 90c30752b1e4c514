package dev.cupel.jmh;

import dev.cupel.hash.Sha256;
import java.security.MessageDigest;
import java.security.Provider;
import java.util.concurrent.TimeUnit;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** SHA-256 of whole messages, into a given buffer. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Sha256Benchmark {
  /** Length of a message in bytes: document 000's sizes. */
  @Param({"13", "100", "1024", "10240"})
  public int size;

  private final Sha256 cupel = new Sha256();
  private final SHA256Digest bouncyCastle = new SHA256Digest();
  private final byte[] output = new byte[32];
  private Messages messages;
  private MessageDigest jdk;
  private MessageDigest conscrypt;
  private MessageDigest accp;

  /** Creates the messages and the digest objects. */
  @Setup
  public void setUp() throws Exception {
    messages = Messages.anywhere(size);
    jdk = MessageDigest.getInstance("SHA-256");
    conscrypt = of("org.conscrypt.OpenSSLProvider");
    accp = of("com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider");
  }

  private static MessageDigest of(String provider) throws Exception {
    Object made = Class.forName(provider).getDeclaredConstructor().newInstance();
    return MessageDigest.getInstance("SHA-256", (Provider) made);
  }

  /** Cupel's, one instance. */
  @Benchmark
  public byte[] cupel() {
    byte[] message = messages.next();
    cupel.hash(message, messages.offset, size, output, 0);
    return output;
  }

  /** BouncyCastle's lightweight class. */
  @Benchmark
  public byte[] bouncyCastle() {
    byte[] message = messages.next();
    bouncyCastle.update(message, messages.offset, size);
    bouncyCastle.doFinal(output, 0);
    return output;
  }

  /** The JDK's, a new instance in each call. */
  @Benchmark
  public byte[] jdk() throws Exception {
    return digest(MessageDigest.getInstance("SHA-256"));
  }

  /** The JDK's, one instance. */
  @Benchmark
  public byte[] jdkReused() throws Exception {
    return digest(jdk);
  }

  /** Conscrypt's, one instance. */
  @Benchmark
  public byte[] conscrypt() throws Exception {
    return digest(conscrypt);
  }

  /** ACCP's, one instance. */
  @Benchmark
  public byte[] accp() throws Exception {
    return digest(accp);
  }

  private byte[] digest(MessageDigest digest) throws Exception {
    byte[] message = messages.next();
    digest.update(message, messages.offset, size);
    digest.digest(output, 0, 32);
    return output;
  }
}

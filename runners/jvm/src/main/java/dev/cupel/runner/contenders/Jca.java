package dev.cupel.runner.contenders;

import dev.cupel.runner.Call;
import dev.cupel.runner.Task;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Hashes and MACs of the Java Cryptography Architecture, by any provider. */
public final class Jca {
  private static final Map<String, String> NAMES =
      Map.of(
          "sha1", "SHA-1",
          "sha256", "SHA-256",
          "sha512", "SHA-512",
          "sha512-256", "SHA-512/256",
          "sha3-256", "SHA3-256",
          "hmac-sha256", "HmacSHA256",
          "hmac-sha512", "HmacSHA512",
          "aes-cmac", "AESCMAC");
  private static final Map<String, String> FLAGS =
      Map.of(
          "sha1", "UseSHA1Intrinsics",
          "sha256", "UseSHA256Intrinsics",
          "sha512", "UseSHA512Intrinsics",
          "sha512-256", "UseSHA512Intrinsics",
          "sha3-256", "UseSHA3Intrinsics",
          "hmac-sha256", "UseSHA256Intrinsics",
          "hmac-sha512", "UseSHA512Intrinsics");

  private Jca() {}

  /** Each is created once, as in an application: a provider with hundreds of entries takes ms. */
  private static final Map<String, Provider> PROVIDERS = new HashMap<>();

  /** The provider with this class name, or the JDK's own. */
  static Provider provider(String className) throws Exception {
    Provider provider = PROVIDERS.get(className);
    if (provider == null && className != null) {
      provider = (Provider) Class.forName(className).getDeclaredConstructor().newInstance();
      PROVIDERS.put(className, provider);
    }
    return provider;
  }

  /** One digest object, used for every message, or for one after the other of a batch. */
  public static Call reused(Task task, String provider) throws Exception {
    MessageDigest digest = digest(NAMES.get(task.primitive()), provider(provider));
    String path = path(task, provider, digest.getProvider());
    if (task.contract().prefix() > 0) {
      return new Copied(task, digest, path);
    }
    return task.operation().equals("digest-many")
        ? new Batch(task, digest, path)
        : new Digest(task, digest, path);
  }

  /**
   * A new digest object for each message, requested by name from the registered provider, which is
   * the JDK's.
   */
  public static Call instanced(Task task) throws Exception {
    String name = NAMES.get(task.primitive());
    return new Instanced(task, name, path(task, null, digest(name, null).getProvider()));
  }

  /** HMAC or CMAC. */
  public static Call mac(Task task, String provider) throws Exception {
    String name = NAMES.get(task.primitive());
    Provider made = provider(provider);
    if (task.primitive().equals("aes-cmac")) {
      task.keyOf(16);
    } else if (task.key().length == 0) {
      throw dev.cupel.runner.Refused.unsupported("a key of no bytes");
    }
    Mac mac = made == null ? Mac.getInstance(name) : Mac.getInstance(name, made);
    return new Tag(task, mac, path(task, provider, mac.getProvider()));
  }

  private static MessageDigest digest(String name, Provider provider)
      throws NoSuchAlgorithmException {
    return provider == null
        ? MessageDigest.getInstance(name)
        : MessageDigest.getInstance(name, provider);
  }

  /**
   * The name of the requested provider; for the JDK's own, of the one that it selected. The list of
   * all providers is not searched: that would load each of them, and verify the signatures of those
   * on the class path.
   */
  private static String path(Task task, String asked, Provider given) {
    return asked != null
        ? asked
        : given.getName() + ", " + Hotspot.path(FLAGS.get(task.primitive()));
  }

  private static final class Digest extends Chunks {
    private final MessageDigest digest;
    private final int length;
    private final String path;

    Digest(Task task, MessageDigest digest, String path) {
      super(task);
      this.digest = digest;
      this.path = path;
      length = digest.getDigestLength();
    }

    @Override
    void update(byte[] input, int offset, int length) {
      digest.update(input, offset, length);
    }

    @Override
    int finish(byte[] output, int to) throws Exception {
      return digest.digest(output, to, length);
    }

    @Override
    public String codePath() {
      return path;
    }
  }

  /** Continues with a copy of one state for each message. */
  private static final class Copied extends Chunks {
    private final MessageDigest first;
    private final String path;
    private MessageDigest digest;

    Copied(Task task, MessageDigest first, String path) throws Exception {
      super(task);
      this.first = first;
      this.path = path;
      first.update(task.contract().prefixBytes());
      try {
        begin();
      } catch (CloneNotSupportedException e) {
        throw dev.cupel.runner.Refused.unsupported(path + " clones no state");
      }
    }

    @Override
    public boolean copiesPrefix() {
      return true;
    }

    @Override
    void begin() throws CloneNotSupportedException {
      digest = (MessageDigest) first.clone();
    }

    @Override
    void update(byte[] input, int offset, int length) {
      digest.update(input, offset, length);
    }

    @Override
    int finish(byte[] output, int to) throws Exception {
      return digest.digest(output, to, digest.getDigestLength());
    }

    @Override
    public String codePath() {
      return path;
    }
  }

  private static final class Batch extends Call {
    private final MessageDigest digest;
    private final int count;
    private final int length;
    private final String path;

    Batch(Task task, MessageDigest digest, String path) {
      this.digest = digest;
      this.path = path;
      count = task.contract().batch();
      length = digest.getDigestLength();
    }

    @Override
    public int call(byte[] input, int offset, int bytes, byte[] nonce, byte[] output, int to)
        throws Exception {
      int size = bytes / count;
      for (int i = 0; i < count; i++) {
        digest.update(input, offset + i * size, size);
        digest.digest(output, to + i * length, length);
      }
      return count * length;
    }

    @Override
    public String codePath() {
      return path;
    }
  }

  private static final class Instanced extends Chunks {
    private final String name;
    private final String path;
    private MessageDigest digest;

    Instanced(Task task, String name, String path) {
      super(task);
      this.name = name;
      this.path = path;
    }

    @Override
    void begin() throws Exception {
      digest = MessageDigest.getInstance(name);
    }

    @Override
    void update(byte[] input, int offset, int length) {
      digest.update(input, offset, length);
    }

    @Override
    int finish(byte[] output, int to) throws Exception {
      return digest.digest(output, to, digest.getDigestLength());
    }

    @Override
    public String codePath() {
      return path;
    }
  }

  private static final class Tag extends Chunks {
    private final Mac mac;
    private final byte[] key;
    private final boolean perCall;
    private final String path;

    Tag(Task task, Mac mac, String path) throws Exception {
      super(task);
      this.mac = mac;
      this.path = path;
      key = task.key();
      perCall = task.contract().keyPerCall();
      mac.init(new SecretKeySpec(key, mac.getAlgorithm()));
    }

    @Override
    void begin() throws Exception {
      if (perCall) {
        mac.init(new SecretKeySpec(key, mac.getAlgorithm()));
      }
    }

    @Override
    void update(byte[] input, int offset, int length) {
      mac.update(input, offset, length);
    }

    @Override
    int finish(byte[] output, int to) throws Exception {
      mac.doFinal(output, to);
      return mac.getMacLength();
    }

    @Override
    public String codePath() {
      return path;
    }
  }
}

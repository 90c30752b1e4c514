package dev.cupel.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An algorithm that a provider lacks on this system is missing, and not a wrong answer. */
class MissingTest {
  private static JsonObject message(int key) {
    JsonObject message = new JsonObject();
    message.add("input", JsonParser.parseString("{\"hex\":\"00\"}"));
    message.addProperty("key", "00".repeat(key));
    message.addProperty("nonce", key == 32 ? "00".repeat(12) : "");
    return message;
  }

  private static void isMissing(JsonObject reply, String reason) {
    assertEquals("missing", reply.get("status").getAsString(), reply.toString());
    assertTrue(reply.get("reason").getAsString().contains(reason), reply.toString());
  }

  private static Ask gcm() {
    return new Ask("aes-256-gcm", "seal").with("nonce", "counter").key(32);
  }

  /** As in FIPS mode, where fewer algorithms have a provider. */
  @Test
  void anAlgorithmWithoutAProviderIsMissing() {
    Provider[] providers = Security.getProviders();
    try {
      for (Provider provider : providers) {
        Security.removeProvider(provider.getName());
      }
      List<Contender> all = Contenders.all();
      Ask sha256 = new Ask("sha256", "digest");
      Ask mac = new Ask("hmac-sha256", "mac").key(20);
      isMissing(sha256.prepare(new Server(all), "jdk"), "JDK has no sha256 here: SHA-256");
      isMissing(sha256.compute(new Server(all), "jdk", message(0)), "SHA-256");
      isMissing(sha256.prepare(new Server(all), "jdk-reused"), "SHA-256");
      isMissing(mac.prepare(new Server(all), "jdk"), "HmacSHA256");
      for (Ask ask : List.of(gcm(), gcm().with("key", "per-call"))) {
        isMissing(ask.prepare(new Server(all), "jdk"), "AES/GCM/NoPadding");
        isMissing(ask.compute(new Server(all), "jdk", message(32)), "AES/GCM/NoPadding");
        isMissing(ask.prepare(new Server(all), "cupel-aead-jdk"), "no provider SunJCE");
      }
      Ask.ok(sha256.prepare(new Server(all), "bouncycastle"));
    } finally {
      for (Provider provider : providers) {
        Security.addProvider(provider);
      }
    }
    Ask.ok(new Ask("sha256", "digest").prepare(new Server(Contenders.all()), "jdk"));
  }

  /** As on a CPU or a C library for which a jar has no native library. */
  @Test
  void aProviderWithoutItsNativeLibraryIsMissing(@TempDir Path folder) throws Exception {
    Path jar = Path.of(System.getProperty("runner.jar"));
    Path copy = Files.copy(jar, folder.resolve(jar.getFileName()));
    Files.createDirectory(folder.resolve("lib"));
    try (Stream<Path> libraries = Files.list(jar.resolveSibling("lib"))) {
      for (Path library : libraries.toList()) {
        Path to = folder.resolve("lib").resolve(library.getFileName());
        if (library.toString().matches(".*(Corretto|conscrypt).*")) {
          copyWithoutNative(library, to);
        } else {
          Files.copy(library, to);
        }
      }
    }
    Ask sha256 = new Ask("sha256", "digest");
    for (String request :
        List.of(
            sha256.prepare("accp"), sha256.compute("accp", message(0)), gcm().prepare("accp"))) {
      isMissing(only(copy, request), "Amazon Corretto Crypto Provider has no ");
    }
    isMissing(only(copy, gcm().prepare("cupel-aead-accp")), "the engine ACCP is not available");
    for (String request :
        List.of(sha256.prepare("conscrypt"), sha256.compute("conscrypt", message(0)))) {
      isMissing(only(copy, request), "Conscrypt has no sha256 here: its native library");
    }
    Ask.ok(only(copy, sha256.prepare("jdk")));
  }

  /** The reply of a runner that is asked nothing else. */
  private static JsonObject only(Path jar, String request) throws IOException {
    try (Talk talk = new Talk(jar)) {
      return talk.ask(request);
    }
  }

  private static void copyWithoutNative(Path library, Path to) throws IOException {
    try (JarFile from = new JarFile(library.toFile());
        OutputStream file = Files.newOutputStream(to);
        JarOutputStream made = new JarOutputStream(file)) {
      for (JarEntry entry : from.stream().toList()) {
        if (!entry.getName().matches(".*\\.(so|dll|dylib|jnilib)")) {
          made.putNextEntry(new JarEntry(entry.getName()));
          try (InputStream bytes = from.getInputStream(entry)) {
            bytes.transferTo(made);
          }
        }
      }
    }
  }

  private static Contender contender(Contender.Maker maker) {
    List<Contender.Offer> offers = List.of(new Contender.Offer("sha256", "digest"));
    return new Contender("made-up", "Made up", "", "", "", null, offers, maker);
  }

  private static JsonObject compute(Contender contender) {
    return new Ask("sha256", "digest")
        .compute(new Server(List.of(contender)), "made-up", message(0));
  }

  @Test
  void whatDoesNotLoadIsMissingAndWhatFailsIsNot() {
    Throwable noLink = new UnsatisfiedLinkError("no crypto in java.library.path");
    for (Throwable lacking :
        List.of(
            noLink,
            new InvocationTargetException(noLink),
            new ExceptionInInitializerError(noLink),
            new NoClassDefFoundError("org/example/Native"))) {
      isMissing(compute(contender(task -> thrown(lacking))), "Made up has no sha256 here: ");
    }
    JsonObject broken = compute(contender(task -> thrown(new IllegalStateException("broken"))));
    assertTrue(broken.has("failed"), broken.toString());
  }

  private static Call thrown(Throwable thrown) throws Exception {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (Exception) thrown;
  }

  /** A call has been prepared, so its errors are wrong answers, whatever they are. */
  @Test
  void aCallThatFailsIsNotMissing() {
    for (Throwable error :
        List.of(new NoSuchAlgorithmException("SHA-256"), new UnsatisfiedLinkError("no symbol"))) {
      Call call =
          new Call() {
            @Override
            public int call(
                byte[] input, int offset, int length, byte[] nonce, byte[] output, int to)
                throws Exception {
              thrown(error);
              return 0;
            }
          };
      JsonObject answer = compute(contender(task -> call));
      assertTrue(answer.has("failed"), answer.toString());
    }
  }
}

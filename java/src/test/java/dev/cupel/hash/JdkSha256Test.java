package dev.cupel.hash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cupel.provider.CupelProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Security;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The JDK's SHA-256 is taken exactly where HotSpot has code of its own for it, or if asked for. */
class JdkSha256Test {
  /**
   * Prints the code path of a fresh JVM, and whose the JDK's SHA-256 is; with our provider first,
   * if there is an argument.
   */
  public static final class Main {
    private Main() {}

    /** Hashes, so that the selected code also works. */
    public static void main(String[] args) {
      if (args.length > 0) {
        Security.insertProviderAt(new CupelProvider(), 1);
      }
      Sha256.digest256(new byte[3]);
      new HmacSha256(new byte[3]).tag();
      System.out.println(Sha256.path() + " " + JdkSha256.create().getProvider().getName());
    }
  }

  private static String output(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    Process process = builder.start();
    byte[] said = process.getInputStream().readAllBytes();
    assertEquals(0, process.waitFor(), command::toString);
    return new String(said, StandardCharsets.UTF_8).strip();
  }

  private static String path(String option, String... arguments) throws Exception {
    List<String> all = new ArrayList<>();
    all.addAll(List.of("-cp", System.getProperty("java.class.path"), option, Main.class.getName()));
    all.addAll(List.of(arguments));
    String said = output(all.toArray(String[]::new));
    assertTrue(said.endsWith(" SUN"), said);
    return said.substring(0, said.indexOf(' '));
  }

  @Test
  void itIsTakenWhereHotSpotHasItsIntrinsic() throws Exception {
    String flags = output("-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintFlagsFinal", "-version");
    boolean intrinsic =
        flags.lines().anyMatch(line -> line.matches(".*\\bUseSHA256Intrinsics +:?= true .*"));
    String expected = intrinsic ? "jdk" : "java";
    assertEquals(expected, path("-Dnothing=here"));
    assertEquals(expected, path("-Dnothing=here", "our provider first"));
    assertEquals("java", path("-XX:-UseSHA"));
  }

  @Test
  void thePropertyDecidesInstead() throws Exception {
    assertEquals("java", path("-Ddev.cupel.hash.sha256=java"));
    assertEquals("jdk", path("-Ddev.cupel.hash.sha256=jdk", "our provider first"));
    assertTrue(JdkSha256.select("jdk"));
    IllegalArgumentException wrong =
        assertThrows(IllegalArgumentException.class, () -> JdkSha256.select("fast"));
    assertEquals("dev.cupel.hash.sha256 is fast, neither java nor jdk", wrong.getMessage());
  }
}

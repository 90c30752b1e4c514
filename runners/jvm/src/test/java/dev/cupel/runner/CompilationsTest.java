package dev.cupel.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** HotSpot's log of its compilers is parsed correctly. */
class CompilationsTest {
  private static final int SEAL = 3;
  private static final int OPEN = 4;

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // The line; events, and of these of the highest level.
        "Installing method (4) java.lang.String.hashCode()I ; 1; 1",
        "Installing method (3) java.lang.String.hashCode()I ; 1; 0",
        "Installing osr method (4) com.Gcm.seal([BII)I @ 15; 1; 1",
        "' 812   !   3       com.Gcm::seal (20 bytes)   made not entrant: not used'; 1; 0",
        "' 812 % !   4       com.Gcm::seal @ 15 (20 bytes)   made not entrant'; 1; 1",
        "' 812  s    4       com.Gcm::seal (20 bytes)   made not entrant: uncommon trap'; 1; 1",
        // A compilation begins: nothing has changed yet.
        "' 813       4       com.Gcm::seal (20 bytes)'; 0; 0",
        "cid= 9     level=4 com.Gcm.seal([BII)I trap_bci=3 unstable_if reinterpret pc=0x1; 1; 0",
        "cid= 9     level=4 dev.cupel.runner.Lines.advance()Z trap_bci=3 unstable_if none pc=0x1; 0; 0",
        // Code that only the runner runs, and code that it runs inside the timed loops.
        "Installing method (4) dev.cupel.runner.Lines.advance()Z ; 0; 0",
        "Installing method (4) java.io.FileInputStream.read([BII)I ; 0; 0",
        "Installing method (4) dev.cupel.runner.Cell.seal(JJ)J ; 1; 1",
        "Installing method (4) dev.cupel.runner.Cell.run(JJ)J ; 0; 0",
        "Installing method (4) dev.cupel.runner.contenders.Jca.call()I ; 1; 1",
        "made not entrant; 0; 0",
        "''; 0; 0"
      })
  void aLineIsAnEventOrNot(String line, long events, long highest) {
    Compilations compilations = Compilations.withoutLog();
    compilations.take(line);
    assertEquals(events, compilations.events(), line);
    assertEquals(highest, compilations.installed() + compilations.discarded(), line);
    assertEquals(line.contains("made not") ? highest : 0, compilations.discarded(), line);
  }

  @Test
  void theLevelOfALoopIsThatOfItsNewestCode() {
    Compilations compilations = Compilations.withoutLog();
    assertEquals(0, compilations.level(SEAL));
    compilations.take("Installing method (3) dev.cupel.runner.Cell.seal(JJ)J ");
    assertEquals(3, compilations.level(SEAL));
    compilations.take("Installing osr method (4) dev.cupel.runner.Cell.seal(JJ)J @ 15");
    assertEquals(4, compilations.level(SEAL));
    assertEquals(0, compilations.level(OPEN));
    compilations.take(
        " 9 %     4       dev.cupel.runner.Cell::seal @ 15 (116 bytes)   made not entrant");
    assertEquals(0, compilations.level(SEAL));
  }

  @Test
  void aLoopThatIsBeingCompiledIsPending() {
    Compilations compilations = Compilations.withoutLog();
    compilations.take(" 9       4       dev.cupel.runner.Lines::advance (20 bytes)");
    assertEquals(0, compilations.pending());
    compilations.take(" 9       3       dev.cupel.runner.Cell::seal (116 bytes)");
    assertEquals(0, compilations.pending());
    compilations.take(" 9 %     4       dev.cupel.runner.Cell::seal @ 15 (116 bytes)");
    assertEquals(1, compilations.pending());
  }

  @Test
  void theQueueCountsWhatIsToBeOfTheHighestLevel() {
    String said =
        """
        Current compiles:
        C2 CompilerThread0   212 %     4       com.Gcm::seal @ 200 (303 bytes)

        C1 compile queue:
                             213       3       com.Gcm::open (20 bytes)

        C2 compile queue:
                             214   !   4       com.Gcm::open (20 bytes)
                             215       4       dev.cupel.runner.Lines::advance (20 bytes)
                             216 %     4       dev.cupel.runner.Cell::seal @ 15 (20 bytes)
                             217       4       dev.cupel.runner.contenders.Jca$Digest::call (9 bytes)
                             218       4       java.io.FileInputStream::read (20 bytes)
        """;
    assertEquals(4, Compilations.withoutLog().queued(said));
    assertEquals(0, Compilations.withoutLog().queued("C2 compile queue:\nEmpty\n"));
  }

  @Test
  void theRunnerTellsWhatItsOwnJvmCompiles() throws Exception {
    try (Talk talk = new Talk()) {
      talk.ask("{\"id\":1,\"ask\":\"hello\",\"protocol\":1,\"tool\":\"test\"}");
      talk.ask(
          "{\"id\":2,\"ask\":\"prepare\",\"cell\":0,\"contender\":\"bouncycastle\",\"workload\":"
              + "{\"primitive\":\"sha256\",\"operation\":\"digest\",\"size\":64,\"contract\":{},"
              + "\"shape\":\"throughput\"},\"seed\":1,\"pool\":4,\"offset\":0,\"key\":\"\",\"ad\":\"\"}");
      JsonObject before = null;
      JsonObject now = null;
      for (int turn = 0; turn < 2000; turn++) {
        String slice =
            "{\"id\":%d,\"ask\":\"slice\",\"cell\":0,\"first\":%d,\"preroll\":0,\"iterations\":500}";
        JsonObject reply = talk.ask(String.format(slice, turn + 3, 500 * turn));
        now = reply.getAsJsonObject("compilation");
        before = before == null ? now : before;
        if (now.get("level").getAsInt() == Compilations.HIGHEST
            && now.get("pending").getAsLong() == 0) {
          break;
        }
      }
      assertEquals(Compilations.HIGHEST, now.get("level").getAsInt(), now.toString());
      assertEquals(0, now.get("pending").getAsLong(), now.toString());
      assertTrue(now.get("installed").getAsLong() > before.get("installed").getAsLong());
      assertFalse(now.get("events").getAsLong() < now.get("installed").getAsLong());
    }
  }
}

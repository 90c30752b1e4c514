package dev.cupel.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.Test;

/** Numbers are written as the JDK writes them. */
class ReplyLineTest {
  @Test
  void numbersOfAnySize() throws Exception {
    ReplyLine line = new ReplyLine();
    for (long number : new long[] {0, 7, 10, -1, 1234567890123L, Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertEquals(Long.toString(number), line.clear().number(number).toString());
      assertEquals(String.format("%016x", number), line.clear().hex(number).toString());
    }
    assertEquals("48.500", line.clear().ratio(97, 2).toString());
    assertEquals("0.000", line.clear().ratio(0, 9).toString());
    assertEquals("0.333", line.clear().ratio(1, 3).toString());
    String longer = "x".repeat(5000);
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    line.clear().text(longer).number(1).writeTo(output);
    assertEquals(longer + "1", output.toString());
  }
}

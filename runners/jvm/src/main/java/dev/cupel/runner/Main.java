package dev.cupel.runner;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Speaks the protocol of protocol/SPEC.md on standard input and output. */
public final class Main {
  /**
   * Let go where memory has run out, so that this can still be said. Two of G1's smallest regions:
   * what is freed within one is no room for anything new.
   */
  private static byte[] reserve = new byte[1 << 21];

  private Main() {}

  /** Answers requests until {@code bye} or the end of the input. */
  public static void main(String[] args) {
    try {
      talk();
    } catch (Throwable thrown) {
      reserve = null;
      // Its last line is what the tool shows; a stack trace would end with a line of no use, and a
      // proper exit has more to say where memory has run out.
      System.err.println(Trouble.inWords(thrown));
      Runtime.getRuntime().halt(1);
    }
    // Threads that a library left running must not keep the process.
    System.exit(0);
  }

  private static void talk() throws IOException {
    OutputStream replies = takeOutput();
    Server server = new Server(Contenders.all(), Compilations.listen());
    Lines lines = new Lines(new FileInputStream(FileDescriptor.in));
    while (!server.done() && lines.advance()) {
      server.answer(lines, replies);
      replies.flush();
    }
  }

  /**
   * The way to standard output, from now on ours alone. What libraries print goes to the log; what
   * their native code prints goes nowhere, because closing descriptor 1 puts the null device in its
   * place.
   */
  static OutputStream takeOutput() throws IOException {
    System.setOut(System.err);
    FileOutputStream replies;
    try {
      replies = new FileOutputStream("/dev/fd/1", true);
    } catch (IOException e) {
      // A system without that folder, or an output that cannot be opened a second time: a socket.
      return new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
    }
    new FileOutputStream(FileDescriptor.out).close();
    return new BufferedOutputStream(replies, 1 << 16);
  }
}

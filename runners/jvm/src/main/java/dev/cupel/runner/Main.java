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
   * Released when memory has run out, so that this can still be reported. Twice the size of G1's
   * smallest region: the space of a smaller array, inside a region, could not be reused at once.
   */
  private static byte[] reserve = new byte[1 << 21];

  private Main() {}

  /** Answers requests until {@code bye} or the end of the input. */
  public static void main(String[] args) {
    try {
      talk();
    } catch (Throwable thrown) {
      reserve = null;
      // The tool shows the last line of the log, so no stack trace. No System.exit either: when
      // memory has run out, it may itself fail and print more.
      System.err.println(Trouble.inWords(thrown));
      Runtime.getRuntime().halt(1);
    }
    // Threads that a library left running must not keep the process alive.
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
   * Takes standard output for the protocol. From here on, the output of libraries goes to the log.
   * The output of their native code is lost: closing descriptor 1 replaces it by the null device.
   */
  static OutputStream takeOutput() throws IOException {
    System.setOut(System.err);
    FileOutputStream replies;
    try {
      replies = new FileOutputStream("/dev/fd/1", true);
    } catch (IOException e) {
      // The system has no such folder, or the output, such as a socket, cannot be opened twice.
      return new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
    }
    new FileOutputStream(FileDescriptor.out).close();
    return new BufferedOutputStream(replies, 1 << 16);
  }
}

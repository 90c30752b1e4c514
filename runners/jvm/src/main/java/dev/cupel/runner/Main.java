package dev.cupel.runner;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Speaks the protocol of protocol/SPEC.md on standard input and output. */
public final class Main {
  private Main() {}

  /** Answers requests until {@code bye} or the end of the input. */
  public static void main(String[] args) throws IOException {
    OutputStream replies = takeOutput();
    Server server = new Server(Contenders.all());
    Lines lines = new Lines(new FileInputStream(FileDescriptor.in));
    for (String line = lines.next(); line != null && !server.done(); ) {
      Json.write(server.answer(line), replies);
      replies.flush();
      line = server.done() ? null : lines.next();
    }
    // Threads that a library left running must not keep the process.
    System.exit(0);
  }

  /** The way to standard output, from now on ours alone: libraries print, and go to the log. */
  static OutputStream takeOutput() {
    OutputStream replies =
        new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
    System.setOut(System.err);
    return replies;
  }
}

package dev.cupel.runner;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A conversation with the runner's program, started as the tool starts it. */
final class Talk implements AutoCloseable {
  private final Process process;
  private final OutputStream requests;
  private final BufferedReader replies;

  Talk() throws IOException {
    this(Path.of(System.getProperty("runner.jar")));
  }

  /** With a copy of the runner's jar. */
  Talk(Path jar) throws IOException {
    String java = ProcessHandle.current().info().command().orElse("java");
    process =
        new ProcessBuilder(java, "-jar", jar.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    requests = process.getOutputStream();
    replies =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  void send(String line) throws IOException {
    requests.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    requests.flush();
  }

  JsonObject reply() throws IOException {
    String line = replies.readLine();
    if (line == null) {
      throw new AssertionError("the runner has left");
    }
    return JsonParser.parseString(line).getAsJsonObject();
  }

  JsonObject ask(String line) throws IOException {
    send(line);
    return reply();
  }

  void endInput() throws IOException {
    requests.close();
  }

  int exit() throws InterruptedException {
    if (!process.waitFor(20, TimeUnit.SECONDS)) {
      throw new AssertionError("the runner does not leave");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}

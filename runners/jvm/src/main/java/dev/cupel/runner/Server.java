package dev.cupel.runner;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Answers requests, one at a time, by the rules of the protocol that all contenders share. */
final class Server {
  private static final int PROTOCOL = 1;

  private final List<Contender> contenders;
  private final Compilations compilations;
  private final Map<Integer, Cell> prepared = new HashMap<>();

  /**
   * The cells of low numbers again, for slices: boxed integers and maps must become hot through the
   * contenders' calls only.
   */
  private final Cell[] low = new Cell[1 << 13];

  private final Crew crew = new Crew();
  private final ReplyLine line = new ReplyLine();
  private String chosen;
  private boolean done;

  /** Whether a cell was prepared since the last slice. */
  private boolean unsettled;

  /** A server without the log of the JVM's compilers. */
  Server(List<Contender> contenders) {
    this(contenders, null);
  }

  Server(List<Contender> contenders, Compilations compilations) {
    this.contenders = contenders;
    this.compilations = compilations;
  }

  /** Whether {@code bye} was received. */
  boolean done() {
    return done;
  }

  /** Writes the reply to the current line. */
  void answer(Lines lines, OutputStream replies) throws IOException {
    SliceRequest slice = SliceRequest.of(lines.bytes(), lines.begin(), lines.end());
    if (slice == null) {
      Json.write(answer(lines.text()), replies);
      return;
    }
    try {
      slice(slice).text("\n").writeTo(replies);
    } catch (Refused | RuntimeException | OutOfMemoryError | LinkageError e) {
      JsonObject reply = Refused.of(e).reply();
      reply.addProperty("id", slice.id());
      Json.write(reply, replies);
    }
  }

  /** The reply to a line. */
  JsonObject answer(String line) {
    long id = 0;
    JsonObject reply;
    try {
      JsonObject request = Json.object(line);
      id = Json.integer(request, "id");
      String ask = Json.text(request, "ask");
      reply =
          switch (ask) {
            case "hello" -> hello(request);
            case "list" -> list();
            case "compute" -> compute(request);
            case "prepare" -> prepare(request);
            case "slice" -> Json.object(slice(SliceRequest.of(request)).toString());
            case "bye" -> {
              done = true;
              yield new JsonObject();
            }
            default -> throw Refused.unsupported("this runner does not know the request " + ask);
          };
      reply.addProperty("status", "ok");
    } catch (Refused refused) {
      reply = refused.reply();
    } catch (RuntimeException | OutOfMemoryError | LinkageError e) {
      reply = Refused.of(e).reply();
    }
    reply.addProperty("id", id);
    return reply;
  }

  private static JsonObject hello(JsonObject request) throws Refused {
    long protocol = Json.integer(request, "protocol");
    if (protocol != PROTOCOL) {
      throw Refused.unsupported(
          "this runner speaks protocol " + PROTOCOL + ", not " + protocol,
          "use the runner and the tool of one release");
    }
    JsonObject clock = new JsonObject();
    clock.addProperty("name", "System.nanoTime");
    clock.addProperty("resolution_ns", Clock.resolution());
    JsonObject reply = new JsonObject();
    reply.addProperty("protocol", PROTOCOL);
    reply.addProperty("runner", "jvm");
    reply.addProperty("version", Versions.of("runner"));
    reply.add("clock", clock);
    reply.addProperty("jit", true);
    long thread = thread();
    if (thread > 0) {
      reply.addProperty("thread", thread);
    }
    return reply;
  }

  private JsonObject list() {
    JsonArray array = new JsonArray();
    for (Contender contender : contenders) {
      array.add(contender.listed());
    }
    JsonObject reply = new JsonObject();
    reply.add("contenders", array);
    return reply;
  }

  private JsonObject compute(JsonObject request) throws Refused {
    String primitive = Json.text(request, "primitive");
    String operation = Json.text(request, "operation");
    Contract contract = Contract.of(Json.object(request, "contract"));
    Contender contender = choose(Json.text(request, "contender"));
    if (!request.has("cases") || !request.get("cases").isJsonArray()) {
      throw Refused.failed("`cases` must be an array");
    }
    JsonObject reply = new JsonObject();
    Verifier verifier = new Verifier(contender, primitive, operation, contract);
    reply.add("answers", verifier.answers(request.getAsJsonArray("cases")));
    return reply;
  }

  private JsonObject prepare(JsonObject request) throws Refused {
    int number = Json.small(request, "cell", 0, Integer.MAX_VALUE);
    JsonObject workload = Json.object(request, "workload");
    Contract contract = Contract.of(Json.object(workload, "contract"));
    Contender contender = choose(Json.text(request, "contender"));
    String shape = Json.text(workload, "shape");
    if (!shape.equals("throughput") && !shape.equals("latency")) {
      throw Refused.unsupported("this runner does not know the shape " + shape);
    }
    int size = Json.small(workload, "size", 0, 1 << 30);
    int pool = Json.small(request, "pool", 1, 1 << 24);
    if (Integer.bitCount(pool) != 1) {
      throw Refused.failed("pool " + pool + " is not a power of two");
    }
    Task task =
        new Task(
            Json.text(workload, "primitive"),
            Json.text(workload, "operation"),
            contract,
            contract.chunk() > 0 ? new int[] {contract.chunk()} : new int[0],
            Json.bytes(request, "key"),
            Json.bytes(request, "ad"));
    contender.checkShared(task.primitive(), task.operation(), contract);
    long seed = Json.integer(request, "seed");
    int offset = Json.small(request, "offset", 0, 63);
    int[] lengths = contract.drawn() ? lengths(request, pool, size) : null;
    Cell cell = new Cell(contender, task, shape, size, seed, pool, offset, lengths, null);
    int others = contract.threads() - 1;
    if (others > 0) {
      cell.share(
          crew.each(
              others,
              () -> new Cell(contender, task, shape, size, seed, pool, offset, lengths, cell)));
    }
    unsettled = true;
    prepared.put(number, cell);
    if (number < low.length) {
      low[number] = cell;
    }
    JsonObject reply = new JsonObject();
    reply.addProperty("code_path", cell.codePath());
    if (others > 0) {
      JsonArray threads = new JsonArray();
      threads.add(thread());
      crew.numbers(others).forEach(threads::add);
      reply.add("threads", threads);
    }
    return reply;
  }

  /** The length of each message of the pool. */
  private static int[] lengths(JsonObject request, int pool, int most) throws Refused {
    JsonArray given = request.has("lengths") ? request.getAsJsonArray("lengths") : new JsonArray();
    if (given.size() != pool) {
      throw Refused.failed(given.size() + " lengths for a pool of " + pool);
    }
    int[] lengths = new int[pool];
    for (int j = 0; j < pool; j++) {
      lengths[j] = given.get(j).getAsInt();
      if (lengths[j] < 0 || lengths[j] > most) {
        throw Refused.failed("length " + lengths[j] + " is not from 0 to " + most);
      }
    }
    return lengths;
  }

  private ReplyLine slice(SliceRequest request) throws Refused {
    Cell cell = cell(request.cell());
    settle();
    try {
      if (!cell.others().isEmpty()) {
        request.reply(line.clear(), crew.slice(cell, request));
        return ended(cell);
      }
      cell.begin();
      cell.run(request.first(), request.preroll());
      Noise before = new Noise();
      long allocated = Noise.allocated();
      long start = System.nanoTime();
      long fold = cell.run(request.first() + request.preroll(), request.iterations());
      long elapsed = System.nanoTime() - start;
      allocated = Noise.allocated() - allocated;
      request.reply(line.clear(), elapsed, fold, before, new Noise(), allocated);
      return ended(cell);
    } catch (Exception e) {
      throw Refused.failed("a call failed: " + Refused.of(e).getMessage());
    }
  }

  /**
   * Moves objects that live as long as the process to the old generation. Otherwise each of the
   * first fifteen collections copies them again, and takes two to four times as long as later ones.
   */
  private void settle() {
    if (unsettled) {
      unsettled = false;
      System.gc();
    }
  }

  /** Ends the reply to a slice. */
  private ReplyLine ended(Cell cell) throws IOException {
    if (compilations != null) {
      compilations.read();
      if (compilations.reports()) {
        compilations.reply(line, cell.loop());
      }
    }
    return line.text("}");
  }

  private Cell cell(int number) throws Refused {
    Cell cell = number < low.length ? low[number] : prepared.get(number);
    if (cell == null) {
      throw Refused.failed("cell " + number + " was not prepared");
    }
    return cell;
  }

  /** The system's number of this thread, or 0 if the system does not report it. */
  static long thread() {
    try {
      String link = Files.readSymbolicLink(Path.of("/proc/thread-self")).toString();
      return Long.parseLong(link.substring(link.lastIndexOf('/') + 1));
    } catch (IOException | RuntimeException e) {
      return 0;
    }
  }

  /** Rejects a second contender: each process hosts only one. */
  private Contender choose(String name) throws Refused {
    if (chosen != null && !chosen.equals(name)) {
      throw Refused.failed("this process hosts " + chosen + " already");
    }
    for (Contender contender : contenders) {
      if (contender.name().equals(name)) {
        chosen = name;
        return contender;
      }
    }
    throw Refused.failed("there is no contender " + name);
  }
}

package dev.cupel.tracer.inside;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The counts of this process for one library. {@code tracer/file.h} has the form. The file is
 * mapped, so all counts until then survive if the process is killed; it is written before it is
 * mapped, so a full disk is an error here, and no signal later. Safe for threads.
 */
final class CountFile {
  static final int DIGEST = 1;
  static final int MAC = 2;
  static final int SEAL = 3;
  static final int OPEN = 4;
  static final int NO_KEY = 0;
  static final int KEPT = 1;
  static final int PER_CALL = 2;

  private static final int PAGE = 4096;
  private static final int HEAD = 128;
  private static final int NAMES = 120;
  private static final int NAME = 32;
  private static final int LOST = 16;
  private static final int ROUNDED = 24;

  /** Slots of a stripe's first, second, ... table: with the table's head they fill whole pages. */
  private static final int[] SLOTS = {848, 3408, 13648};

  /** Bytes of a slot: a key, a shape and a count. */
  private static final int SLOT = 24;

  private static final long LARGEST = 1L << 40;

  private static final ConcurrentHashMap<String, CountFile> ALL = new ConcurrentHashMap<>();
  private static String folder;
  private static int stripeCount;

  /** The file that shows that this JVM is traced. */
  private static CountFile first;

  private final Path path;

  /** Null if there is no file. */
  private final MappedByteBuffer header;

  private final String[] names = new String[NAMES];
  private int nameCount;

  /** The table of each stripe, guarded by it. */
  private final ByteBuffer[] tables = new ByteBuffer[stripeCount];

  private final int[] sizes = new int[stripeCount];
  private final AtomicLong lost = new AtomicLong();
  private final AtomicLong rounded = new AtomicLong();

  static void begin(String where, int stripes) {
    folder = where;
    stripeCount = stripes;
    first = of("java");
  }

  /** The file of a library. */
  static CountFile of(String library) {
    CountFile known = ALL.get(library);
    return known != null ? known : ALL.computeIfAbsent(library, CountFile::new);
  }

  /** A call could not be recorded. */
  static void lose() {
    CountFile file = first;
    if (file != null) {
      file.loseOne();
    }
  }

  private CountFile(String library) {
    Path made = null;
    MappedByteBuffer mapped = null;
    try {
      made = create(library);
      mapped = grow(made, PAGE);
      byte[] family = library.getBytes(StandardCharsets.US_ASCII);
      mapped.putInt(8, (int) ProcessHandle.current().pid());
      mapped.putInt(12, PAGE);
      write(mapped, 32, family, 15);
      write(mapped, 0, "cupeltr2".getBytes(StandardCharsets.US_ASCII), 8);
    } catch (IOException e) {
      mapped = null;
    }
    path = made;
    header = mapped;
  }

  private static Path create(String library) throws IOException {
    long process = ProcessHandle.current().pid();
    for (int i = 0; ; i++) {
      try {
        return Files.createFile(
            Paths.get(folder, process + "." + i + "." + library),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      } catch (FileAlreadyExistsException e) {
        if (i == 10_000) {
          throw e;
        }
      }
    }
  }

  /** Adds bytes, whole pages of them, and maps them. */
  private static MappedByteBuffer grow(Path path, int bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      long end = file.length();
      file.seek(end);
      file.write(new byte[bytes]);
      MappedByteBuffer mapped = file.getChannel().map(FileChannel.MapMode.READ_WRITE, end, bytes);
      mapped.order(ByteOrder.LITTLE_ENDIAN);
      return mapped;
    }
  }

  private static void write(ByteBuffer to, int at, byte[] bytes, int most) {
    for (int i = 0; i < Math.min(bytes.length, most); i++) {
      to.put(at + i, bytes[i]);
    }
  }

  /** The place of a name; a name that is not in the catalogue has a question mark before it. */
  synchronized Name name(String name, boolean isKnown) {
    String shown = name.length() < NAME ? name : name.substring(0, NAME - 1);
    for (int i = 0; i < nameCount; i++) {
      if (names[i].equals(shown)) {
        return new Name(this, i, isKnown);
      }
    }
    if (nameCount == NAMES || header == null) {
      return new Name(this, -1, isKnown);
    }
    byte[] bytes = shown.getBytes(StandardCharsets.US_ASCII);
    write(header, PAGE - (NAMES - nameCount) * NAME, bytes, NAME - 1);
    names[nameCount] = shown;
    return new Name(this, nameCount++, isKnown);
  }

  /** Counts a message, and adds the thread's times. */
  void count(
      ThreadState thread, Name name, int operation, int pieces, int key, long bytes, long ad) {
    if (name.index < 0) {
      loseOne();
      return;
    }
    long kind = 1L << 63 | (long) name.index << 41;
    if (!name.isKnown) {
      count(thread, kind, 0);
      return;
    }
    kind |= (long) operation << 48 | (long) key << 53;
    long shape = (long) Math.max(pieces, 1) << 32 | Math.min(ad, 0xffffffffL);
    count(thread, kind | Math.min(bytes, LARGEST), shape);
  }

  /** Counts a key with a shape; a key of 0 for none, only the thread's times. */
  void count(ThreadState thread, long key, long shape) {
    Stripe stripe = thread.stripe;
    synchronized (stripe) {
      ByteBuffer table = tables[stripe.index];
      if (table == null) {
        table = larger(stripe.index, 0);
      }
      if (table == null) {
        loseOne();
        return;
      }
      addTimes(table, thread);
      if (key == 0) {
        return;
      }
      int slot = slot(table, key, shape, 0);
      while (slot < 0 && sizes[stripe.index] + 1 < SLOTS.length) {
        ByteBuffer larger = larger(stripe.index, sizes[stripe.index] + 1);
        if (larger == null) {
          break;
        }
        table = larger;
        slot = slot(table, key, shape, 0);
      }
      if (slot < 0) {
        long bytes = key & (1L << 41) - 1;
        long below = Long.highestOneBit(bytes);
        long about =
            Long.highestOneBit(shape >>> 32) << 32 | Long.highestOneBit(shape & 0xffffffffL);
        slot = slot(table, key - bytes + below, about, table.getInt(4) / 8);
        header.putLong(ROUNDED, rounded.addAndGet(below == bytes ? 0 : 1));
      }
      if (slot < 0) {
        loseOne();
      } else {
        table.putLong(slot + 16, table.getLong(slot + 16) + 1);
      }
    }
  }

  /** Another table for a stripe; the smaller one is done, and counts of both are added later. */
  private ByteBuffer larger(int stripe, int size) {
    if (header == null) {
      return null;
    }
    try {
      ByteBuffer table;
      synchronized (this) {
        table = grow(path, HEAD + SLOT * SLOTS[size]);
        table.putInt(4, SLOTS[size]);
        write(table, 0, "TABL".getBytes(StandardCharsets.US_ASCII), 4);
      }
      tables[stripe] = table;
      sizes[stripe] = size;
      return table;
    } catch (IOException e) {
      return null;
    }
  }

  /** Where the slot of a key with a shape begins; -1 if the table is too full for another slot. */
  private static int slot(ByteBuffer table, long key, long shape, int reserve) {
    int slots = table.getInt(4);
    long both = key ^ shape * 0xff51afd7ed558ccdL;
    long mixed = (both ^ both >>> 29) * 0x9e3779b97f4a7c15L;
    int at = (int) ((mixed >>> 32) * slots >>> 32);
    while (true) {
      int slot = HEAD + SLOT * at;
      long there = table.getLong(slot);
      if (there == key && table.getLong(slot + 8) == shape) {
        return slot;
      }
      if (there == 0) {
        break;
      }
      at = at + 1 == slots ? 0 : at + 1;
    }
    int used = table.getInt(92);
    if (used >= slots / 4 * 3 + reserve) {
      return -1;
    }
    table.putInt(92, used + 1);
    table.putLong(HEAD + SLOT * at + 8, shape);
    table.putLong(HEAD + SLOT * at, key);
    return HEAD + SLOT * at;
  }

  private static void addTimes(ByteBuffer table, ThreadState thread) {
    int at = thread.timed.isKnown ? 8 : 48;
    add(table, at, thread.exactNs);
    add(table, at + 8, thread.sampledNs);
    add(table, at + 16, thread.samples);
    add(table, at + 24, thread.disturbed);
    add(table, at + 32, thread.calls);
    thread.exactNs = 0;
    thread.sampledNs = 0;
    thread.samples = 0;
    thread.disturbed = 0;
    thread.calls = 0;
  }

  private static void add(ByteBuffer table, int at, long more) {
    if (more != 0) {
      table.putLong(at, table.getLong(at) + more);
    }
  }

  private void loseOne() {
    if (header != null) {
      header.putLong(LOST, lost.incrementAndGet());
    }
  }
}

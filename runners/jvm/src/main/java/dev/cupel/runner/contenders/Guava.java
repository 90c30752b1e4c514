package dev.cupel.runner.contenders;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import dev.cupel.runner.Bytes;
import dev.cupel.runner.Call;
import dev.cupel.runner.Refused;
import dev.cupel.runner.Task;

/** Guava's hash functions. */
public final class Guava {
  private Guava() {}

  /** A prepared call, whole or in pieces. */
  public static Call prepare(Task task) throws Exception {
    return Keyed.of(
        task,
        () -> {
          HashFunction function = function(task);
          return task.chunks().length == 0 ? new Whole(function) : new Pieces(task, function);
        });
  }

  private static HashFunction function(Task task) throws Refused {
    switch (task.primitive()) {
      case "siphash-2-4":
        task.keyOf(16);
        return Hashing.sipHash24(Bytes.word(task.key(), 0), Bytes.word(task.key(), 8));
      case "murmur3-32":
        return Hashing.murmur3_32_fixed();
      case "murmur3-128":
        return Hashing.murmur3_128();
      default:
        throw Refused.unsupported("no " + task.primitive());
    }
  }

  private static final class Whole extends Call {
    private final HashFunction function;
    private final int length;

    Whole(HashFunction function) {
      this.function = function;
      length = function.bits() / 8;
    }

    @Override
    public int call(byte[] input, int offset, int count, byte[] nonce, byte[] output, int to) {
      return function.hashBytes(input, offset, count).writeBytesTo(output, to, length);
    }
  }

  private static final class Pieces extends Chunks {
    private final HashFunction function;
    private Hasher hasher;

    Pieces(Task task, HashFunction function) {
      super(task);
      this.function = function;
    }

    @Override
    void begin() {
      hasher = function.newHasher();
    }

    @Override
    void update(byte[] input, int offset, int length) {
      hasher.putBytes(input, offset, length);
    }

    @Override
    int finish(byte[] output, int to) {
      return hasher.hash().writeBytesTo(output, to, function.bits() / 8);
    }
  }
}

package dev.cupel.runner.contenders;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.cupel.runner.Bytes;
import dev.cupel.runner.Call;
import dev.cupel.runner.Refused;
import dev.cupel.runner.Task;

/** hash4j's unkeyed hashes: they show the speed that is possible without resistance to attacks. */
public final class Hash4j extends Call {
  private final Hasher64 hasher;

  private Hash4j(Hasher64 hasher) {
    this.hasher = hasher;
  }

  /** A prepared call, with the seed 0. */
  public static Call prepare(Task task) throws Refused {
    task.inOnePiece();
    switch (task.primitive()) {
      case "xxh3-64":
        return new Hash4j(Hashing.xxh3_64());
      case "wyhash-final-4":
        return new Hash4j(Hashing.wyhashFinal4());
      case "komihash-5-0":
        return new Hash4j(Hashing.komihash5_0());
      case "rapidhash-3":
        return new Hash4j(Hashing.rapidhashV3());
      default:
        throw Refused.unsupported("no " + task.primitive());
    }
  }

  @Override
  public int call(byte[] input, int offset, int length, byte[] nonce, byte[] output, int to) {
    Bytes.put(output, to, hasher.hashBytesToLong(input, offset, length));
    return 8;
  }
}

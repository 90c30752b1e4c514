"""python/xxhash and python/mmh3: XXH3 and MurmurHash3, written in C."""

from importlib import import_module

from refused import unsupported

FOUR, EIGHT = 4, 8


def prepare(task):
    if task.chunks:
        # Their states have another price, and a mark is one call.
        raise unsupported("takes a message in one piece")
    if task.primitive == "xxh3-64":
        xxh3 = import_module("xxhash").xxh3_64_intdigest
        return lambda message: xxh3(message).to_bytes(EIGHT, "little")
    mmh3 = import_module("mmh3")
    if task.primitive == "murmur3-32":
        return lambda message: mmh3.mmh3_32_uintdigest(message).to_bytes(FOUR, "little")
    return mmh3.mmh3_x64_128_digest

"""A contender with a workload, prepared to be timed."""

from itertools import chain, islice, repeat, starmap
from operator import itemgetter

from octets import nonce, stream, word
from refused import NotAuthentic, failed, unsupported

# The lengths of outputs in bytes.
OUTPUTS = {
    "empty": 0,
    "sha1": 20,
    "sha256": 32,
    "sha512": 64,
    "sha512-256": 32,
    "sha3-256": 32,
    "shake128": 32,
    "blake2b": 64,
    "blake2s": 32,
    "blake3": 32,
    "hmac-sha256": 32,
    "hmac-sha512": 64,
    "aes-cmac": 16,
    "blake3-keyed": 32,
    "siphash-1-3": 8,
    "siphash-2-4": 8,
}
TAG = 16
# The lengths of nonces in bytes, where they are not 12.
NONCES = {"xchacha20-poly1305": 24}

# Of longer outputs, only the ends are joined before they are folded: to copy all would cost more. In
# bytes.
LONGEST_JOINED = 64
# How many outputs are joined at a time: with the lane at their end, a power of two.
BLOCK = 1023

# The most memory for messages of drawn lengths, in bytes: a message of each length is its own
# object.
MOST_BYTES = 1 << 30


class Cell:
    def __init__(self, host, task, size, shape, seed, pool, lengths):
        if shape != "throughput":
            raise unsupported("this runner has no latency shape: a message cannot be changed in place")
        if pool < 1 or pool & (pool - 1):
            raise failed(f"the pool {pool} is no power of two")
        self.call = host.prepare(task)
        self.pool = [stream(seed + j, size) for j in range(pool)] if lengths is None else drawn(seed, size, lengths)
        self.seals, self.opens = task.operation == "seal", task.operation == "open"
        self.nonce_length = NONCES.get(task.primitive, 12)
        length = OUTPUTS.get(task.primitive, size)
        if self.seals:
            length += TAG
        if self.opens:
            seal = host.prepare(task._replace(operation="seal"))
            self.pool = self.sealed(seal, lengths is not None)
        self.output = length
        self.fold = fold_of(length) if lengths is None or not (self.seals or self.opens) else fold_of_any

    def sealed(self, seal, drawn):
        """Each message, sealed with its number as nonce, with this nonce. If lengths are drawn, those
        of one length are one message, which is sealed once."""
        known = {}
        pool = []
        for j, message in enumerate(self.pool):
            key = len(message) if drawn else j
            if key not in known:
                own = nonce(j, self.nonce_length)
                known[key] = (seal(message, own), own)
            pool.append(known[key])
        return pool

    def forge(self, byte):
        """Changes a byte of the tag of each message, which every call must then refuse. The words of
        its output count as those of zeros."""

        def forged(sealed):
            at = len(sealed) - TAG + byte
            return sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :]

        self.pool = [(forged(sealed), own) for sealed, own in self.pool]
        call, nothing = self.call, bytes(self.output)

        def refusing(message, own):
            try:
                call(message, own)
            except NotAuthentic:
                return nothing
            raise failed("a forged message was accepted")

        self.call = refusing

    def outputs(self, first, count):
        """Calls from number `first` on: an iterator over their outputs, which makes them. It is of
        the interpreter's own iterators, which cost the least that a loop can cost here."""
        start = first & (len(self.pool) - 1)
        round_and_round = chain(self.pool[start:], chain.from_iterable(repeat(self.pool)))
        inputs = islice(round_and_round, count)
        if self.opens:
            return starmap(self.call, inputs)
        if self.seals:
            nonces = map(int.to_bytes, range(first, first + count), repeat(self.nonce_length), repeat("big"))
            return map(self.call, inputs, nonces)
        return map(self.call, inputs)


def drawn(seed, size, lengths):
    """The beginning of one message of each length. Those of one length are one object."""
    known = {length: None for length in lengths}
    if sum(known) > MOST_BYTES:
        raise unsupported(f"all different lengths together are above {MOST_BYTES} bytes")
    message = stream(seed, size)
    known = {length: message[:length] for length in known}
    return [known[length] for length in lengths]


def fold_of_any(outputs):
    """Adds up the words of outputs of any lengths. No leak test has such outputs."""
    return sum(map(word, outputs))


def fold_of(length):
    """The function that adds up the words of outputs of a length: protocol, "The fold". Its time is
    inside that of a slice, and must not depend on what the outputs are: a leak test would see that.
    """
    if length == 0:
        # There is nothing to add. But what adding costs is a part of every other figure, so
        # `empty`, which shows what the harness costs, has it too: for zeros, whose word is 0.
        pad = bytes(32).__add__
        fold = joined(32)
        return lambda outputs: fold(map(pad, outputs))
    if length < 8:
        # The first and the last eight bytes are the same ones.
        fold = joined(16)
        return lambda outputs: 2 * fold(map(bytes.ljust, outputs, repeat(16), repeat(b"\0")))
    if 16 <= length <= LONGEST_JOINED:
        return joined(length)
    ends = itemgetter(slice(8), slice(-8, None))
    fold = joined(16, parts=2)
    return lambda outputs: fold(chain.from_iterable(map(ends, outputs)))


def joined(length, parts=1):
    """Adds up the words of outputs of a length from 16 bytes on, each in this many parts: those of a
    block of outputs at a time, of so few that they stay in a cache. The sum is right modulo 2^64.

    The outputs are one integer, in which each has its lane: an integer for each word would take half as
    long again, and one below 2^30 less than others. The length of all integers here depends on the
    number of outputs only. The last lane has top bits, whose sum is 2^64, and every lane has a guard, a
    bit that is above the sums of words."""
    lane = 8 * length
    last = lane - 64
    top = bytes(7) + b"\x80"
    end = (top + bytes(length - 16) + top,)

    def plan(lanes):
        """The words of this many lanes, their guards, and the halves in which they are added."""
        words = int.from_bytes((b"\xff" * 8 + bytes(length - 8)) * lanes, "little")
        guards = int.from_bytes((bytes(length - 2) + b"\1\0") * lanes, "little")
        halves = []
        while lanes > 1:
            lanes //= 2
            halves.append((lanes * lane, (1 << lanes * lane) - 1))
        return words, guards, halves

    # For each power of two, made here: a slice has another number of calls each time.
    plans = [plan(1 << power) for power in range(BLOCK.bit_length() + 1)]

    def fold(outputs):
        total = 0
        while len(block := b"".join(chain(islice(outputs, BLOCK * parts), end))) > length:
            words, guards, halves = plans[(len(block) // length - 1).bit_length()]
            sums = int.from_bytes(block, "little")
            sums = (sums & words) + (sums >> last & words) + guards
            for bits, low in halves:
                sums = (sums >> bits) + (sums & low)
            total += sums
        return total

    return fold

"""A contender with a workload, prepared to be timed."""

from itertools import chain, starmap
from struct import Struct
from time import perf_counter_ns

import noise
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
    "xxh3-64": 8,
    "murmur3-32": 4,
    "murmur3-128": 16,
}
TAG = 16
# The lengths of nonces in bytes, where they are not 12.
NONCES = {"xchacha20-poly1305": 24}

# How many calls are made before the clock stops and their outputs are folded. Each output is in
# memory of its own until then, and a program has a few of them at a time.
MOST_CALLS = 256
# Threads fold when all have made their calls, if they can: to fold takes the interpreter's lock.
MOST_CALLS_OF_THREADS = 4096
# The most memory for these outputs, in bytes. Above it, glibc gives freed memory back to the system
# each time, and a call that seals 16 KiB takes five times as long.
MOST_KEPT = 1 << 17

# Longer outputs are not joined before they are folded. In bytes.
LONGEST_JOINED = 1024

# The most memory for messages of drawn lengths, in bytes: a message of each length is its own
# object.
MOST_BYTES = 1 << 30


class Cell:
    def __init__(self, host, task, size, shape, seed, pool, lengths, most=MOST_CALLS):
        if shape != "throughput":
            raise unsupported("this runner has no latency shape: a message cannot be changed in place")
        if pool < 1 or pool & (pool - 1):
            raise failed(f"the pool {pool} is no power of two")
        self.call, self.messages = host.prepare(task), pool
        self.pool = [stream(seed + j, size) for j in range(pool)] if lengths is None else drawn(seed, size, lengths)
        self.seals, self.opens = task.operation == "seal", task.operation == "open"
        self.nonce_length = NONCES.get(task.primitive, 12)
        # A cipher's is as long as its message.
        length = size if self.seals or self.opens else OUTPUTS[task.primitive]
        if self.seals:
            length += TAG
        if self.opens:
            seal = host.prepare(task._replace(operation="seal"))
            self.pool = self.sealed(seal, lengths is not None)
        self.output = length
        self.fold = fold_of(length) if lengths is None or not (self.seals or self.opens) else fold_of_any
        self.most = max(1, min(most, MOST_KEPT // max(1, length)))
        self.nonces = Nonces(self.nonce_length, self.most) if self.seals else None
        # From any of them on, as many as are called at a time.
        self.round = self.pool * (1 + -(-self.most // pool))

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

        self.round = [(forged(sealed), own) for sealed, own in self.round]
        call, nothing = self.call, bytes(self.output)

        def refusing(message, own):
            try:
                call(message, own)
            except NotAuthentic:
                return nothing
            raise failed("a forged message was accepted")

        self.call = refusing

    def calls(self, first, count):
        """Calls from number `first` on, at most as many as are made at a time: an iterator over
        their outputs, which makes them. It is of the interpreter's own iterators, which cost the least
        that a loop can cost here."""
        start = first & (self.messages - 1)
        inputs = self.round[start : start + count]
        if self.opens:
            return starmap(self.call, inputs)
        if self.seals:
            return map(self.call, inputs, self.nonces.of(first, count))
        return map(self.call, inputs)


class Run:
    """Calls of a cell. The clock runs only while they are made: messages and nonces are picked
    before, outputs folded after. Where the time is audited, `only_last` the last output is folded, and
    all else that a call needs is in the time."""

    def __init__(self, cell, first, count, only_last):
        self.cell, self.next, self.end, self.only_last = cell, first, first + count, only_last
        # The time in which calls were made, the time between them, and the time of collections in
        # calls, in ns.
        self.elapsed = self.stopped = self.collected = 0
        self.ended = None
        self.kept, self.folded = [], 0
        self.calls = None if only_last else self.picked()

    def picked(self):
        first, self.next = self.next, min(self.next + self.cell.most, self.end)
        return self.cell.calls(first, self.next - first)

    def make(self):
        """Makes the calls. The last outputs are not folded yet."""
        while True:
            calls, collected = self.calls, noise.collected_ns
            began = perf_counter_ns()
            outputs = list(calls or self.picked())
            ended = perf_counter_ns()
            self.collected += noise.collected_ns - collected
            self.elapsed += ended - began
            self.stopped += 0 if self.ended is None else began - self.ended
            self.ended, self.kept = ended, outputs
            if self.next == self.end:
                return self
            if not self.only_last:
                self.folded += self.cell.fold(outputs)
                self.calls = self.picked()
            # The next calls get this memory.
            self.kept = outputs = None

    def fold(self):
        """The fold of the outputs: protocol, "The fold"."""
        return self.folded + self.cell.fold(self.kept[-1:] if self.only_last else self.kept)


class Nonces:
    """As many nonces as are needed at a time, from one integer, in which each has its lane: to make one
    at a time takes twice as long."""

    def __init__(self, length, count):
        self.split = Struct(f"{length}s" * count)
        self.ones = int.from_bytes((bytes(length - 1) + b"\1") * count, "big")
        self.steps = int.from_bytes(b"".join(nonce(i, length) for i in range(count)), "big")

    def of(self, first, count):
        lanes = self.steps + first * self.ones
        return self.split.unpack(lanes.to_bytes(self.split.size, "big"))[:count]


def drawn(seed, size, lengths):
    """The beginning of one message of each length. Those of one length are one object."""
    known = {length: None for length in lengths}
    if sum(known) > MOST_BYTES:
        raise unsupported(f"all different lengths together are above {MOST_BYTES} bytes")
    message = stream(seed, size)
    known = {length: message[:length] for length in known}
    return [known[length] for length in lengths]


def fold_of_any(outputs):
    """Adds up the words of outputs of any lengths."""
    return sum(map(word, outputs))


def fold_of(length):
    """The function that adds up the words of outputs of a length."""
    if length == 0:
        return lambda outputs: word(b"".join(outputs))
    if length != 8 and not 16 <= length <= LONGEST_JOINED:
        return fold_of_any
    # The first and the last eight bytes may be the same ones.
    ends, times = (Struct("<Q"), 2) if length == 8 else (Struct(f"<Q{length - 16}xQ"), 1)
    return lambda outputs: times * sum(chain.from_iterable(ends.iter_unpack(b"".join(outputs))))

"""Our C kernels as WebAssembly, in wasmtime, which compiles them when it loads them. What a program
pays is in the call: it copies the message into the module's memory, and the output out of it."""

import wasmtime

from octets import pieces
from refused import unsupported
from wasm_module import FILE

engine = wasmtime.Engine()
module = wasmtime.Module.from_file(engine, FILE)

# A memory from `__heap_base` on: an output, a state, a key that was prepared, a message. The
# kernels assert that the first three have room.
LINE = 64
PAGE = 65536

# `empty` has SHA-256's length, so that it copies as much.
LENGTHS = {"sha1": 20, "sha256": 32, "empty": 32, "hmac-sha256": 32, "siphash-1-3": 8, "siphash-2-4": 8}


class Kernels:
    """An instance of the module, with its own memory: two threads may use two of them."""

    def __init__(self):
        self.store = wasmtime.Store(engine)
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.memory = self.exports["memory"]
        self.output = -(-self.exports["__heap_base"].value(self.store) // LINE) * LINE
        self.state = self.output + LINE
        self.key = self.state + 4 * LINE
        self.message = self.key + LINE
        self.size = self.memory.data_len(self.store)
        self.put(b"")

    def put(self, data):
        """Copies a message, or another input, to where messages are."""
        end = self.message + len(data)
        # The library writes nothing, not even no bytes, at the very end.
        if end >= self.size:
            self.memory.grow(self.store, (end - self.size) // PAGE + 1)
            self.size = self.memory.data_len(self.store)
        self.memory.write(self.store, data, self.message)

    def function(self, primitive, part=""):
        name = "nothing" if primitive == "empty" else primitive.replace("-", "_")
        try:
            return self.exports[f"cupel_{name}{part}"]
        except KeyError:
            raise unsupported(f"{primitive} of whole messages only") from None


def prepare(task):
    kernels = Kernels()
    store, memory, put, function = kernels.store, kernels.memory, kernels.put, kernels.function
    state, output, at_message = kernels.state, kernels.output, kernels.message
    hashed, chunks = function(task.primitive), task.chunks
    end = output + LENGTHS[task.primitive]
    # Hashes have no key.
    at, rekey = scheduled(kernels, task) if task.operation == "mac" else ((), None)
    if chunks:
        begin, update, finish = (function(task.primitive, part) for part in ("_begin", "_update", "_finish"))

    def streamed(message):
        if rekey:
            rekey()
        begin(store, state, *at)
        for piece in pieces(message, chunks):
            put(piece)
            update(store, state, at_message, len(piece))
        finish(store, state, output)
        return memory.read(store, output, end)

    def whole(message):
        if rekey:
            rekey()
        put(message)
        hashed(store, output, *at, at_message, len(message))
        return memory.read(store, output, end)

    def nothing(message):
        whole(message)
        return b""

    if task.primitive == "empty":
        return nothing
    return streamed if chunks else whole


def scheduled(kernels, task):
    """Where the key is, as arguments of a call, and what prepares it again if it is in each call."""
    store, room, key = kernels.store, kernels.key, task.key
    prepared = kernels.function("hmac-sha256", "_prepare") if task.primitive == "hmac-sha256" else None

    def schedule():
        if prepared is None:
            # SipHash has no key schedule: the key itself is in memory.
            kernels.memory.write(store, key, room)
        else:
            kernels.put(key)
            prepared(store, room, kernels.message, len(key))

    schedule()
    return (room,), schedule if task.key_per_call else None

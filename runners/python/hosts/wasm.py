"""Our C kernels as WebAssembly, in wasmtime, which compiles them when it loads them. What a program
pays is in the call: it copies the message into the module's memory, and the output out of it."""

import wasmtime

from octets import pieces
from refused import unsupported
from wasm_module import FILE

engine = wasmtime.Engine()
store = wasmtime.Store(engine)
kernels = wasmtime.Instance(store, wasmtime.Module.from_file(engine, FILE), []).exports(store)
memory = kernels["memory"]

# The memory from `__heap_base` on: an output, a state, the keys that were prepared, a message. The
# kernels assert that the first three have room.
LINE = 64
OUTPUT = -(-kernels["__heap_base"].value(store) // LINE) * LINE
STATE = OUTPUT + LINE
PAGE = 65536
message_at = STATE + 4 * LINE
size = memory.data_len(store)

# That of `empty` is as long as SHA-256's, so that what is copied is what it copies.
LENGTHS = {"sha1": 20, "sha256": 32, "empty": 32, "hmac-sha256": 32, "siphash-1-3": 8, "siphash-2-4": 8}


def put(data):
    """Copies a message, or another input, to where messages are."""
    global size
    end = message_at + len(data)
    # The library writes nothing, not even no bytes, at the very end.
    if end >= size:
        memory.grow(store, (end - size) // PAGE + 1)
        size = memory.data_len(store)
    memory.write(store, data, message_at)


def key_room():
    """Room for a key, for the life of the process; messages come after it."""
    global message_at
    message_at += LINE
    put(b"")
    return message_at - LINE


def function(primitive, part=""):
    name = "nothing" if primitive == "empty" else primitive.replace("-", "_")
    try:
        return kernels[f"cupel_{name}{part}"]
    except KeyError:
        raise unsupported(f"{primitive} of whole messages only") from None


def prepare(task):
    hashed, length, chunks = function(task.primitive), LENGTHS[task.primitive], task.chunks
    # Hashes have no key.
    at, rekey = scheduled(task) if task.operation == "mac" else ((), None)
    if chunks:
        begin, update, finish = (function(task.primitive, part) for part in ("_begin", "_update", "_finish"))

    def streamed(message):
        if rekey:
            rekey()
        begin(store, STATE, *at)
        for piece in pieces(message, chunks):
            put(piece)
            update(store, STATE, message_at, len(piece))
        finish(store, STATE, OUTPUT)
        return memory.read(store, OUTPUT, OUTPUT + length)

    def whole(message):
        if rekey:
            rekey()
        put(message)
        hashed(store, OUTPUT, *at, message_at, len(message))
        return memory.read(store, OUTPUT, OUTPUT + length)

    def nothing(message):
        whole(message)
        return b""

    if task.primitive == "empty":
        return nothing
    return streamed if chunks else whole


def scheduled(task):
    """Where the key is, as arguments of a call, and what prepares it again if it is in each call."""
    room, key = key_room(), task.key
    prepared = function("hmac-sha256", "_prepare") if task.primitive == "hmac-sha256" else None

    def schedule():
        if prepared is None:
            # SipHash has no key schedule: the key itself is in memory.
            memory.write(store, key, room)
        else:
            put(key)
            prepared(store, room, message_at, len(key))

    schedule()
    return (room,), schedule if task.key_per_call else None

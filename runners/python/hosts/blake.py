"""python/blake3: the package blake3, written in Rust."""

from blake3 import blake3

from octets import pieces


def prepare(task):
    key, chunks = task.key, task.chunks
    if task.primitive == "blake3":
        if chunks:
            return lambda message: updated(blake3(), message, chunks).digest()
        return lambda message: blake3(message).digest()
    if chunks:
        new = (lambda: blake3(key=key)) if task.key_per_call else blake3(key=key).copy
        return lambda message: updated(new(), message, chunks).digest()
    if task.key_per_call:
        return lambda message: blake3(message, key=key).digest()
    copy = blake3(key=key).copy
    return lambda message: copy().update(message).digest()


def updated(state, message, chunks):
    for piece in pieces(message, chunks):
        state.update(piece)
    return state

import hashlib
import hmac

from octets import pieces


def prepare(task):
    if task.primitive == "hmac-sha256":
        return keyed(task)
    new = getattr(hashlib, task.primitive)
    if task.chunks:

        def streamed(message):
            state = new()
            for piece in pieces(message, task.chunks):
                state.update(piece)
            return state.digest()

        return streamed
    return lambda message: new(message).digest()


def keyed(task):
    key, chunks = task.key, task.chunks
    if task.key_per_call and not chunks:
        return lambda message: hmac.digest(key, message, "sha256")
    first = hmac.new(key, digestmod="sha256")

    def kept(message):
        state = hmac.new(key, digestmod="sha256") if task.key_per_call else first.copy()
        for piece in pieces(message, chunks) if chunks else (message,):
            state.update(piece)
        return state.digest()

    def whole(message):
        state = first.copy()
        state.update(message)
        return state.digest()

    return kept if chunks else whole

"""python/hashlib: OpenSSL, as CPython binds it, or CPython's own code."""

import hashlib
import hmac

from octets import pieces
from refused import refused_algorithm

# The names of hashlib's functions, by primitive.
NAMES = {
    "sha1": "sha1",
    "sha256": "sha256",
    "sha512": "sha512",
    "sha3-256": "sha3_256",
    "blake2b": "blake2b",
    "blake2s": "blake2s",
}
# SHAKE has no length of its own. In bytes.
SHAKE = 32

# Its states can be copied.
COPIES = True

MACS = {"hmac-sha256": "sha256", "hmac-sha512": "sha512"}


def prepare(task):
    try:
        attempt(task.primitive)
    except (AttributeError, ValueError) as error:
        raise refused_algorithm(task.primitive, error) from None
    if task.primitive in MACS:
        return keyed(task, MACS[task.primitive])
    if task.prefix:
        return copied(task)
    if task.primitive == "shake128":
        if task.chunks:
            return lambda message: updated(hashlib.shake_128(), message, task.chunks).digest(SHAKE)
        return lambda message: hashlib.shake_128(message).digest(SHAKE)
    if task.primitive == "sha512-256":
        # hashlib has no function of this name.
        if task.chunks:
            return lambda message: updated(hashlib.new("sha512_256"), message, task.chunks).digest()
        return lambda message: hashlib.new("sha512_256", message).digest()
    new = getattr(hashlib, NAMES[task.primitive])
    if task.chunks:
        return lambda message: updated(new(), message, task.chunks).digest()
    return lambda message: new(message).digest()


def copied(task):
    """Goes on with a copy of the prefix's state."""
    name = {"shake128": "shake_128", "sha512-256": "sha512_256"}.get(task.primitive) or NAMES[task.primitive]
    first = hashlib.new(name, task.prefix)
    length = [SHAKE] if task.primitive == "shake128" else []
    if task.chunks:
        return lambda message: updated(first.copy(), message, task.chunks).digest(*length)

    def whole(message):
        state = first.copy()
        state.update(message)
        return state.digest(*length)

    return whole


def attempt(primitive):
    """Computes one output before any is asked for: hashlib finds out only then whether OpenSSL has it."""
    if primitive in MACS:
        hmac.new(bytes(32), digestmod=MACS[primitive]).digest()
    elif primitive == "shake128":
        hashlib.shake_128().digest(SHAKE)
    elif primitive == "sha512-256":
        hashlib.new("sha512_256").digest()
    else:
        getattr(hashlib, NAMES[primitive])().digest()


def updated(state, message, chunks):
    for piece in pieces(message, chunks):
        state.update(piece)
    return state


def keyed(task, name):
    key, chunks = task.key, task.chunks
    if task.key_per_call and not chunks:
        return lambda message: hmac.digest(key, message, name)
    first = hmac.new(key, digestmod=name)

    def streamed(message):
        state = hmac.new(key, digestmod=name) if task.key_per_call else first.copy()
        return updated(state, message, chunks).digest()

    def whole(message):
        state = first.copy()
        state.update(message)
        return state.digest()

    return streamed if chunks else whole

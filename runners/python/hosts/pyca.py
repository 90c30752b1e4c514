from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hmac import HMAC

from octets import pieces
from refused import NotAuthentic, unsupported

HASHES = {"sha1": hashes.SHA1(), "sha256": hashes.SHA256(), "sha512": hashes.SHA512()}

# The nonces that the library takes, in bytes.
NONCES = range(8, 129)


def prepare(task):
    if task.primitive == "aes-256-gcm":
        return gcm(task)
    if task.primitive == "hmac-sha256":
        algorithm, key = HASHES["sha256"], task.key
        if task.key_per_call:
            return finished(lambda: HMAC(key, algorithm), task.chunks)
        return finished(HMAC(key, algorithm).copy, task.chunks)
    algorithm = HASHES[task.primitive]
    return finished(lambda: hashes.Hash(algorithm), task.chunks)


def finished(new, chunks):
    def whole(message):
        state = new()
        state.update(message)
        return state.finalize()

    def streamed(message):
        state = new()
        for piece in pieces(message, chunks):
            state.update(piece)
        return state.finalize()

    return streamed if chunks else whole


def gcm(task):
    if task.chunks:
        raise unsupported("AESGCM takes whole messages")
    key, ad = task.key, task.ad or None
    kept = AESGCM(key)

    def seal(message, nonce):
        check(nonce)
        return (AESGCM(key) if task.key_per_call else kept).encrypt(nonce, message, ad)

    def open_(message, nonce):
        check(nonce)
        try:
            return (AESGCM(key) if task.key_per_call else kept).decrypt(nonce, message, ad)
        except InvalidTag:
            raise NotAuthentic from None

    return seal if task.operation == "seal" else open_


def check(nonce):
    if len(nonce) not in NONCES:
        raise unsupported(f"a nonce of {len(nonce)} bytes")

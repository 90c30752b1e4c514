"""python/pyhacl: HACL*, proved code in C."""

from pyhacl import HACLError, hmac
from pyhacl.aead import chacha_poly1305
from pyhacl.hashlib import sha256, sha512

from octets import pieces
from refused import NotAuthentic, unsupported

# Its states have a `copy`, but the copy gives another digest.
HASHES = {"sha256": sha256, "sha512": sha512}
MACS = {"hmac-sha256": hmac.hmac_sha256, "hmac-sha512": hmac.hmac_sha512}
NONCE, TAG = 12, 16


def prepare(task):
    if task.primitive in HASHES:
        return digest(HASHES[task.primitive], task.chunks)
    if task.chunks:
        raise unsupported("only whole messages")
    if task.primitive in MACS:
        tag, key = MACS[task.primitive], task.key
        return lambda message: tag(key, message)
    return aead(task)


def digest(hashed, chunks):
    def streamed(message):
        state = hashed()
        for piece in pieces(message, chunks):
            state.update(piece)
        return state.digest()

    return streamed if chunks else hashed.oneshot


def aead(task):
    key, ad = task.key, task.ad

    def check(nonce):
        if len(nonce) != NONCE:
            raise unsupported(f"a nonce of {len(nonce)} bytes")

    def seal(message, nonce):
        check(nonce)
        sealed, tag = chacha_poly1305.encrypt(message, ad, key, nonce)
        return sealed + tag

    def open_(message, nonce):
        check(nonce)
        if len(message) < TAG:
            raise NotAuthentic
        try:
            return chacha_poly1305.decrypt(message[:-TAG], ad, key, nonce, message[-TAG:])
        except HACLError:
            raise NotAuthentic from None

    return seal if task.operation == "seal" else open_

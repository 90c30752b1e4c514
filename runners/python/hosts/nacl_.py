"""python/pynacl: libsodium."""

from nacl import bindings, hashlib
from nacl.encoding import RawEncoder
from nacl.exceptions import CryptoError
from nacl.hash import blake2b

from octets import pieces
from refused import NotAuthentic, unsupported

# The functions that seal and open, and the length of a nonce, in bytes.
AEADS = {
    "chacha20-poly1305": (
        bindings.crypto_aead_chacha20poly1305_ietf_encrypt,
        bindings.crypto_aead_chacha20poly1305_ietf_decrypt,
        12,
    ),
    "xchacha20-poly1305": (
        bindings.crypto_aead_xchacha20poly1305_ietf_encrypt,
        bindings.crypto_aead_xchacha20poly1305_ietf_decrypt,
        24,
    ),
}
LENGTH = 64
TAG = 16


def prepare(task):
    if task.primitive in AEADS:
        return aead(task, *AEADS[task.primitive])
    if task.chunks:
        return lambda message: streamed(message, task.chunks)
    return lambda message: blake2b(message, digest_size=LENGTH, encoder=RawEncoder)


def streamed(message, chunks):
    state = hashlib.blake2b(digest_size=LENGTH)
    for piece in pieces(message, chunks):
        state.update(piece)
    return state.digest()


def aead(task, encrypt, decrypt, length):
    if task.chunks:
        raise unsupported("only whole messages")
    key, ad = task.key, task.ad or None

    def check(nonce):
        if len(nonce) != length:
            raise unsupported(f"a nonce of {len(nonce)} bytes")

    def seal(message, nonce):
        check(nonce)
        return encrypt(message, ad, nonce, key)

    def open_(message, nonce):
        check(nonce)
        if len(message) < TAG:
            raise NotAuthentic  # cffi would complain of an array of negative length
        try:
            return decrypt(message, ad, nonce, key)
        except CryptoError:
            raise NotAuthentic from None

    return seal if task.operation == "seal" else open_

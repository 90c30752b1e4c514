"""python/pycryptodomex: hashes, MACs and AEADs, written in C."""

from Cryptodome.Cipher import AES, ChaCha20_Poly1305
from Cryptodome.Hash import CMAC, HMAC, SHA1, SHA3_256, SHA256, SHA512, SHAKE128, BLAKE2b, BLAKE2s

from octets import pieces
from refused import NotAuthentic, unsupported

# The functions that make a state, with or without a first piece, and end it.
HASHES = {
    "sha1": (SHA1.new, SHA1.SHA1Hash.digest),
    "sha256": (SHA256.new, SHA256.SHA256Hash.digest),
    "sha512": (SHA512.new, SHA512.SHA512Hash.digest),
    "sha512-256": (lambda data=b"": SHA512.new(data, "256"), SHA512.SHA512Hash.digest),
    "sha3-256": (SHA3_256.new, SHA3_256.SHA3_256_Hash.digest),
    "shake128": (lambda data=None: SHAKE128.new(data), lambda state: state.read(32)),
    "blake2b": (lambda data=b"": BLAKE2b.new(digest_bits=512, data=data), BLAKE2b.BLAKE2b_Hash.digest),
    "blake2s": (lambda data=b"": BLAKE2s.new(digest_bits=256, data=data), BLAKE2s.BLAKE2s_Hash.digest),
}
MACS = {
    "hmac-sha256": lambda key, message=b"": HMAC.new(key, message, SHA256),
    "hmac-sha512": lambda key, message=b"": HMAC.new(key, message, SHA512),
    "aes-cmac": lambda key, message=b"": CMAC.new(key, message, AES),
}
AEADS = {
    "aes-128-gcm": lambda key, nonce: AES.new(key, AES.MODE_GCM, nonce=nonce),
    "aes-256-gcm": lambda key, nonce: AES.new(key, AES.MODE_GCM, nonce=nonce),
    # The length of the nonce says which of the two it is.
    "chacha20-poly1305": lambda key, nonce: ChaCha20_Poly1305.new(key=key, nonce=nonce),
    "xchacha20-poly1305": lambda key, nonce: ChaCha20_Poly1305.new(key=key, nonce=nonce),
}
# The only length of a nonce, in bytes: with another, ChaCha20_Poly1305 makes another cipher.
LENGTHS = {"chacha20-poly1305": (12,), "xchacha20-poly1305": (24,)}
TAG = 16


def prepare(task):
    if task.primitive in AEADS:
        return aead(task, AEADS[task.primitive], LENGTHS.get(task.primitive))
    if task.primitive in MACS:
        return mac(task, MACS[task.primitive])
    new, ended = HASHES[task.primitive]
    if task.chunks:
        return lambda message: ended(updated(new(), message, task.chunks))
    return lambda message: ended(new(message))


def mac(task, make):
    key, chunks = task.key, task.chunks
    if chunks:
        new = (lambda: make(key)) if task.key_per_call else make(key).copy
        return lambda message: updated(new(), message, chunks).digest()
    if task.key_per_call:
        return lambda message: make(key, message).digest()
    copy = make(key).copy

    def kept(message):
        state = copy()
        state.update(message)
        return state.digest()

    return kept


def updated(state, message, chunks):
    for piece in pieces(message, chunks):
        state.update(piece)
    return state


def aead(task, make, lengths):
    if task.chunks:
        raise unsupported("only whole messages")
    key, ad = task.key, task.ad

    def cipher(nonce):
        if not nonce or (lengths and len(nonce) not in lengths):
            raise unsupported(f"a nonce of {len(nonce)} bytes")
        made = make(key, nonce)
        if ad:
            made.update(ad)
        return made

    def seal(message, nonce):
        ciphertext, tag = cipher(nonce).encrypt_and_digest(message)
        return ciphertext + tag

    def open_(message, nonce):
        if len(message) < TAG:
            raise NotAuthentic
        made = cipher(nonce)
        try:
            return made.decrypt_and_verify(message[:-TAG], message[-TAG:])
        except ValueError:
            raise NotAuthentic from None

    return seal if task.operation == "seal" else open_

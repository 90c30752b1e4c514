from Cryptodome.Cipher import AES
from Cryptodome.Hash import HMAC, SHA1, SHA256, SHA512

from octets import pieces
from refused import NotAuthentic, unsupported

HASHES = {"sha1": SHA1, "sha256": SHA256, "sha512": SHA512}
TAG = 16


def prepare(task):
    if task.primitive == "aes-256-gcm":
        return gcm(task)
    chunks = task.chunks
    if task.primitive == "hmac-sha256":
        key = task.key
        if task.key_per_call:
            new, one = (lambda: HMAC.new(key, digestmod=SHA256)), (lambda m: HMAC.new(key, m, SHA256).digest())
        else:
            new = HMAC.new(key, digestmod=SHA256).copy

            def one(message):
                state = new()
                state.update(message)
                return state.digest()

    else:
        module = HASHES[task.primitive]
        new, one = module.new, (lambda message: module.new(message).digest())

    def streamed(message):
        state = new()
        for piece in pieces(message, chunks):
            state.update(piece)
        return state.digest()

    return streamed if chunks else one


def gcm(task):
    if task.chunks:
        raise unsupported("only whole messages")
    key, ad = task.key, task.ad

    def cipher(nonce):
        if not nonce:
            raise unsupported("an empty nonce")
        made = AES.new(key, AES.MODE_GCM, nonce=nonce)
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

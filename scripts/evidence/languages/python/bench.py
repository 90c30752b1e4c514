"""The calls of Cupel's contenders in Python as plain benchmarks of pyperf. CELLS names them."""

import hashlib
import hmac
import os

import pyperf
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

key, nonce = os.urandom(32), bytes(12)
cipher = AESGCM(key)


def digest(message):
    return hashlib.sha256(message).digest()


def mac(message):
    return hmac.digest(key, message, "sha256")


def rusted(message):
    state = hashes.Hash(hashes.SHA256())
    state.update(message)
    return state.finalize()


def seal(message):
    return cipher.encrypt(nonce, message, None)


CALLS = {
    "python/hashlib/sha256/digest": digest,
    "python/hashlib/hmac-sha256/mac": mac,
    "python/cryptography/sha256/digest": rusted,
    "python/cryptography/aes-256-gcm/seal": seal,
}
runner = pyperf.Runner()
for cell in os.environ["CELLS"].split():
    call, size = cell.rsplit("/", 1)
    runner.bench_func(cell, CALLS[call], os.urandom(int(size)))

"""python/cryptography: OpenSSL, bound by Rust."""

from cryptography.exceptions import InternalError, InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESGCMSIV, ChaCha20Poly1305
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC
from cryptography.hazmat.primitives.hmac import HMAC

from octets import pieces
from refused import NotAuthentic, refused_algorithm, unsupported

HASHES = {
    "sha1": hashes.SHA1(),
    "sha256": hashes.SHA256(),
    "sha512": hashes.SHA512(),
    "sha512-256": hashes.SHA512_256(),
    "sha3-256": hashes.SHA3_256(),
    "shake128": hashes.SHAKE128(32),
    "blake2b": hashes.BLAKE2b(64),
    "blake2s": hashes.BLAKE2s(32),
}
MACS = {"hmac-sha256": hashes.SHA256(), "hmac-sha512": hashes.SHA512()}

# Each AEAD, with the nonces that it takes, in bytes.
AEADS = {
    "aes-128-gcm": (AESGCM, range(8, 129)),
    "aes-256-gcm": (AESGCM, range(8, 129)),
    "aes-256-gcm-siv": (AESGCMSIV, (12,)),
    "chacha20-poly1305": (ChaCha20Poly1305, (12,)),
}


def prepare(task):
    try:
        attempt(task)
    except UnsupportedAlgorithm as error:
        raise refused_algorithm(task.primitive, error) from None
    except InternalError as error:
        # The library does not foresee this refusal of OpenSSL.
        if not any(reason.reason_text == b"unsupported" for reason in error.err_code):
            raise
        raise refused_algorithm(task.primitive, "unsupported") from None
    key = task.key
    if task.primitive in AEADS:
        return aead(task, *AEADS[task.primitive])
    if task.primitive == "aes-cmac":
        return mac(task, lambda: CMAC(AES(key)))
    if task.primitive in MACS:
        algorithm = MACS[task.primitive]
        return mac(task, lambda: HMAC(key, algorithm))
    algorithm = HASHES[task.primitive]
    return finished(lambda: hashes.Hash(algorithm), task.chunks)


def attempt(task):
    """Computes one output before any is asked for, which finds out whether OpenSSL has the algorithm."""
    primitive = task.primitive
    if primitive in AEADS:
        make, _ = AEADS[primitive]
        make(bytes(16 if primitive == "aes-128-gcm" else 32)).encrypt(bytes(12), b"x", None)
    elif primitive == "aes-cmac":
        CMAC(AES(bytes(16))).finalize()
    elif primitive in MACS:
        HMAC(bytes(32), MACS[primitive]).finalize()
    else:
        hashes.Hash(HASHES[primitive]).finalize()


def mac(task, keyed):
    return finished(keyed if task.key_per_call else keyed().copy, task.chunks)


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


def aead(task, make, nonces):
    if task.chunks:
        raise unsupported(f"{make.__name__} takes whole messages")
    key, ad = task.key, task.ad or None
    kept = make(key)

    # A nonce of another length is refused by the library. Only then does anybody ask why: to ask
    # before each call took a third of its time.
    def refusal(nonce):
        if len(nonce) not in nonces:
            return unsupported(f"a nonce of {len(nonce)} bytes")
        return None

    def seal(message, nonce):
        try:
            return kept.encrypt(nonce, message, ad)
        except ValueError as error:
            raise refusal(nonce) or error from None

    def seal_with_key(message, nonce):
        try:
            return make(key).encrypt(nonce, message, ad)
        except ValueError as error:
            raise refusal(nonce) or error from None

    def open_(message, nonce):
        try:
            return kept.decrypt(nonce, message, ad)
        except InvalidTag:
            raise NotAuthentic from None
        except ValueError as error:
            raise refusal(nonce) or error from None

    def open_with_key(message, nonce):
        try:
            return make(key).decrypt(nonce, message, ad)
        except InvalidTag:
            raise NotAuthentic from None
        except ValueError as error:
            raise refusal(nonce) or error from None

    if task.operation == "seal":
        return seal_with_key if task.key_per_call else seal
    return open_with_key if task.key_per_call else open_

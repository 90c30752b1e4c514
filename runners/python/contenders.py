"""All that this runner hosts, in the order of contenders/python.toml. A library is loaded only in
the process of its contender."""

import platform
import sys
from importlib import import_module

import wasm_module
from refused import Refused, unsupported

HASHES = ("sha1", "sha256", "sha512", "sha512-256", "sha3-256", "shake128", "blake2b", "blake2s")
HMACS = ("hmac-sha256", "hmac-sha512")
GCM = ("aes-128-gcm", "aes-256-gcm")


def offers(operation, *primitives, key=None):
    extra = {"key": key} if key else {}
    return [{"primitive": primitive, "operation": operation, **extra} for primitive in primitives]


def aead(*primitives, key=None):
    pairs = [[*offers("seal", p, key=key), *offers("open", p, key=key)] for p in primitives]
    return [offer for pair in pairs for offer in pair]


def version_of(package):
    """The version of an installed package, or `None`."""
    # Loading this takes half as long as loading all of the runner, and only `list` needs it.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


class Contender:
    """A library, called in one way. `package` is its name at the registry; the standard library has
    none."""

    # The code that it takes, if that is known.
    code_path = "unknown"

    def __init__(self, name, library, package, licence, summary, offers, module):
        self.name, self.library, self.package, self.licence = name, library, package, licence
        self.summary, self.offers, self.module = summary, offers, module

    def prepare(self, task):
        """The timed call: from a message, and for `seal` and `open` a nonce, to the output."""
        try:
            host = import_module(f"hosts.{self.module}")
        except (ImportError, OSError, RuntimeError) as error:
            # A package that has no native part for this machine.
            raise Refused("missing", f"{self.library} does not load: {error}") from None
        if task.prefix and not getattr(host, "COPIES", False):
            raise unsupported(f"{self.name} copies no state")
        return host.prepare(task)

    def missing(self):
        """Why this cannot be called, if that is known before its library is loaded."""
        return None

    def listed(self):
        fields = ("name", "library", "licence", "summary", "offers")
        found = {field: getattr(self, field) for field in fields}
        python = platform.python_version()
        if self.package is None:
            return {**found, "version": self.own_version(python)}
        if (version := version_of(self.package)) is None:
            reason = f"{self.package} is not in {sys.prefix}"
            return {**found, "version": "", "missing": {"reason": reason}}
        return {**found, "version": f"{version} (Python {python})"}

    def own_version(self, python):
        if self.name == "empty":
            return python
        from _ssl import OPENSSL_VERSION  # not from ssl, which takes long to load

        return f"{python} ({' '.join(OPENSSL_VERSION.split()[:2])})"


class Wasm(Contender):
    """Our C kernels as WebAssembly; the package runs them."""

    code_path = "portable"

    def missing(self):
        return wasm_module.MISSING

    def listed(self):
        found = super().listed()
        if "missing" in found or wasm_module.MISSING:
            return {"missing": wasm_module.MISSING, **found, "version": ""}
        own, compiler = wasm_module.VERSION
        parts = (compiler, f"{self.package} {version_of(self.package)}", f"Python {platform.python_version()}")
        return {**found, "version": f"{own} ({', '.join(parts)})"}


CONTENDERS = [
    Contender(
        "hashlib",
        "Python's standard library",
        None,
        "PSF-2.0",
        "hashlib.sha256(message).digest(); hmac.new and copy, or hmac.digest where the key is in the call",
        [*offers("digest", *HASHES), *offers("mac", *HMACS)],
        "std",
    ),
    Contender(
        "cryptography",
        "cryptography",
        "cryptography",
        "Apache-2.0 OR BSD-3-Clause",
        "Hash, update, finalize; HMAC and CMAC, copied after the key; AESGCM and its like",
        [
            *offers("digest", *HASHES),
            *offers("mac", *HMACS, "aes-cmac"),
            *aead(*GCM, "aes-256-gcm-siv", "chacha20-poly1305"),
        ],
        "pyca",
    ),
    Contender(
        "pycryptodomex",
        "pycryptodomex",
        "pycryptodomex",
        "BSD-2-Clause",
        "SHA256.new(message).digest(); HMAC and CMAC, copied after the key; new, encrypt_and_digest",
        [
            *offers("digest", *HASHES),
            *offers("mac", *HMACS, "aes-cmac"),
            *aead(*GCM, "chacha20-poly1305", "xchacha20-poly1305", key="per-call"),
        ],
        "cryptodome",
    ),
    Contender(
        "siphash24",
        "siphash24",
        "siphash24",
        "Apache-2.0 OR LGPL-2.1-or-later",
        "siphash24.siphash24(message, key=key).digest()",
        offers("mac", "siphash-1-3", "siphash-2-4", key="per-call"),
        "siphash",
    ),
    Wasm(
        "cupel-wasmtime",
        "Cupel in WebAssembly",
        "wasmtime",
        "(MIT OR Apache-2.0) AND Apache-2.0 WITH LLVM-exception",
        "our C11 code in wasmtime: the message is copied into its memory, the output out of it",
        [
            *offers("digest", "sha1", "sha256"),
            *offers("mac", "hmac-sha256", "siphash-2-4", "siphash-1-3"),
            *offers("digest", "empty"),
        ],
        "wasm",
    ),
    Contender(
        "pynacl",
        "PyNaCl",
        "pynacl",
        "Apache-2.0 AND ISC",
        "nacl.hash.blake2b; crypto_aead_chacha20poly1305_ietf_encrypt and its like of nacl.bindings",
        [*offers("digest", "blake2b"), *aead("chacha20-poly1305", "xchacha20-poly1305", key="per-call")],
        "nacl_",
    ),
    Contender(
        "pyhacl",
        "pyhacl",
        "pyhacl",
        "Apache-2.0",
        "sha256.oneshot, update where streamed; hmac_sha256; chacha_poly1305.encrypt, decrypt",
        [
            *offers("digest", "sha256", "sha512"),
            *offers("mac", *HMACS, key="per-call"),
            *aead("chacha20-poly1305", key="per-call"),
        ],
        "hacl",
    ),
    Contender(
        "blake3",
        "blake3",
        "blake3",
        "CC0-1.0 OR Apache-2.0",
        "blake3(message).digest(); the keyed state copied",
        [*offers("digest", "blake3"), *offers("mac", "blake3-keyed")],
        "blake",
    ),
    Contender(
        "xxhash",
        "xxhash",
        "xxhash",
        "BSD-2-Clause",
        "xxh3_64_intdigest and to_bytes; output little-endian",
        offers("digest", "xxh3-64"),
        "marks",
    ),
    Contender(
        "mmh3",
        "mmh3",
        "mmh3",
        "MIT",
        "mmh3_32_uintdigest and to_bytes, mmh3_x64_128_digest; output little-endian",
        offers("digest", "murmur3-32", "murmur3-128"),
        "marks",
    ),
    Contender(
        "empty",
        "cupel",
        None,
        "MIT OR Apache-2.0",
        "nothing, through the same indirect call: what the harness itself costs",
        offers("digest", "empty"),
        "empty",
    ),
]

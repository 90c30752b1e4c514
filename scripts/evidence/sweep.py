#!/usr/bin/env python3
"""sweep.py [LIST...]: packages that may have a primitive of the catalogue and that
docs/trust/evidence/sweep.md does not name. It asks apt-cache, which knows Debian's packages, and
reads lists of other registries: one package in a line, its name in the first column, the rest
separated by tabs. A registry may be asked for such a list, or somebody publishes it: for npm and
PyPI, the most downloaded packages are enough.
"""

import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/trust/evidence/sweep.md"
WORDS = (
    "sha-?1 sha-?2 sha-?256 sha-?512 sha-?3 keccak shake blake[23]? hmac cmac siphash aes aes-gcm gcm chacha20? "
    "poly1305 xxh3 xxhash murmur(?:hash)?3? wyhash komihash rapidhash crypto cryptography cryptographic cipher digest "
    "hash sodium nacl ssl tls openssl boringssl"
).split()
FOUND = re.compile(rf"\b(?:lib)?(?:{'|'.join(WORDS)})\b", re.IGNORECASE)
# Libraries of C and C++: Debian has the crates and modules of other languages, too, and their mere
# users.
LIBRARY = re.compile(r"^lib(?!rust-|ghc-|.*-(?:perl|java|ocaml-dev|mingw-w64-dev)\b)\S*-dev\b")


def debian():
    # apt-cache has the syntax of POSIX, without \b and (?:).
    plain = "|".join(word.replace("(?:hash)?3?", "") for word in WORDS)
    listed = subprocess.run(["apt-cache", "search", plain], check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in listed.splitlines():
        name, _, summary = line.partition(" - ")
        if LIBRARY.match(name):
            yield name, summary


def other(path):
    for line in pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines():
        name, *rest = line.split("\t")
        yield name, rest[-1] if rest else ""


def main():
    page = PAGE.read_text(encoding="utf-8")
    known = {word.lower() for word in re.findall(r"`([^`\s]+)`", page)}
    sources = [("Debian", debian())] + [(path, other(path)) for path in sys.argv[1:]]
    for title, packages in sources:
        for name, summary in packages:
            if FOUND.search(f"{name} {summary}") and name.lower() not in known:
                print(f"{title}\t{name}\t{summary}")


if __name__ == "__main__":
    main()

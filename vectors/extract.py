#!/usr/bin/env python3
"""Writes the files of this folder from their sources; PROVENANCE.md says where those come from.

    python3 extract.py cryptography_vectors-50.0.2-py3-none-any.whl SipHash/vectors.h BLAKE3/test_vectors.json

Records are left out where a file would be too large for a repository, never altered. Line ends
become LF.
"""

import json
import pathlib
import re
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def records(text):
    """The head of a .rsp file (up to its first record) and its records, each with the bracketed
    lines that precede it."""
    parts = re.split(r"\n\n+", text.strip())
    first = next(i for i, p in enumerate(parts) if re.match(r"(Len|Count) = ", p))
    head = [p for p in parts[:first] if not p.startswith("[")]
    group = "".join(p for p in parts[:first] if p.startswith("["))
    out = []
    for part in parts[first:]:
        if part.startswith("["):
            group = part
        else:
            out.append((group, part))
    return head, out


def joined(head, kept):
    """A .rsp file of these records, with a group's lines once before its first record."""
    lines, last = list(head), None
    for group, record in kept:
        if group != last:
            lines.append(group)
            last = group
        lines.append(record)
    return "\n\n".join(lines) + "\n"


def every(n):
    """Keeps every n-th record, and so the last where their number is a multiple of n."""
    return lambda records: records[n - 1 :: n]


def gcm(records):
    """128-bit tags only: all records with 96-bit IVs, the first three of each group of fifteen with
    IVs of 8 or 1024 bits."""
    kept = []
    for group, record in records:
        if "[Taglen = 128]" not in group:
            continue
        count = int(re.match(r"Count = (\d+)", record)[1])
        if "[IVlen = 96]" in group or count < 3:
            kept.append((group, record))
    return kept


def main():
    wheel, siphash, blake3 = sys.argv[1:]
    zipped = zipfile.ZipFile(wheel)

    def text(path):
        return zipped.read("cryptography_vectors/" + path).decode().replace("\r\n", "\n")

    def write(path, content):
        target = HERE / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(content)

    for path in [
        "hashes/SHA1/SHA1ShortMsg.rsp",
        "hashes/SHA1/SHA1Monte.rsp",
        "hashes/SHA2/SHA256ShortMsg.rsp",
        "hashes/SHA2/SHA256LongMsg.rsp",
        "hashes/SHA2/SHA256Monte.rsp",
        "hashes/SHA2/SHA512ShortMsg.rsp",
        "hashes/SHA2/SHA512Monte.rsp",
    ]:
        write("nist-cavp/" + path.split("/")[-1], text(path))
    for path, keep in [
        ("hashes/SHA1/SHA1LongMsg.rsp", every(2)),
        ("hashes/SHA2/SHA512LongMsg.rsp", every(8)),
        ("ciphers/AES/GCM/gcmEncryptExtIV256.rsp", gcm),
        ("ciphers/AES/GCM/gcmDecrypt256.rsp", gcm),
    ]:
        head, all_records = records(text(path))
        write("nist-cavp/" + path.split("/")[-1], joined(head, keep(all_records)))
    write("rfc/rfc-4231-sha256.txt", text("HMAC/rfc-4231-sha256.txt"))

    tables = pathlib.Path(siphash).read_text()
    for name, bits in [("siphash-2-4", 64), ("siphash-2-4-128", 128)]:
        table = re.search(rf"vectors_sip{bits}\[64\]\[{bits // 8}\] = \{{(.*?)\n\}};", tables, re.S)
        rows = re.findall(r"\{([^{}]*)\}", table[1])
        tags = ["".join(re.findall(r"0x(..)", row)) for row in rows]
        assert len(tags) == 64 and all(len(tag) == bits // 4 for tag in tags)
        head = (
            "# Key 00 01 .. 0f; line n (from 0) is the tag of the message 00 01 .. of n bytes.\n"
        )
        write(f"siphash/{name}.txt", head + "\n".join(tags) + "\n")

    cases = json.loads(pathlib.Path(blake3).read_text())["cases"]
    head = "# Length of the message 00 01 .. fa 00 01 .., and the first 32 bytes of its hash.\n"
    lines = [f"{case['input_len']} {case['hash'][:64]}" for case in cases]
    write("blake3/blake3.txt", head + "\n".join(lines) + "\n")


main()

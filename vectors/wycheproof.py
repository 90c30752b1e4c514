"""Writes wycheproof/*.txt from Project Wycheproof's JSON, in the form of NIST's .rsp files.

Of AES-GCM the records with 256-bit keys and 96-bit nonces are kept: the primitive is defined so.
Usage: wycheproof.py FOLDER, where FOLDER is `src/data` of the crate wycheproof 0.7.0.
"""

import json
import pathlib
import sys

FILES = ["siphash_1_3", "siphash_2_4", "siphash_4_8", "siphashx_2_4", "siphashx_4_8", "hmac_sha256", "aes_gcm"]
NAMES = {"key": "Key", "iv": "IV", "aad": "AAD", "msg": "Msg", "ct": "CT", "tag": "Tag", "result": "Result"}


def records(name, data):
    for group in data["testGroups"]:
        if name == "aes_gcm" and (group["keySize"], group["ivSize"], group["tagSize"]) != (256, 96, 128):
            continue
        for test in group["tests"]:
            lines = [f"Id = {test['tcId']}"]
            if test["comment"]:
                lines.insert(0, f"# {test['comment']}")
            lines += [f"{NAMES[field]} = {test[field]}".rstrip() for field in NAMES if field in test]
            yield "\n".join(lines)


folder = pathlib.Path(__file__).parent / "wycheproof"
folder.mkdir(exist_ok=True)
for name in FILES:
    data = json.loads((pathlib.Path(sys.argv[1]) / f"{name}_test.json").read_text())
    text = "\n\n".join(records(name, data))
    (folder / f"{name}.txt").write_text(f"# Project Wycheproof, {name}_test.json\n\n{text}\n")

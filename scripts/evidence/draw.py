#!/usr/bin/env python3
"""Draws the tables of docs/trust/evidence/known-truth.md and documents.md from the newest
results in record/.

With --check, writes nothing, and fails if a page is not what the results say.
"""

import importlib
import sys

import documents
import gates
import rig

# The results on each page, with the script that draws them.
DRAWN = {
    rig.PAGE: {name: name for name in ["known-truth", "two-levels", "neighbours", "repeat"]},
    gates.PAGE: {"upgrades": "upgrades"},
    documents.PAGE: {f"documents-{number}": "documents" for number in documents.DOCUMENTS},
}


def main():
    for file, results in DRAWN.items():
        page = drawn = file.read_text()
        for name, script in results.items():
            text = importlib.import_module(script).text(rig.newest(name))
            drawn = rig.with_section(file, drawn, name, text)
        if "--check" not in sys.argv[1:]:
            file.write_text(drawn)
        elif drawn != page:
            sys.exit(f"{file.relative_to(rig.ROOT)} is not what record/ says: run scripts/evidence/draw.py")


if __name__ == "__main__":
    main()

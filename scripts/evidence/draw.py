#!/usr/bin/env python3
"""Draws the tables of docs/evidence/known-truth.md from the newest results in record/.

With --check, writes nothing, and fails if the page is not what the results say.
"""

import importlib
import sys

import rig

DRAWN = ["known-truth", "two-levels", "neighbours", "repeat"]


def main():
    page = drawn = rig.PAGE.read_text()
    for name in DRAWN:
        drawn = rig.with_section(drawn, name, importlib.import_module(name).text(rig.newest(name)))
    if "--check" not in sys.argv[1:]:
        rig.PAGE.write_text(drawn)
    elif drawn != page:
        sys.exit(f"{rig.PAGE.relative_to(rig.ROOT)} is not what record/ says: run scripts/evidence/draw.py")


if __name__ == "__main__":
    main()

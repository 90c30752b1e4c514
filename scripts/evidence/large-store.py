#!/usr/bin/env python3
"""What the tool costs on a store of many slices: seconds and memory of `show` as a table and as a page.

Usage: scripts/evidence/large-store.py [SLICES [RUNS]]      (default 10 million in 20 runs)

Creates the store (see crates/cupel/examples/large_store.rs) unless it exists, and times each
command twice: first without cached answers, as after an upgrade of the tool, then with them.
Goals: a table within 1 s, a page within 3 s, under 500 MB.
"""

import os
import pathlib
import sqlite3
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "target/large"


def cost(command: list[str]) -> tuple[float, float]:
    """The time in s, and the peak resident memory in MB."""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - began, usage.ru_maxrss * 1024 / 1e6


def main() -> int:
    slices = sys.argv[1] if len(sys.argv) > 1 else "10000000"
    runs = sys.argv[2] if len(sys.argv) > 2 else "20"
    cargo = ["cargo", "build", "--quiet", "--release", "--locked", "--package", "cupel"]
    subprocess.run([*cargo, "--bins", "--example", "large_store"], cwd=ROOT, check=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    store = FOLDER / f"{slices}-{runs}.sqlite"
    if not store.exists():
        making = FOLDER / "making.sqlite"
        for stray in FOLDER.glob("making.sqlite*"):
            stray.unlink()
        subprocess.run([ROOT / "target/release/examples/large_store", making, slices, runs], check=True)
        making.rename(store)
    with sqlite3.connect(store) as database:
        database.execute("delete from remembered where true")
        count = "select count(*) from slice where round in (select round.id from round join fork on" \
                " fork.id = fork where run = (select max(id) from run))"
        newest = database.execute(count).fetchone()[0]
    print(f"{store.stat().st_size / 1e6:.0f} MB, {newest} slices in the newest run")
    cupel = [str(ROOT / "target/release/cupel"), "--store", str(store)]
    for verb in (["show"], ["show", "--output", str(FOLDER / "page.html")]):
        for when in ("anew", "again"):
            seconds, megabytes = cost(cupel + verb)
            print(f"cupel {' '.join(verb[:2])}, {when}: {seconds:.2f} s, {megabytes:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

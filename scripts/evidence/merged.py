#!/usr/bin/env python3
"""What merging the stores of many machines costs, and drawing their site: seconds, memory, size.

Usage: scripts/evidence/merged.py [MACHINESxRUNS ...]   (default 10x4 100x4 1000x4 10x100 10x1000)

The stores are those of machines that do not exist: each run goes through the measuring core on a
simulated stage (crates/cupel/examples/simulated_stores.rs), in release code. Their runs ask four
questions in turn, of three contenders at three sizes. Prints a table in Markdown: the time of each command
and its peak resident memory.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "target/merged"
PROGRAMS = ROOT / "target/release"
USUAL = ["10x4", "100x4", "1000x4", "10x100", "10x1000"]


def cost(command: list) -> tuple[float, float]:
    """The time in s, and the peak resident memory in MB."""
    began = time.perf_counter()
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} {command[1]}: status {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - began, usage.ru_maxrss * 1024 / 1e6


def size(folder: pathlib.Path) -> float:
    """The bytes of all files, in MB."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def main() -> int:
    cargo = ["cargo", "build", "--quiet", "--release", "--locked", "--package", "cupel"]
    subprocess.run([*cargo, "--bins", "--example", "simulated_stores"], cwd=ROOT, check=True)
    print("| machines | runs | stores | import | again | site | site again | without slices | pages |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for asked in sys.argv[1:] or USUAL:
        machines, runs = asked.split("x")
        stores = FOLDER / asked
        stores.mkdir(parents=True, exist_ok=True)
        make = [PROGRAMS / "examples/simulated_stores", stores, machines, runs]
        subprocess.run([str(word) for word in make], check=True)
        merged, site = FOLDER / "merged.sqlite", FOLDER / "site"
        for stray in FOLDER.glob("merged.sqlite*"):
            stray.unlink()
        cupel = [PROGRAMS / "cupel", "--store", merged]
        files = sorted(stores.glob("*.sqlite"))
        figures = []
        without = ["show", "--output", f"{site}/"]
        whole = [*without, "--slices"]
        for command in (["import", *files], ["import", *files], whole, whole, without):
            if command == whole:
                shutil.rmtree(site, ignore_errors=True)
            seconds, megabytes = cost(cupel + command)
            figures.append(f"{seconds:.1f} s, {megabytes:.0f} MB")
        pages = sum(1 for _ in site.rglob("*.html"))
        figures.append(f"{pages}, {size(site):.0f} MB")
        total = f"{int(machines) * int(runs)}"
        print("|", " | ".join([machines, total, f"{size(stores):.0f} MB", *figures]), "|", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

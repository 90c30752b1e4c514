#!/usr/bin/env python3
"""What the confinement of runners costs: in ns of a system call and of the opening of a file, which a
confined runner makes itself, and in ms of a start, which `cupel doctor` does to many runners.

Usage: scripts/evidence/confined.py [CUPEL [TIMES]]      (default target/release/cupel, 21 times)

Confined and unconfined ones take turns: their families differ in `confined = false` only. All of it
runs on one processor. The figures are medians, and the least.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNNERS = 24
CALLS = 2000


def least_ns(call) -> float:
    """The time of a call, in ns: the least of a hundred batches, because others may use the processor."""
    times = []
    for _ in range(100):
        began = time.perf_counter_ns()
        for _ in range(CALLS // 100):
            call()
        times.append((time.perf_counter_ns() - began) / (CALLS // 100))
    return min(times)


def measured_inside(file: str) -> None:
    """What a runner does instead of greeting."""
    found = [least_ns(os.getppid), least_ns(lambda: os.close(os.open(__file__, os.O_RDONLY)))]
    with open(file, "a", encoding="ascii") as out:
        print(*found, file=out)


def home(folder: pathlib.Path, command: list[str], count: int, more: str) -> dict[str, str]:
    """A folder with `count` families of one command; returns the environment of a tool that reads it."""
    for name in ("contenders", "suites"):
        (folder / name).mkdir(parents=True)
    for at in range(count):
        text = f'runner = "program"\nprefix = "p{at}"\ncommand = {json.dumps(command)}\n{more}\n'
        (folder / f"contenders/f{at}.toml").write_text(text)
    folders = {f"CUPEL_{name}": str(folder / name) for name in ("CACHE", "DATA", "CONFIG")}
    return os.environ | folders | {"CUPEL_HOME": str(folder)}


def main() -> int:
    cupel = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/cupel")
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 21
    sham = str(pathlib.Path(cupel).with_name("cupel-sham"))
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        script = folder / "script.json"
        script.write_text('{"contenders": [{"name": "x", "primitives": ["siphash-2-4"]}]}')
        inside: dict[str, list[list[float]]] = {}
        starts: dict[str, list[float]] = {"confined": [], "free": []}
        homes = {}
        for kind, more in (("confined", ""), ("free", "confined = false")):
            runner = [sham, "--script", str(script)]
            timer = [sys.executable, __file__, "--inside", str(folder / kind)]
            homes[kind] = (
                home(folder / f"{kind}-many", runner, RUNNERS, more),
                home(folder / f"{kind}-one", timer, 1, more),
            )
        for turn in range(times):
            for kind in list(homes)[:: 1 if turn % 2 else -1]:
                many, one = homes[kind]
                began = time.perf_counter()
                subprocess.run([cupel, "doctor"], env=many, stdout=subprocess.DEVNULL, check=True)
                starts[kind].append((time.perf_counter() - began) / RUNNERS * 1e3)
                subprocess.run([cupel, "doctor"], env=one, stdout=subprocess.DEVNULL, check=True)
        for kind in homes:
            lines = (folder / kind).read_text().splitlines()
            inside[kind] = [[float(word) for word in line.split()] for line in lines]
        for what, at in (("getppid()", 0), ("open() and close()", 1)):
            columns = {kind: [line[at] for line in inside[kind]] for kind in homes}
            said(what, "ns", columns)
        said("start of a runner, with the tool's share", "ms", starts)
    return 0


def said(what: str, unit: str, columns: dict[str, list[float]]) -> None:
    """Prints the two medians and the two least ones, with their difference."""
    for name, of in (("median", statistics.median), ("least", min)):
        confined, free = of(columns["confined"]), of(columns["free"])
        line = f"{free:.2f} {unit}, confined {confined:.2f} {unit}, {confined - free:+.2f} {unit}"
        print(f"{what}, {name} of {len(columns['free'])}: {line}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        measured_inside(sys.argv[2])
    else:
        sys.exit(main())

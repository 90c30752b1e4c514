#!/usr/bin/env python3
"""How much copies of one object differ: the same bytes in other pages of the page cache.

    scripts/evidence/text-pages.py --object FILE.so [--runner PROGRAM]... [--copies 30]

Each copy is hosted by fresh processes of each runner, in turns, and its fastest slice counts. With a
runner that moves its code to pages of its own, copies that are slow in every process are gone; what is
left are single processes. docs/trust/evidence/text-pages.md has the results.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = ROOT / "runners/native/target/release/cupel-runner-native"
CONTRACT = {"key": "none", "nonce": "none", "output": "given", "inputs": "hot", "batch": 64}


class Runner:
    """A process that hosts one object."""

    def __init__(self, program, object_):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program, object_], stdin=pipe, stdout=pipe, text=True)
        self.number = 0
        self.ask("hello", protocol=1, tool="text-pages")

    def ask(self, ask, **fields):
        self.number += 1
        request = {"id": self.number, "ask": ask, **fields}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        if reply["status"] != "ok":
            raise SystemExit(f"{ask}: {reply}")
        return reply

    def end(self):
        self.ask("bye")
        self.process.wait()


def fastest(program, object_, contender):
    """The ns of a call in the fastest of many slices of a process."""
    runner = Runner(program, object_)
    work = {"primitive": "sha256", "operation": "digest-many", "size": 64}
    work |= {"contract": CONTRACT, "shape": "throughput"}
    runner.ask("prepare", cell=0, contender=contender, workload=work, seed=1, pool=64, offset=0)
    best, calls, first = float("inf"), 20, 0
    for _ in range(300):
        sliced = runner.ask("slice", cell=0, first=first, preroll=2, iterations=calls)
        best = min(best, sliced["elapsed_ns"] / calls)
        first += calls + 2
    runner.end()
    return best


def main():
    about = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=about)
    parser.add_argument("--object", required=True, type=Path)
    parser.add_argument("--contender", default="cupel-many-avx2")
    parser.add_argument("--runner", action="append", type=Path)
    parser.add_argument("--copies", type=int, default=30)
    parser.add_argument("--processes", type=int, default=3)
    args = parser.parse_args()
    runners = args.runner or [RUNNER]
    with tempfile.TemporaryDirectory() as folder:
        copies = [shutil.copy(args.object, f"{folder}/{n}.so") for n in range(args.copies)]
        times = {}
        for _ in range(args.processes):
            for copy in copies:
                for runner in runners:
                    ns = fastest(runner, copy, args.contender)
                    times.setdefault((runner, copy), []).append(ns)
    for runner in runners:
        of = {copy: times[runner, copy] for copy in copies}
        median = statistics.median(ns for all_ in of.values() for ns in all_)
        slow = {c: [round(n / median, 2) for n in ns] for c, ns in of.items() if max(ns) > 1.05 * median}
        always = sum(min(ns) > 1.05 * median for ns in of.values())
        print(f"{runner}: median {median:.0f} ns; {always} of {len(copies)} copies slow in every process")
        for copy, ratios in slow.items():
            print(f"  {Path(copy).name}: {ratios}")


if __name__ == "__main__":
    main()

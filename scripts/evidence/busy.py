#!/usr/bin/env python3
"""Do verdicts survive a busy loop on the measuring processor?

Usage: scripts/evidence/busy.py [SUITE] [BUDGET]      (default quickstart 55s; `make build` first)

Runs a suite twice: on the machine as it is, and with a busy loop pinned to the measuring processor
(the last one that this process may use) throughout. Two verdicts contradict each other if one says
faster and the other slower; a verdict is lost if only the quiet run gives one.
"""

import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def spin(cpu: int) -> None:
    os.sched_setaffinity(0, {cpu})
    while True:
        pass


def verdicts(suite: str, budget: str, store: str) -> dict:
    command = [ROOT / "target/release/cupel", "run", suite, "--budget", budget, "--format", "json"]
    env = {**os.environ, "CUPEL_STORE": store}
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True)
    document = json.loads(done.stdout)
    key = ("primitive", "operation", "size", "shape", "contender")
    return {tuple(c[k] for k in key): c for c in document["cells"]}


def main() -> int:
    suite = sys.argv[1] if len(sys.argv) > 1 else "quickstart"
    budget = sys.argv[2] if len(sys.argv) > 2 else "55s"
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/busy.sqlite"
        quiet = verdicts(suite, budget, store)
        cpu = max(os.sched_getaffinity(0))
        loop = multiprocessing.Process(target=spin, args=(cpu,), daemon=True)
        loop.start()
        busy = verdicts(suite, budget, store)
        loop.terminate()
    given = {"faster", "slower"}
    contradicted, lost, gained, same = [], 0, 0, 0
    for key, before in quiet.items():
        after = busy[key]
        pair = {before["verdict"], after["verdict"]}
        if pair == given:
            contradicted.append((key, before["ratio"], after["ratio"]))
        elif before["verdict"] in given and after["verdict"] not in given:
            lost += 1
        elif after["verdict"] in given and before["verdict"] not in given:
            gained += 1
        else:
            same += 1
    dropped = [sum(c["dropped"] for c in run.values()) for run in (quiet, busy)]
    rounds = [sum(c["dropped"] + c["rounds"] for c in run.values()) for run in (quiet, busy)]
    shift = sorted(
        abs(busy[k]["ratio"] / c["ratio"] - 1)
        for k, c in quiet.items()
        if c["ratio"] and busy[k]["ratio"]
    )
    print(f"{len(quiet)} cells: {same} with the same verdict, {lost} lost, {gained} gained, {len(contradicted)} contradicted")
    print(f"rounds dropped: quiet {dropped[0]} of {rounds[0]}, busy {dropped[1]} of {rounds[1]}")
    if shift:
        print(f"ratios moved by: median {shift[len(shift) // 2]:.2%}, most {shift[-1]:.2%}")
    for key, before, after in contradicted:
        print("CONTRADICTED:", key, before, after)
    return 1 if contradicted else 0


if __name__ == "__main__":
    sys.exit(main())

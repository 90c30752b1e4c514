#!/usr/bin/env python3
"""What a comparison of one program after the other would have shown.

Usage: scripts/evidence/sequential.py [SUITE] [TIMES] [BUDGET]
    (default pitfalls/order 4 5s; `make build` first)

Runs a suite of two contenders several times, and compares them in two ways: within each run, round
by round, as Cupel does; and across runs, the time of one contender in a run divided by the time of
the other in the next, as if all of A had been measured before all of B.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CUPEL = os.environ.get("CUPEL", str(ROOT / "target/release/cupel"))


def measured(suite: str, budget: str, store: str) -> list[dict]:
    command = [CUPEL, "--quiet", "run", suite, "--budget", budget, "--format", "json"]
    env = {**os.environ, "CUPEL_STORE": store}
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)["cells"]


def main() -> int:
    suite = sys.argv[1] if len(sys.argv) > 1 else "pitfalls/order"
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    budget = sys.argv[3] if len(sys.argv) > 3 else "5s"
    with tempfile.TemporaryDirectory() as folder:
        runs = [measured(suite, budget, f"{folder}/{turn}.sqlite") for turn in range(times)]
    sides = []
    for cells in runs:
        base = next(c for c in cells if c["verdict"] == "baseline")
        other = next(c for c in cells if c["verdict"] != "baseline")
        sides.append((base, other))
    print(f"{sides[0][1]['contender']} over {sides[0][0]['contender']}, {times} runs of {budget}")
    within = [other["ratio"] for _, other in sides]
    print("in one run, round by round:  " + "  ".join(f"{ratio:.3f}" for ratio in within))
    across = [
        sides[turn][1]["ns_median"] / sides[turn - 1][0]["ns_median"] for turn in range(1, times)
    ]
    print("first the one, then the other: " + "  ".join(f"{ratio:.3f}" for ratio in across))
    spread = lambda ratios: (max(ratios) / min(ratios) - 1) * 100
    print(f"spread: {spread(within):.1f} % and {spread(across):.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What the tool itself costs: the time of `cupel list`, the memory of a run, the share of time in
slices.

Usage: scripts/evidence/footprint.py [SUITE]      (default quickstart; `make build` first)

Goals: `cupel list` under 50 ms, under 100 MB resident, at least 80 % of the rounds' time inside
timed slices.
"""

import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CUPEL = ROOT / "target/release/cupel"


def list_ms() -> float:
    began = time.perf_counter()
    subprocess.run([CUPEL, "list"], stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - began) * 1e3


def peak_kib(pid: int) -> int:
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found.group(1)) if found else 0


def main() -> int:
    suite = sys.argv[1] if len(sys.argv) > 1 else "quickstart"
    list_ms()
    times = [list_ms() for _ in range(21)]
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "CUPEL_STORE": f"{folder}/footprint.sqlite"}
        command = [CUPEL, "run", suite, "--verbose"]
        log = pathlib.Path(folder) / "log"
        with log.open("w") as err:
            began = time.perf_counter()
            run = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=err)
            peak = 0
            while run.poll() is None:
                peak = max(peak, peak_kib(run.pid))
                time.sleep(0.2)
            took = time.perf_counter() - began
        share = re.search(r"of which ([\d.]+) % inside timed slices", log.read_text())
    print(f"cupel list: median {statistics.median(times):.1f} ms, longest of 21 {max(times):.1f} ms")
    print(f"cupel run {suite}: {took:.1f} s, at most {peak / 1024:.1f} MiB resident, status {run.returncode}")
    print(f"inside timed slices: {share.group(1) if share else '?'} % of the rounds' time")
    return 0 if share else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Fifty A/A pairs on the real clock: copies of one contender as two contenders.

Usage: scripts/evidence/aa.py [BUDGET]      (default 90s; `make build` first)

Creates a home in which OpenSSL's family has two prefixes, runs a suite of fifty workloads with the
two copies, and counts verdicts. Every row must be "not separated".
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = {
    ("sha256", "digest"): [16, 31, 55, 56, 64, 128, 256, 512, 1024, 1500, 2048, 4096, 8192],
    ("sha1", "digest"): [16, 31, 55, 56, 64, 128, 256, 512, 1024, 1500, 2048, 4096, 8192],
    ("sha512", "digest"): [16, 64, 111, 112, 128, 256, 512, 1024, 1500, 2048, 4096, 8192],
    ("siphash-2-4", "mac"): [16, 64, 256, 1024, 4096, 8192],
    ("aes-256-gcm", "seal"): [16, 64, 256, 1024, 4096, 8192],
}


def main() -> int:
    budget = sys.argv[1] if len(sys.argv) > 1 else "90s"
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        for name in ["runners", "crates", "protocol"]:
            (home / name).symlink_to(ROOT / name)
        (home / "contenders").mkdir()
        (home / "suites").mkdir()
        family = (ROOT / "contenders/openssl.toml").read_text()
        for copy in ["a", "b"]:
            text = family.replace('prefix = "c"', f'prefix = "{copy}"')
            (home / f"contenders/{copy}.toml").write_text(text)
        suite = f'question = "Are two copies of one contender separated?"\nbudget = "{budget}"\n'
        for (primitive, operation), sizes in SIZES.items():
            suite += (
                f'\n[[workload]]\nprimitive = "{primitive}"\noperation = "{operation}"\n'
                f'sizes = {sizes}\ncontenders = ["a/openssl-reused", "b/openssl-reused"]\n'
                'baseline = "a/openssl-reused"\n'
            )
        (home / "suites/aa.toml").write_text(suite)
        command = [ROOT / "target/release/cupel", "run", "aa", "--format", "json"]
        env = {**os.environ, "CUPEL_HOME": str(home), "CUPEL_STORE": str(home / "aa.sqlite")}
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True)
    cells = [c for c in json.loads(done.stdout)["cells"] if c["contender"] == "b/openssl-reused"]
    off = sorted(abs(c["ratio"] - 1) for c in cells)
    width = sorted((c["ratio_high"] - c["ratio_low"]) / 2 for c in cells)
    verdicts = [c["verdict"] for c in cells]
    told_apart = [c for c in cells if c["verdict"] != "not separated"]
    print(f"{len(cells)} pairs: " + ", ".join(f"{verdicts.count(v)} {v}" for v in sorted(set(verdicts))))
    print(f"off by: median {off[len(off) // 2]:.2%}, largest {off[-1]:.2%}")
    print(f"half-width of the interval: median {width[len(width) // 2]:.2%}, widest {width[-1]:.2%}")
    print(f"rounds dropped: {sum(c['dropped'] for c in cells)} of {sum(c['dropped'] + c['rounds'] for c in cells)}")
    print(f"untrusted comparisons: {sum(c['untrusted'] for c in cells)}")
    for cell in told_apart:
        print("SEPARATED:", json.dumps(cell))
    return 1 if told_apart or len(cells) != 50 else 0


if __name__ == "__main__":
    sys.exit(main())

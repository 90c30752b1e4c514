#!/usr/bin/env python3
"""What came with a package against what is built here: do both take the same time?

Usage: scripts/evidence/prebuilt.py PACKAGE [--only rust|go|native ...] [--budget 40s]

PACKAGE is the folder that a tarball of `make packages` unpacks. Each runner that is in it, and each of
its objects, is measured against its build in this checkout, as `NAME@against`, in one interleaved run:
SHA-256 and AES-256-GCM, of 64 B and of 16 KiB. Prints a row for each contender and size. The two tie
if the whole interval of their ratio is within 2 %, and differ if it is beyond that.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIE = 0.02
SUITE = """question = "Does what came with the package take the same time as what is built here?"

[[workload]]
primitive = "sha256"
operation = "digest"
sizes = [64, 16384]

[[workload]]
primitive = "aes-256-gcm"
operation = "seal"
sizes = [64, 16384]
"""


def runners(package):
    """The command line of each runner in a package, by its name and a word for its kind."""
    lib = package / "lib/cupel"
    programs = lib / "runners/release"
    native = programs / "cupel-runner-native"
    found = [("rust", "rust", [programs / "cupel-runner-rust"])]
    found += [("rust-asm", "rust", [programs / "cupel-runner-rust-asm"])]
    found += [("go", "go", [lib / "go/cupel-runner-go"])]
    found += [(one.stem, "native", [native, one]) for one in sorted((lib / "objects").glob("*.so"))]
    for name, kind, words in found:
        if words[-1].exists():
            yield name, kind, " ".join(map(str, words))


def measured(line, budget, folder):
    """What the gate of a run against a runner says, or why it says nothing."""
    tool = os.environ.get("CUPEL", str(ROOT / "target/release/cupel"))
    places = {"CUPEL_STORE": str(folder / "store"), "CUPEL_HOME": os.environ.get("CUPEL_HOME", str(ROOT))}
    run = [tool, "gate", "prebuilt", "--against", str(line), "--budget", budget]
    ask = {"cwd": folder, "env": {**os.environ, **places}, "text": True, "capture_output": True}
    done = subprocess.run(run, check=False, **ask)
    # 1 and 2 are verdicts of the gate.
    if done.returncode > 2:
        return None, done.stderr.strip().splitlines()[-1]
    shown = subprocess.run([tool, "show", "--format", "json"], check=True, **ask)
    return json.loads(shown.stdout)["gate"]["claims"], None


def judged(low, high):
    """Whether an interval shows that the two tie, or that they differ by more than that."""
    if low is None or high is None:
        return "open"
    if 1 - TIE <= low and high <= 1 + TIE:
        return "tie"
    return "differ" if low > 1 + TIE or high < 1 - TIE else "open"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--budget", default="40s")
    options = parser.parse_args()
    tallies = collections.Counter()
    print("| contender | primitive | size | built here / prebuilt | interval | |")
    print("|---|---|---|---|---|---|")
    for name, kind, line in runners(options.package.resolve()):
        if options.only and not {name, kind} & set(options.only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            suites = pathlib.Path(folder) / "suites"
            suites.mkdir()
            (suites / "prebuilt.toml").write_text(SUITE)
            claims, why = measured(line, options.budget, pathlib.Path(folder))
        if claims is None:
            print(f"{name}: {why}", file=sys.stderr)
            continue
        for claim in claims:
            for point in claim["sizes"]:
                low, high = point["ratio_low"], point["ratio_high"]
                word = judged(low, high)
                tallies[word] += 1
                interval = "-" if None in (low, high) else f"{low:.3f} to {high:.3f}"
                ratio = "-" if point["ratio"] is None else f"{point['ratio']:.3f}"
                print(f"| {claim['a']} | {claim['primitive']} | {point['size']} | {ratio} | {interval} | {word} |")
    print(", ".join(f"{count} {word}" for word, count in tallies.most_common()), file=sys.stderr)


if __name__ == "__main__":
    main()

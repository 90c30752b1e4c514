#!/usr/bin/env python3
"""Cells of Go, Node.js and Python, measured by Cupel and by the language's own benchmark tool in turn:
do they agree?

The tools are Go's testing.B, mitata and pyperf, each with the plainest benchmark of the same call
(scripts/evidence/languages/). In each repetition Cupel measures the eight cells of a language in one
run, then the language's tool measures them in `--forks` processes. The price of a call that does
nothing is subtracted on both sides: Cupel's loop also folds each output, which is what `empty` shows
(and harness.py for what Python seals), and each tool has its own loop.

What the collector of Go and of Node.js takes, which Cupel prints with a figure, is added, because
testing.B has it inside, and so have batches of mitata (bench.mjs says why batches). What Cupel's loop costs in Python is 100 to 270 ns and known only to within some 45, so its cells are compared in
two ways: net, as all are, and `loop`, where pyperf times the very loop of Cupel's runner and nothing
is subtracted.

The speed of a shared machine changes from minute to minute, so repetitions are short, and the two
figures of one repetition are compared with each other: a cell's difference is the median over the
repetitions of Cupel's figure divided by the tool's, less 1, and `from .. to` the smallest and the
largest of them. `spread` is how far apart the tool's own processes are (their interquartile range).
The exit status is 0 only if every difference is at most 3 %.

It takes some four minutes a repetition; run `make build` first, and leave the machine alone.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent / "languages"
CUPEL = os.environ.get("CUPEL", str(ROOT / "target/release/cupel"))
LIMIT = 0.03
MITATA, PYPERF = "1.0.34", "2.10.0"

HASH, MAC, SEAL = "sha256 digest", "hmac-sha256 mac", "aes-256-gcm seal"
CELLS = {
    "go": [("go/std", work, size) for work in (HASH, SEAL) for size in (64, 1024, 16384)]
    + [("go/std", MAC, 64), ("go/std", "sha512 digest", 1024)],
    "node": [("node/noble", HASH, size) for size in (64, 1024, 16384)]
    + [("node/noble", MAC, 64), ("node/noble-ciphers", SEAL, 1024)]
    + [("node/sha.js", HASH, 1024), ("node/hash-wasm", HASH, 1024), ("node/crypto-hash", HASH, 16384)],
    # What these return is native memory, freed in turns of the event loop.
    "node-native": [("node/crypto-hash", HASH, size) for size in (64, 1024)]
    + [("node/crypto", HASH, 64), ("node/crypto", MAC, 64)]
    + [("node/crypto", SEAL, size) for size in (64, 1024, 16384)],
    "python": [("python/hashlib", HASH, size) for size in (64, 1024, 16384)]
    + [("python/hashlib", MAC, 64), ("python/cryptography", HASH, 1024)]
    + [("python/cryptography", SEAL, size) for size in (64, 1024, 16384)],
}


def run(command, **more):
    """What a command prints. If it fails, so does this script, with the command's last words."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr[-3000:]}")
    return done.stdout


def cupel(language, cells, folder, budget):
    """The ns per call of each cell, less those of `empty`."""
    suite = f'question = "Does {language}\'s own tool agree?"\nforks = 5\nbudget = "{budget:.0f}s"\nisolation = "cell"\n'
    works = {}
    for contender, work, size in cells:
        works.setdefault((work, size), []).append(contender)
    for (work, size), contenders in works.items():
        primitive, operation = work.split()
        suite += f'\n[[workload]]\nprimitive = "{primitive}"\noperation = "{operation}"\nsizes = [{size}]\n'
        suite += f"contenders = {json.dumps(contenders)}\n"
        # An HMAC takes its key in each call, and so does a cipher of node:crypto: it has no choice.
        per_call = operation == "mac" or (language.startswith("node") and operation == "seal")
        suite += 'contract = { key = "per-call" }\n' if per_call else ""
    path = folder / f"{language}.toml"
    path.write_text(suite)
    env = {"CUPEL_HOME": str(ROOT), **os.environ, "CUPEL_STORE": str(folder / "store.sqlite")}
    done = subprocess.run([CUPEL, "run", path, "--format", "json"], env=env, stdout=subprocess.PIPE, text=True)
    if not done.stdout:
        sys.exit(f"{CUPEL} run {path} gave no result")
    result = json.loads(done.stdout)
    (overhead,) = result["harness_overhead_ns"].values()
    found = {}
    for row in result["cells"]:
        name = row["contender"].split("@")[0]
        work = f"{row['primitive']} {row['operation']}"
        cell = name, work, row["size"]
        if row["ns_median"] is None:
            sys.exit(f"{cell}: {row['reason']}")
        found[cell] = row["ns_median"] - overhead
        if language == "python":
            found[("loop/" + name, *cell[1:])] = row["ns_median"]
    if language == "python":
        sizes = [size for _, work, size in cells if work == SEAL]
        folder = ROOT / "runners/python"
        prices = json.loads(run([sys.executable, HERE / "python/harness.py", folder, *sizes]))
        for cell in cells:
            if cell[1] == SEAL:
                found[cell] += overhead - prices[str(cell[2])]
    return found


def label(cell):
    return "/".join(map(str, cell)).replace(" ", "/")


def go(cells, folder, forks, seconds):
    binary = folder / "bench.test"
    if not binary.exists():
        source = folder / "go"
        shutil.copytree(HERE / "go", source)
        run(["go", "test", "-c", "-o", binary], cwd=source)
    found = {}
    for _ in range(forks):
        out = run([binary, "-test.bench=.", f"-test.benchtime={seconds}s"])
        for name, ns in re.findall(r"^Benchmark/(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op", out, re.M):
            found.setdefault(name, []).append(float(ns))
    return found


def node(cells, folder, forks, seconds):
    place = folder / "node"
    if not place.exists():
        shutil.copytree(HERE / "node", place)
        for name in "package.json", "package-lock.json":
            shutil.copy(ROOT / "runners/node" / name, place)
        run(["npm", "ci", "--silent"], cwd=place)
        run(["npm", "install", "--silent", "--no-save", f"mitata@{MITATA}"], cwd=place)
    found = {}
    for _ in range(forks):
        for name in ["empty", *map(label, cells)]:
            ns = run(["node", "--expose-gc", place / "bench.mjs", seconds, name])
            found.setdefault(name, []).append(float(ns))
    return found


def python(cells, folder, forks, seconds):
    place = folder / "python"
    interpreter = place / "bin/python"
    if not place.exists():
        run([sys.executable, "-m", "venv", place])
        run([interpreter, "-m", "pip", "-q", "install", "--require-hashes", "-r", ROOT / "runners/python/requirements.txt"])
        run([interpreter, "-m", "pip", "-q", "install", f"pyperf=={PYPERF}"])
    out = folder / "pyperf.json"
    out.unlink(missing_ok=True)
    env = {**os.environ, "CUPEL_PYTHON_RUNNER": str(ROOT / "runners/python")}
    run([interpreter, HERE / "python/bench.py", "-o", out, "--processes", forks, "--values", 3,
         "--min-time", seconds / 3, "--quiet", "--copy-env"], env=env)
    found = {}
    for benchmark in json.loads(out.read_text())["benchmarks"]:
        values = [statistics.median(run["values"]) * 1e9 for run in benchmark["runs"] if "values" in run]
        name = benchmark.get("metadata", {}).get("name") or benchmark["runs"][0]["metadata"]["name"]
        found[name] = values
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", default=list(CELLS), help=f"{', '.join(CELLS)}; all if none is named")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--forks", type=int, default=3, help="processes of the language's tool in a repetition")
    parser.add_argument("--seconds", type=float, default=0.3, help="for each cell in each process")
    parser.add_argument("--budget", type=int, default=40, help="seconds of Cupel's runs in a repetition")
    asked = parser.parse_args()
    worst = 0
    lines = []
    for language in asked.languages:
        cells = CELLS[language]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            ours, theirs = {}, {}
            for turn in range(asked.repetitions):
                print(f"{language}, repetition {turn + 1}: Cupel", file=sys.stderr)
                # The heaps of many processes of Node.js would share one last-level cache; its tool
                # has it alone.
                alone = language.startswith("node")
                for together in [[cell] for cell in cells] if alone else [cells]:
                    budget = asked.budget * len(together) / len(cells)
                    for cell, ns in cupel(language, together, folder, budget).items():
                        ours.setdefault(label(cell), []).append(ns)
                print(f"{language}, repetition {turn + 1}: its own tool", file=sys.stderr)
                found = globals()[language.split("-")[0]](cells, folder, asked.forks, asked.seconds)
                nothing = {key: statistics.median(found.pop(key)) for key in list(found) if key.startswith("empty")}
                for key, values in found.items():
                    work = " ".join(key.split("/")[2:4])
                    price = 0 if key.startswith("loop/") else nothing.get(f"empty {work}", nothing["empty"])
                    theirs.setdefault(key, []).append([value - price for value in values])
        for cell, figures in ours.items():
            pairs = list(zip(figures, map(statistics.median, theirs[cell]), strict=True))
            offs = [a / b - 1 for a, b in pairs]
            a, b = (statistics.median(side) for side in zip(*pairs))
            low, _, high = statistics.quantiles(sum(theirs[cell], []), n=4)
            off = statistics.median(offs)
            holds = abs(off) <= LIMIT
            worst += not holds
            lines.append(
                f"| {cell} | {a:.1f} | {b:.1f} | {off:+.1%} | {min(offs):+.1%} .. {max(offs):+.1%} "
                f"| {(high - low) / b:.1%} | {'yes' if holds else 'NO'} |"
            )
        # What is measured is shown even if the next language fails.
        print("\n".join(lines[-len(ours):]), file=sys.stderr)
    total = len(lines)
    print(f"{total - worst} of {total} cells agree within {LIMIT:.0%}.\n")
    print("| cell | Cupel, ns | its tool, ns | difference | from .. to | spread | agrees |\n|---|---|---|---|---|---|---|")
    print("\n".join(lines))
    sys.exit(1 if worst else 0)


main()

#!/usr/bin/env python3
"""Cells of Go, Java, Node.js and Python, measured by Cupel and by the benchmark tools of these
languages in turn: do they print the same figures?

The tools are Go's testing.B, JMH, mitata and benchmark.js, pyperf and timeit, each with the plainest
benchmark of the same call (scripts/evidence/languages/). In each repetition Cupel measures the cells
of a language, then each tool does, in `--forks` processes. Nothing is added or subtracted: a figure is
what the tool prints for a call, with its own loop. That is `per call` of Cupel, whose harness overhead
is in it; the median of pyperf, of mitata and of JMH's forks; the mean of benchmark.js and of testing.B;
the best of five of timeit.

`--before HOME` names a checkout with older runners of Node.js and Python. Cupel measures with these,
too, in every repetition.

The speed of a shared machine changes from minute to minute, so repetitions are short, and the
figures of one repetition are compared with each other: a difference is the median over the
repetitions of Cupel's figure divided by the tool's, less 1, and `from .. to` the smallest and the
largest of them. `spread` is how far apart the tool's own processes are (their interquartile range).

On a machine that others use, `--busy` compares the least of many samples of about a millisecond,
Cupel's slices and the tool's own, over all repetitions. Such samples hardly ever contain a garbage
collection.

Run `make build` first, and leave the machine alone if you can.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

import jmh

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent / "languages"
CUPEL = os.environ.get("CUPEL", str(ROOT / "target/release/cupel"))
# Releases of the tools.
MITATA, BENCHMARK_JS, PYPERF = "1.0.34", "2.1.4", "2.10.0"

# The tools built and installed for them.
TOOLS_ARE_IN = ROOT / "target/languages"

HASH, MAC, SEAL = "sha256 digest", "hmac-sha256 mac", "aes-256-gcm seal"
SIZES = 16, 64, 1024
CELLS = {
    "go": [("go/std", work, size) for work in (HASH, SEAL) for size in SIZES],
    "java": [("jvm/jdk@newest", HASH, size) for size in SIZES],
    "node": [(name, HASH, size) for name in ("node/noble", "node/crypto") for size in SIZES],
    "python": [("python/hashlib", HASH, size) for size in SIZES]
    + [("python/cryptography", SEAL, size) for size in SIZES],
    # Longer messages, and other libraries.
    "go-more": [("go/std", work, 16384) for work in (HASH, SEAL)] + [("go/std", MAC, 64)],
    "node-more": [("node/noble", HASH, 16384), ("node/noble", MAC, 64), ("node/noble-ciphers", SEAL, 1024)]
    + [("node/sha.js", HASH, 1024), ("node/hash-wasm", HASH, 1024)]
    + [("node/crypto-hash", HASH, size) for size in (64, 16384)]
    + [("node/crypto", MAC, 64), ("node/crypto", SEAL, 1024)],
    "python-more": [("python/hashlib", HASH, 16384), ("python/hashlib", MAC, 64)]
    + [("python/cryptography", HASH, 1024), ("python/cryptography", SEAL, 16384)],
}


def run(command, **more):
    """What a command prints. If it fails, so does this script, with the command's last words."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr[-3000:]}")
    return done.stdout


def label(cell):
    return "/".join([cell[0].split("@")[0], *map(str, cell[1:])]).replace(" ", "/")


def cupel(cells, home, budget):
    """What Cupel prints per call for each cell, in ns, with the runners of a checkout."""
    with tempfile.TemporaryDirectory() as folder:
        return figures(cells, home, pathlib.Path(folder), budget)


def figures(cells, home, folder, budget):
    suite = f'question = "Do the tools agree?"\nforks = 5\nbudget = "{budget:.0f}s"\nisolation = "cell"\n'
    works = {}
    for contender, work, size in cells:
        works.setdefault((work, size), []).append(contender)
    for (work, size), contenders in works.items():
        primitive, operation = work.split()
        suite += f'\n[[workload]]\nprimitive = "{primitive}"\noperation = "{operation}"\nsizes = [{size}]\n'
        suite += f"contenders = {json.dumps(contenders)}\n"
        # An HMAC takes its key in each call, and so does a cipher of Node.js: it has no choice.
        per_call = operation == "mac" or (contenders[0].startswith("node") and operation == "seal")
        suite += 'contract = { key = "per-call" }\n' if per_call else ""
    path = folder / "cells.toml"
    path.write_text(suite)
    env = {**os.environ, "CUPEL_HOME": str(home), "CUPEL_STORE": str(folder / "store.sqlite")}
    done = subprocess.run([CUPEL, "run", path, "--format", "json"], env=env, stdout=subprocess.PIPE, text=True)
    if not done.stdout:
        sys.exit(f"{CUPEL} run {path} gave no result")
    result = json.loads(done.stdout)
    found = {"empty": list(result["harness_overhead_ns"].values())}
    for row in result["cells"]:
        cell = row["contender"], f"{row['primitive']} {row['operation']}", row["size"]
        if row["ns_median"] is None:
            print(f"{label(cell)}: {row['reason']}", file=sys.stderr)
            continue
        found[label(cell)] = [row["ns_median"]]
    return found | (least_slices(folder / "store.sqlite") if ASKED.busy else {})


def least_slices(store):
    """For each cell of the only run of a store, its shortest time per call in a slice, in ns."""
    with contextlib.closing(sqlite3.connect(store)) as db:
        plan = json.loads(db.execute("select plan from run").fetchone()[0])
        least = db.execute("select cell, min(elapsed_ns / iterations) from slice group by cell").fetchall()
    found = {}
    for number, ns in least:
        cell = plan["cells"][number]
        work = plan["comparisons"][cell["comparison"]]["workload"]
        name = plan["contenders"][cell["contender"]]["name"]
        own = label((name, f"{work['primitive']} {work['operation']}", work["size"]))
        found.setdefault(own, []).append(ns)
    return {own: [min(both)] for own, both in found.items()}


def testing_b(cells, folder, forks, seconds):
    binary = folder / "bench.test"
    if not binary.exists():
        source = folder / "go"
        shutil.copytree(HERE / "go", source)
        run(["go", "test", "-c", "-o", binary], cwd=source)
    wanted, found = set(map(label, cells)), {}
    length = ["-test.benchtime=2000x", "-test.count=100"] if ASKED.busy else [f"-test.benchtime={seconds}s"]
    for _ in range(forks):
        out = run([binary, "-test.bench=.", *length])
        for cell, ns in re.findall(r"^Benchmark/(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op", out, re.M):
            if cell in wanted:
                found.setdefault(cell, []).append(float(ns))
    return found


def newest_java():
    """That of the newest JDK that Cupel lists, which `@newest` names."""
    env = {**os.environ, "CUPEL_HOME": str(ROOT)}
    listed = run([CUPEL, "list", "toolchains"], env=env).splitlines()
    programs = [pathlib.Path(line.split()[-1]) / "bin/java" for line in listed]
    return [program for program in programs if program.exists()][-1]


def jmh_forks(cells, folder, forks, seconds):
    """JMH's own forks; how long each lasts is in jmh.py."""
    known = folder / "classpath"
    if not known.exists():
        known.write_text(jmh.built(folder))
    found = {}
    if ASKED.busy:
        jmh.MEASURED = 100, "2ms"
    for cell in cells:
        primitive, operation = cell[1].split()
        drawn = "Sha256Benchmark", "jdk", "", "jdk", primitive, operation, cell[2]
        result = jmh.jmh(drawn, newest_java(), known.read_text(), folder)
        found[label(cell)] = sum(result["raw"], []) if ASKED.busy else result["forks"]
    return found


def in_node(tool):
    def measured(cells, folder, forks, seconds):
        place = folder / "node"
        if not place.exists():
            shutil.copytree(HERE / "node", place)
            for name in "package.json", "package-lock.json":
                shutil.copy(ROOT / "runners/node" / name, place)
            run(["npm", "ci", "--silent"], cwd=place)
            tools = f"mitata@{MITATA}", f"benchmark@{BENCHMARK_JS}"
            run(["npm", "install", "--silent", "--no-save", *tools], cwd=place)
        found = {}
        for _ in range(forks):
            for cell in map(label, cells):
                busy = ["busy"] if ASKED.busy else []
                ns = run(["node", "--expose-gc", place / "bench.mjs", tool, seconds, cell, *busy])
                found.setdefault(cell, []).append(float(ns))
        return found

    return measured


def in_python(tool):
    def measured(cells, folder, forks, seconds):
        place = folder / "python"
        interpreter = place / "bin/python"
        if not place.exists():
            # By the Python that Cupel took for its runner, in whose environment it has just
            # measured.
            environments = (ROOT / "runners/python/target").glob("venv-*")
            newest = max(environments, key=lambda folder: folder.stat().st_mtime)
            run([newest / "bin/python", "-m", "venv", place])
            wanted = ROOT / "runners/python/requirements.txt"
            run([interpreter, "-m", "pip", "-q", "install", "--require-hashes", "-r", wanted])
            run([interpreter, "-m", "pip", "-q", "install", f"pyperf=={PYPERF}"])
        return tool(interpreter, cells, folder, forks, seconds)

    return measured


def pyperf(interpreter, cells, folder, forks, seconds):
    out = folder / "pyperf.json"
    out.unlink(missing_ok=True)
    env = {**os.environ, "CELLS": " ".join(map(label, cells))}
    length = ["--values", 100, "--min-time", 1e-3] if ASKED.busy else ["--values", 3, "--min-time", seconds / 3]
    command = [interpreter, HERE / "python/bench.py", "-o", out, "--processes", forks, *length]
    run([*command, "--quiet", "--copy-env"], env=env)
    found = {}
    for benchmark in json.loads(out.read_text())["benchmarks"]:
        of_a_process = min if ASKED.busy else statistics.median
        values = [of_a_process(run["values"]) * 1e9 for run in benchmark["runs"] if "values" in run]
        name = benchmark.get("metadata", {}).get("name") or benchmark["runs"][0]["metadata"]["name"]
        found[name] = values
    return found


def timeit(interpreter, cells, folder, forks, seconds):
    """A statement, as its command line times it: the best of five."""
    setup = {
        HASH: "from hashlib import sha256; message = bytes({size})",
        MAC: "import hmac; key, message = bytes(32), bytes({size})",
        SEAL: "from cryptography.hazmat.primitives.ciphers.aead import AESGCM\n"
        "cipher, nonce, message = AESGCM(bytes(32)), bytes(12), bytes({size})",
    }
    statement = {
        HASH: "sha256(message).digest()",
        MAC: "hmac.digest(key, message, 'sha256')",
        SEAL: "cipher.encrypt(nonce, message, None)",
    }
    found = {}
    for _ in range(forks):
        for cell in cells:
            _, work, size = cell
            if cell[0] == "python/cryptography" and work == HASH:
                continue
            length = ["-n", 2000, "-r", 200] if ASKED.busy else ["-r", 5]
            command = [interpreter, "-m", "timeit", "-u", "nsec", *length, "-s", setup[work].format(size=size)]
            [ns] = re.findall(r": ([\d.e+]+) nsec per loop", run([*command, statement[work]]))
            found.setdefault(label(cell), []).append(float(ns))
    return found


TOOLS = {
    "go": {"testing.B": testing_b},
    "java": {"JMH": jmh_forks},
    "node": {"mitata": in_node("mitata"), "benchmark.js": in_node("benchmark.js")},
    "python": {"pyperf": in_python(pyperf), "timeit": in_python(timeit)},
}


def repetition(language, homes, asked):
    """What each side prints for each cell of a language."""
    cells, name = CELLS[language], language.split("-")[0]
    found = {}
    # The heaps of many processes of Node.js would share one last-level cache; its tools have it
    # alone.
    runs = [[cell] for cell in cells] if name == "node" else [cells]
    for together in runs:
        for side, home in homes.items():
            for cell, ns in cupel(together, home, asked.budget * len(together) / len(cells)).items():
                found.setdefault(side, {}).setdefault(cell, []).extend(ns)
    for side, tool in TOOLS[name].items():
        print(f"{language}: {side}", file=sys.stderr)
        found[side] = tool(cells, TOOLS_ARE_IN, asked.forks, asked.seconds)
    return found


def row(side, cell, done, sides):
    """How far Cupel is from a tool, by the repetitions in which both have a figure."""
    of_a_tool = min if ASKED.busy else statistics.median
    figures = [of_a_tool(found[side][cell]) for found in done]
    all_of_it = sum((found[side][cell] for found in done), [])
    low, _, high = statistics.quantiles(all_of_it, n=4) if len(all_of_it) > 1 else all_of_it * 3
    words = [cell, side, f"{of_a_tool(figures):.1f}"]
    for own in sides:
        both = [(found[own][cell][0], ns) for found, ns in zip(done, figures) if cell in found[own]]
        if not both:
            words += ["-"] * 3
            continue
        offs = [ours / theirs - 1 for ours, theirs in both]
        mine = of_a_tool(ours for ours, _ in both)
        off = mine / of_a_tool(figures) - 1 if ASKED.busy else statistics.median(offs)
        words += [f"{mine:.1f}", f"{off:+.1%}"]
        words += [f"{min(offs):+.1%} .. {max(offs):+.1%}"]
    return words + [f"{(high - low) / statistics.median(figures):.1%}"]


def table(rows):
    return "\n".join(f"| {' | '.join(words)} |" for words in rows)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", default=list(TOOLS), help=f"of {', '.join(CELLS)}; default: {', '.join(TOOLS)}")
    parser.add_argument("--before", type=pathlib.Path, metavar="HOME", help="a checkout with older runners")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--forks", type=int, default=3, help="processes of a tool in a repetition")
    parser.add_argument("--seconds", type=float, default=0.3, help="for each cell in each process")
    parser.add_argument("--budget", type=int, default=40, help="seconds of Cupel's runs in a repetition")
    parser.add_argument("--busy", action="store_true", help="others use the machine")
    return parser.parse_args()


def main(asked):
    TOOLS_ARE_IN.mkdir(parents=True, exist_ok=True)
    for language in asked.languages:
        homes = {"Cupel": ROOT}
        if asked.before and language.split("-")[0] in ("node", "python"):
            homes = {"before": asked.before, **homes}
        head = ["cell", "tool", "the tool, ns"]
        for side in homes:
            head += [f"{side}, ns", "difference", "from .. to"]
        head.append("spread of the tool")
        done = []
        for turn in range(asked.repetitions):
            print(f"{language}, repetition {turn + 1}: Cupel", file=sys.stderr)
            done.append(repetition(language, homes, asked))
        tools = TOOLS[language.split("-")[0]]
        rows = [row(side, cell, done, homes) for cell in map(label, CELLS[language]) for side in tools if cell in done[0][side]]
        print(table([head, ["---"] * len(head), *rows]))
        for side in homes:
            empty = statistics.median([ns for found in done for ns in found[side]["empty"]] or [0])
            print(f"\n{side}: harness overhead {empty:.1f} ns per call")
        print(flush=True)


ASKED = arguments()
main(ASKED)

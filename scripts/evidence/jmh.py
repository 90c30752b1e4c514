#!/usr/bin/env python3
"""Cells of documents 000, 001 and 004, measured by Cupel and by JMH in turn: do the two tools
agree?

Eight cells of each document are drawn with a fixed seed. In each repetition Cupel measures all of
them, then JMH each one: three forks for each cell, in processes that run nothing else (`isolation =
"cell"`), with a fixed size of the young generation. JMH warms up a hash or MAC for 1 s and a cipher
for 2.4 s, because C1's code of AES-GCM runs for over a second. Cupel's SipHash is inlined into the
loop that calls it, so JMH runs it in a loop like that of Cupel's runner (`LoopBenchmark`).

A tool's time for a cell is the median of its forks' medians. Those of Cupel are of slices, few of
which contain a garbage collection, so the collection that Cupel adds to its time is added to each.
If neighbours among them differ by over 15 %, the cell has levels, which are listed for both tools;
`differ` is then the difference of the two nearest levels. If the bytes that a call allocates differ,
the JIT has removed an allocation in one tool and not in the other: it is not the same code, and the
row says so.

Processes of one JVM contender differ by 2 to 5 %, so three forks of each tool would differ by as
much if the tools agreed. The verdict is therefore on the forks of all repetitions together. The
exit status is 0 only if every cell has a time, the median difference is at most 2 %, and the
largest difference among cells of the same code with one level in both tools is at most 10 %. A call of less than
20 ns has no time apart from the loop that makes it, which each tool compiles differently: there the
largest difference is at most 3 ns.

A repetition is called quiet if two medians are below 3 %: the distance of Cupel's controls from
their baselines, and the standard deviation of JMH's forks within their levels. It takes some five
minutes; run `make build` first.
"""

import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib

from forks import in_words, levels, ns, read, spread

ROOT = pathlib.Path(__file__).resolve().parents[2]
CUPEL = os.environ.get("CUPEL", str(ROOT / "target/release/cupel"))
BUDGET = 3  # seconds a cell
FORKS = 3
QUIET = 0.03
MEDIAN, LARGEST = 0.02, 0.10
SHORT, SHORT_OFF = 20, 3  # ns
BYTES = 1.15, 24  # by how many times, and by how many bytes, a call of other code differs

# JMH's class, method and engine; the contender, primitive and operation of the same.
HASHES = [13, 100, 1024, 10240], [
    ("Sha256Benchmark", "cupel", "", "cupel", "sha256", "digest"),
    ("Sha256Benchmark", "bouncyCastle", "", "bouncycastle", "sha256", "digest"),
    ("Sha256Benchmark", "jdk", "", "jdk", "sha256", "digest"),
    ("Sha256Benchmark", "jdkReused", "", "jdk-reused", "sha256", "digest"),
    ("Sha256Benchmark", "conscrypt", "", "conscrypt", "sha256", "digest"),
    ("Sha256Benchmark", "accp", "", "accp", "sha256", "digest"),
]
MACS = [8, 32, 512, 2048], [
    ("LoopBenchmark", "cupel13", "", "cupel", "siphash-1-3", "mac"),
    ("LoopBenchmark", "cupel24", "", "cupel", "siphash-2-4", "mac"),
    ("SipHashBenchmark", "zackehh24", "", "zackehh", "siphash-2-4", "mac"),
    ("SipHashBenchmark", "guava24", "", "guava", "siphash-2-4", "mac"),
    ("SipHashBenchmark", "hmacSha256", "", "jdk", "hmac-sha256", "mac"),
]
AEADS = [64, 256, 1024, 4096], [
    ("GcmBenchmark", operation, provider, provider, "aes-256-gcm", operation)
    for operation in ["seal", "open"]
    for provider in ["jdk", "bouncycastle-jce", "conscrypt", "accp"]
]
DOCUMENTS = [HASHES, MACS, AEADS]
# Iterations and time of each; long enough for the forks to be steady.
WARM_UP = {"digest": (4, "250ms"), "mac": (4, "250ms"), "seal": (8, "300ms"), "open": (8, "300ms")}
MEASURED = (5, "150ms")
# The collector works as often as in Cupel's runners; everything else is as in an application.
OPTIONS = tomllib.loads((ROOT / "contenders/jvm.toml").read_text())["options"]
HEAP = [o for o in OPTIONS if o.startswith("-Xm") or o in ("-XX:+AlwaysPreTouch", "-XX:GCTimeRatio=1")]


def drawn(count):
    """The first cells of the draw: eight from each document, alternating between documents."""
    chance = random.Random(2026)
    eights = [chance.sample([(*kind, size) for kind in kinds for size in sizes], 8) for sizes, kinds in DOCUMENTS]
    first = [cell for three in zip(*eights) for cell in three][:count]
    return [cell for eight in eights for cell in eight if cell in first]


def cupel(cells, toolchain, folder):
    """The row and the forks of each cell, keyed by contender, primitive, operation and size; and how far each control is off."""
    suite = f'question = "Do two tools agree?"\nforks = {FORKS}\nisolation = "cell"\nbudget = "{BUDGET * len(cells)}s"\n'
    for primitive, operation, size in dict.fromkeys(cell[4:] for cell in cells):
        names = [f"jvm/{c[3]}@{toolchain}" for c in cells if c[4:] == (primitive, operation, size)]
        suite += f'\n[[workload]]\nprimitive = "{primitive}"\noperation = "{operation}"\nsizes = [{size}]\n'
        suite += f"contenders = {json.dumps(names)}\n"
        suite += 'contract = { key = "per-call" }\n' if primitive == "aes-256-gcm" else ""
    path, store = folder / "jmh.toml", folder / "jmh.sqlite"
    path.write_text(suite)
    env = {"CUPEL_HOME": str(ROOT), **os.environ, "CUPEL_STORE": str(store)}
    command = [CUPEL, "run", str(path), "--format", "json"]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True)
    rows = json.loads(done.stdout)["cells"]
    _, _, stored = read(store)
    key = lambda name, primitive, operation, size: (name.split("@")[0][4:], primitive, operation, size)
    forks = {key(c.contender, c.primitive, c.operation, c.size): c for c in stored if not c.control}
    found = {}
    for row in rows:
        cell = key(row["contender"], row["primitive"], row["operation"], row["size"])
        found[cell] = {
            "forks": [ns + (row["collecting_ns_per_call"] or 0) for ns in forks[cell].medians],
            "rounds": forks[cell].rounds,
            "published": row["ns_median"],
            "bytes": row["allocated_per_call"],
            "collecting_ns": row["collecting_ns_per_call"],
            "failure": row["reason"] if row["ns_median"] is None else None,
        }
    controls = []
    for control in (c for c in stored if c.control and c.medians):
        baseline = forks[key(control.contender, control.primitive, control.operation, control.size)].medians
        if len(levels(baseline + control.medians)) == 1:
            controls.append(abs(statistics.median(control.medians) / statistics.median(baseline) - 1))
    return found, controls


def jmh(cell, java, classpath, folder):
    """Every iteration of every fork in ns per call, the forks' medians, and bytes per call."""
    name, method, provider, _, _, operation, size = cell
    out = folder / "jmh.json"
    out.unlink(missing_ok=True)
    warm_up, measured = WARM_UP[operation], MEASURED
    command = [java, "-cp", classpath, "org.openjdk.jmh.Main", f"{name}.{method}$", "-p", f"size={size}"]
    command += ["-p", f"provider={provider}"] if provider else []
    command += ["-f", FORKS, "-wi", warm_up[0], "-w", warm_up[1], "-i", measured[0], "-r", measured[1]]
    command += ["-jvmArgs", " ".join(HEAP), "-bm", "avgt", "-tu", "ns", "-rf", "json", "-rff", out, "-prof", "gc"]
    done = subprocess.run([str(w) for w in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    results = json.loads(out.read_text()) if done.returncode == 0 and out.exists() else []
    if not results:
        print(done.stdout[-2000:], file=sys.stderr)
        return {"forks": [], "bytes": None, "failure": "JMH gave no result"}
    raw = results[0]["primaryMetric"]["rawData"]
    secondary = results[0]["secondaryMetrics"]
    allocated = next((m["score"] for name, m in secondary.items() if name.endswith("alloc.rate.norm")), None)
    return {"forks": [statistics.median(fork) for fork in raw], "bytes": allocated, "failure": None, "raw": raw}


def compared(cell, ours, theirs):
    """The saved data of a cell."""
    row = {"contender": cell[3], "primitive": cell[4], "operation": cell[5], "size": cell[6]}
    row |= {"cupel": ours, "jmh": theirs, "failure": ours["failure"] or theirs["failure"]}
    if not row["failure"] and not (ours["forks"] and theirs["forks"]):
        row["failure"] = "every slice was disturbed"
    if row["failure"]:
        return row
    for side in (ours, theirs):
        side["ns"] = statistics.median(side["forks"])
        side["levels"] = levels(side["forks"])
    nearest = [
        statistics.median(a) / statistics.median(b) - 1 for a in ours["levels"] for b in theirs["levels"]
    ]
    row["one_level"] = len(nearest) == 1
    row["same_code"] = same_code(ours["bytes"], theirs["bytes"])
    row["difference"] = ours["ns"] / theirs["ns"] - 1 if row["one_level"] else min(nearest, key=abs)
    return row


def same_code(ours, theirs):
    """Whether both calls allocate the same, or it is not known."""
    if ours is None or theirs is None:
        return True
    low, high = sorted([ours, theirs])
    return high <= low * BYTES[0] or high - low < BYTES[1]


def repetition(cells, toolchain, java, classpath, folder):
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    begun = time.monotonic()
    ours, controls = cupel(cells, toolchain, folder)
    between = time.monotonic()
    theirs = []
    for cell in cells:
        print(f"JMH: {label(cell[3:])}", file=sys.stderr)
        theirs.append(jmh(cell, java, classpath, folder))
    ended = time.monotonic()
    rows = [compared(cell, ours[cell[3:]], their) for cell, their in zip(cells, theirs)]
    timed = [row for row in rows if not row["failure"]]
    spreads = [s for row in timed if (s := spread(row["jmh"]["levels"])) is not None]
    kept = {"started": started, "cupel_s": between - begun, "jmh_s": ended - between, **judged(rows)}
    kept |= {
        "controls_off": middle(controls),
        "jmh_spread": middle(spreads),
        "published_off": middle([abs(row["cupel"]["published"] / row["cupel"]["ns"] - 1) for row in timed]),
    }
    known = None not in (kept["controls_off"], kept["jmh_spread"])
    kept["quiet"] = known and max(kept["controls_off"], kept["jmh_spread"]) < QUIET
    return kept


def middle(values):
    return statistics.median(values) if values else None


def judged(rows):
    """How far the tools differ over all cells."""
    timed = [row for row in rows if not row["failure"]]
    single = [row for row in timed if row["one_level"] and row["same_code"]]
    short = [row for row in single if row["jmh"]["ns"] < SHORT]
    return {
        "median": middle([abs(row["difference"]) for row in timed]),
        "signed": middle([row["difference"] for row in timed]),
        "largest": max((abs(row["difference"]) for row in single if row not in short), default=None),
        "short_off_ns": max((abs(row["cupel"]["ns"] - row["jmh"]["ns"]) for row in short), default=0),
        "one_level": len(single),
        "with_levels": sum(not row["one_level"] for row in timed),
        "other_code": sum(not row["same_code"] for row in timed),
        "failed": len(rows) - len(timed),
        "cells": rows,
    }


def together(cell, done):
    """A cell with the forks of all repetitions."""
    key = lambda row: (row["contender"], row["primitive"], row["operation"], row["size"])
    mine = [row for one in done for row in one["cells"] if key(row) == cell[3:]]
    sides = []
    for tool in ("cupel", "jmh"):
        failure = next((row[tool]["failure"] for row in mine if row[tool]["failure"]), None)
        forks = [ns for row in mine for ns in row[tool]["forks"]]
        sides.append({"forks": forks, "bytes": mine[-1][tool]["bytes"], "failure": failure})
    return compared(cell, *sides)


def label(cell):
    return f"{cell[0]} {cell[1]} {cell[2]} {cell[3]} B"


def part(value):
    return "unknown" if value is None else f"{value:.1%}"


def table(rows):
    print(f"{'contender':<17}{'operation':<17}{'size':>6}{'Cupel ns':>9}{'JMH ns':>9}{'differ':>8}", end="")
    print(f"{'Cupel forks':>16}{'JMH forks':>16}{'B a call, both':>16}")
    for row in rows:
        words = [row["primitive"]] + ([row["operation"]] if row["operation"] in ("seal", "open") else [])
        print(f"{row['contender']:<17}{' '.join(words):<17}{row['size']:>6}", end="")
        if row["failure"]:
            print(f"  no time: {row['failure']}")
            continue
        sides = [row["cupel"], row["jmh"]]
        ranges = [f"{ns(min(side['forks']))}..{ns(max(side['forks']))}" for side in sides]
        allocated = ["-" if side["bytes"] is None else f"{side['bytes']:.0f}" for side in sides]
        print(f"{ns(sides[0]['ns']):>9}{ns(sides[1]['ns']):>9}{row['difference']:>+8.1%}", end="")
        print(f"{ranges[0]:>16}{ranges[1]:>16}{allocated[0]:>8}{allocated[1]:>8}", end="")
        print("" if row["one_level"] else "  levels", end="")
        print("" if row["same_code"] else "  other code")
    for row in rows:
        if not row["failure"] and not row["one_level"]:
            name = label((row["contender"], row["primitive"], row["operation"], row["size"]))
            print(f"  {name}: Cupel {in_words(row['cupel']['levels'])}; JMH {in_words(row['jmh']['levels'])}")


def difference(done):
    words = f"median difference {part(done['median'])} of {len(done['cells']) - done['failed']} cells"
    words += "" if done["signed"] is None else f" ({done['signed']:+.1%} with the sign)"
    words += f", largest {part(done['largest'])} of {done['one_level']} on one level (below {SHORT} ns: "
    words += f"{done['short_off_ns']:.1f} ns); {done['with_levels']} with levels, {done['other_code']} of other code"
    return words + (f"; {done['failed']} WITHOUT A TIME" if done["failed"] else "")


def summary(number, done):
    print(
        f"repetition {number}, {done['cupel_s'] + done['jmh_s']:.0f} s (Cupel {done['cupel_s']:.0f}, JMH "
        f"{done['jmh_s']:.0f}): {difference(done)}"
    )
    print(
        f"  {'quiet' if done['quiet'] else 'not quiet'}: controls off by {part(done['controls_off'])}, JMH's forks "
        f"{part(done['jmh_spread'])} apart within levels; what Cupel publishes is {part(done['published_off'])} from "
        "the median of its forks (medians)"
    )


def home_of_java(toolchain):
    """The folder of the JDK that Cupel calls by this name."""
    env = {"CUPEL_HOME": str(ROOT), **os.environ}
    command = [CUPEL, "list", "toolchains"]
    listed = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
    for words in map(str.split, listed.splitlines()):
        if words[:1] == [toolchain]:
            return pathlib.Path(words[-1])
    sys.exit(f"no JDK {toolchain}; `cupel list toolchains` lists the installed ones")


def built(folder):
    """The class path of the benchmarks."""
    maven = ["mvn", "-q", "-B", "-Pjmh", "-f", str(ROOT / "java/pom.xml")]
    subprocess.run([*maven, "test-compile"], check=True)
    listing = folder / "classpath"
    goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
    subprocess.run([*maven, goal, "-DincludeScope=test", f"-Dmdep.outputFile={listing}"], check=True)
    return f"{ROOT / 'java/target/classes'}:{ROOT / 'java/target/test-classes'}:{listing.read_text().strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jdk", nargs="?", default="temurin-25", help="as `cupel list toolchains` names it")
    parser.add_argument("--times", type=int, default=1, metavar="N", help="repetitions (default: 1)")
    parser.add_argument("--cells", type=int, default=24, metavar="N", help="only the first N cells of the draw")
    parser.add_argument("--save", type=pathlib.Path, metavar="FILE", help="write every figure there, as JSON")
    asked = parser.parse_args()
    if asked.times < 1 or not 1 <= asked.cells <= 24:
        parser.error("--times is at least 1, --cells from 1 to 24")
    if asked.save and not asked.save.parent.is_dir():
        parser.error(f"there is no folder {asked.save.parent}")
    java, cells, done = home_of_java(asked.jdk) / "bin/java", drawn(asked.cells), []
    with tempfile.TemporaryDirectory() as name:
        classpath = built(pathlib.Path(name))
        for number in range(1, asked.times + 1):
            with tempfile.TemporaryDirectory() as folder:
                done.append(repetition(cells, asked.jdk, java, classpath, pathlib.Path(folder)))
            if asked.save:
                settings = {"forks": FORKS, "budget_s": BUDGET * len(cells), "warm_up": WARM_UP}
                settings |= {"measured": MEASURED, "heap": HEAP}
                asked.save.write_text(json.dumps({"jdk": asked.jdk, **settings, "repetitions": done}, indent=1) + "\n")
            table(done[-1]["cells"])
            summary(number, done[-1])
            print(flush=True)
    for number, one in enumerate(done, 1):
        summary(number, one)
    if len(done) > 1:
        for tool in ["cupel", "jmh"]:
            print(f"{'Cupel' if tool == 'cupel' else 'JMH'} from one repetition to the next: {drift(done, tool)}")
    every = judged([together(cell, done) for cell in cells])
    print("\nforks of all repetitions together:")
    table(every["cells"])
    # If no cell is on one level, the largest difference is unknown, and the condition is not met.
    known = not every["failed"] and every["largest"] is not None
    holds = known and every["median"] <= MEDIAN and every["largest"] <= LARGEST
    holds = holds and every["short_off_ns"] <= SHORT_OFF
    print(f"{asked.jdk}, {len(done) * FORKS} forks of each cell: {difference(every)}: ", end="")
    print(f"{'holds' if holds else 'does NOT hold'} (median at most {MEDIAN:.0%}, largest on one level {LARGEST:.0%} or {SHORT_OFF} ns)")
    return 0 if holds else 1


def drift(done, tool):
    """How far the times of a tool moved between neighbouring repetitions."""
    moved = [
        abs(later[tool]["ns"] / earlier[tool]["ns"] - 1)
        for before, after in zip(done, done[1:])
        for earlier, later in zip(before["cells"], after["cells"])
        if not earlier["failure"] and not later["failure"]
    ]
    return f"median {statistics.median(moved):.1%}, most {max(moved):.1%}" if moved else "unknown"


if __name__ == "__main__":
    sys.exit(main())

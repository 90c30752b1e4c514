#!/usr/bin/env python3
"""False differences and missed ones, with neighbours on the machine: Cupel next to other tools.

For each neighbour, the tools measure contenders of known truth (scripts/evidence/known/) one tool
after the other, in the same minutes. A false difference is a difference that a tool reports between
copies, or in the wrong direction; for Cupel also a verdict on a contender whose ratio is not beyond
the tie zone of 2 %. A missed one is a contender with 3 or 5 % more steps of which the tool reports
no difference.

What each tool is asked, and when it reports a difference:
  cupel            C contenders, 11 forks; its verdict
  cupel-walk       C contenders that wait for memory
  cupel-java       Java contenders, on the newest JDK
  sequential       as hyperfine: at least ten processes of A in 3 s, then as many of B; Welch's t test
                   at 95 %
  sequential-walk  the same with those that wait for memory
  openssl          `openssl speed -evp sha256` twice; that the two figures differ in a digit that it
                   prints. How many are over 2 % apart is counted as well
  criterion        one program, whose steps the environment gives; its line on the change: improved or
                   regressed
  jmh              four benchmarks, 2 forks of 2 + 5 iterations of 1 s; that the intervals (99.9 %) do
                   not meet

The neighbours, each on Cupel's measuring processor ("same"), on another one, or on both:
  loop        a busy loop
  hog         copies of a buffer of four times the last-level cache
  visitor     a busy loop that works and rests for 2 s each on average

The tools are started as their users start them: the system places all but Cupel, which measures on
its last processor. With --pin, they are held to that processor too, except for JMH, whose compilers
need others.

A tool gets as many comparisons as fit into --cell, and at least one. A tool that is not installed
is left out, with a message; Criterion and JMH are fetched from crates.io and Maven Central if they
are not there. The exit status is 1 if Cupel gave a false verdict. Run `make build` first.

Examples:
  scripts/evidence/neighbours.py --quick             two neighbours, three tools, 4 s each
  scripts/evidence/neighbours.py --save              everything, 60 s a cell, into the page
  scripts/evidence/neighbours.py --neighbours none,visitor-same --tools cupel,sequential --cell 20
"""

import itertools
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

import rig

NEIGHBOURS = {
    "none": [],
    "loop-same": [("same", "loop", 0)],
    "loop-other": [("other", "loop", 0)],
    "loop-both": [("same", "loop", 0), ("other", "loop", 0)],
    "hog-same": [("same", "hog", 0)],
    "hog-other": [("other", "hog", 0)],
    "hog-both": [("same", "hog", 0), ("other", "hog", 0)],
    "visitor-same": [("same", "loop", 2)],
    "visitor-both": [("same", "loop", 2), ("other", "loop", 2)],
}
PERCENT = 400  # steps in known.c, Contenders.java and KnownBenchmark.java
# The questions in turn to the tools that compare two at a time: the share that is added.
ASKED = [0.0, 0.03, 0.0, 0.05]
# Cupel measures these of the contenders whose processes take long to prepare.
FEWER = ["same", "copy-1", "plus-3", "plus-5"]


class Absent(Exception):
    """A tool is not installed."""


def outcome(added, reported, off=None):
    """A comparison of a tool; `reported` is 1 for slower, -1 for faster, 0 for no difference."""
    false = reported != 0 and (added == 0 or reported < 0)
    missed = reported == 0 and added >= 0.03
    return {"added": added, "reported": reported, "judged": "false" if false else "missed" if missed else "right", "off": off}


# The tools. Each function prepares one, and returns a function that starts its comparisons, a few
# at a time: none may compare a time that it took with another neighbour.


def cupel(home, prefix, names, budget):
    numbers = {"faster": -1, "slower": 1}

    def run():
        found = rig.answers(home.run(prefix, names, budget), 0.02)
        for one in found:
            one["reported"] = numbers.get(one["verdict"], 0)
            one["off"] = None if one["ratio"] is None else one["ratio"] / (1 + one["added"]) - 1
        return found

    return lambda: iter(run, None)


def student(t, freedom):
    """The probability of a |t| at least as large, by Simpson's rule."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    density = lambda x: scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2)
    end, parts = min(abs(t), 50.0), 2000
    width = end / parts
    total = density(0) + density(end) + sum((4 if k % 2 else 2) * density(k * width) for k in range(1, parts))
    return max(0.0, 1 - 2 * total * width / 3)


def welch(a, b):
    """1 if b is larger, -1 if it is smaller, 0 if the difference is not significant at 95 %."""
    spread_a, spread_b = (statistics.variance(side) / len(side) for side in (a, b))
    if spread_a + spread_b == 0:
        return 0
    t = (statistics.mean(b) - statistics.mean(a)) / math.sqrt(spread_a + spread_b)
    freedom = (spread_a + spread_b) ** 2 / (spread_a**2 / (len(a) - 1) + spread_b**2 / (len(b) - 1))
    return 0 if student(t, freedom) > 0.05 else (1 if t > 0 else -1)


def sequential(quick, kind=""):
    program = rig.alone()
    calls, least = 1000, 0.5 if quick else 3.0

    def repetitions(name):
        began, times = time.monotonic(), []
        while len(times) < 10 or time.monotonic() - began < least:
            times.append(rig.timed(program, name, calls))
        return times

    def compare(added):
        other = f"plus-{added * 100:.0f}" if added else "copy-1"
        a, b = repetitions(f"{kind}same"), repetitions(f"{kind}{other}")
        return [outcome(added, welch(a, b), statistics.mean(b) / statistics.mean(a) / (1 + added) - 1)]

    return lambda: map(compare, itertools.cycle(ASKED))


def openssl(quick):
    if not shutil.which("openssl"):
        raise Absent("`openssl` is not on the path (apt-get install openssl)")
    command = ["openssl", "speed", "-seconds", "1" if quick else "3", "-bytes", "16384", "-evp", "sha256"]

    def rate():
        return float(re.search(r"^sha256\s+([\d.]+)k", output(command), re.MULTILINE).group(1))

    def compare():
        a, b = rate(), rate()
        return [outcome(0.0, (a > b) - (a < b), a / b - 1)]

    return lambda: iter(compare, None)


def output(command, **options):
    """What a program writes to its standard output; its messages only if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise Absent(f"`{command[0]}` ended with status {done.returncode}: {' '.join(last)}")
    return done.stdout


def criterion(quick):
    if not shutil.which("cargo"):
        raise Absent("`cargo` is not on the path (https://rustup.rs)")
    crate = rig.KEPT / "criterion"
    shutil.copytree(rig.SOURCES / "criterion", crate, dirs_exist_ok=True)
    build = ["cargo", "bench", "--no-run", "--quiet", "--message-format=json"]
    lines = output([*build, "--target-dir", str(crate / "target")], cwd=crate).splitlines()
    messages = [json.loads(line) for line in lines if line.startswith("{")]
    benches = [m for m in messages if m.get("executable") and m["target"]["kind"] == ["bench"]]
    command = [benches[0]["executable"], "--bench", "--noplot"]
    command += ["--warm-up-time", "0.5", "--measurement-time", "1"] if quick else []
    words = {"No change in performance detected": 0, "Change within noise threshold": 0}
    words |= {"Performance has regressed": 1, "Performance has improved": -1}
    folder = rig.KEPT / "criterion-results"

    def bench(added, *options):
        steps = str(round(100 * PERCENT * (1 + added)))
        env = {**os.environ, "CRITERION_HOME": str(folder), "KNOWN_STEPS": steps}
        return output([*command, *options], env=env)

    def compare(added):
        said = bench(added, "--baseline", "a")
        reported = next(number for text, number in words.items() if text in said)
        change = json.loads((folder / "chain/change/estimates.json").read_text())
        off = (1 + change["mean"]["point_estimate"]) / (1 + added) - 1
        return [outcome(added, reported, off)]

    def comparisons():
        while True:
            bench(0.0, "--save-baseline", "a")
            for added in ASKED:
                yield compare(added)

    return comparisons


def jmh(jdk, quick):
    if not shutil.which("mvn"):
        raise Absent("`mvn` is not on the path (apt-get install maven)")
    listing, classes, out = (rig.KEPT / name for name in ("jmh-classpath", "jmh", "jmh.json"))
    if not listing.exists():
        goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
        maven = ["mvn", "-q", "-B", "-Pjmh", "-f", str(rig.ROOT / "java/pom.xml"), goal]
        output([*maven, "-DincludeScope=test", f"-Dmdep.outputFile={listing}"])
    path = f"{classes}:{listing.read_text().strip()}"
    classes.mkdir(parents=True, exist_ok=True)
    # From Java 23 on, javac runs no processor that is not named.
    processor = ["-processor", "org.openjdk.jmh.generators.BenchmarkProcessor"]
    source = str(rig.SOURCES / "KnownBenchmark.java")
    output(["javac", "-nowarn", "--release", "17", *processor, "-cp", path, "-d", str(classes), source])
    command = [str(jdk[1] / "bin/java"), "-cp", path, "org.openjdk.jmh.Main", "KnownBenchmark"]
    if quick:
        command += ["-f", "1", "-wi", "1", "-i", "3", "-w", "500ms", "-r", "500ms"]
    else:
        command += ["-f", "2", "-wi", "2", "-i", "5", "-w", "1s", "-r", "1s"]
    command += ["-bm", "avgt", "-tu", "ns", "-rf", "json", "-rff", str(out)]

    def compare():
        output(command)
        results = json.loads(out.read_text())
        metrics = {one["benchmark"].rpartition(".")[2]: one["primaryMetric"] for one in results}
        ends = {name: metric["scoreConfidence"] for name, metric in metrics.items()}
        found = []
        for name, added in [("copy", 0.0), ("plus3", 0.03), ("plus5", 0.05)]:
            reported = (ends[name][0] > ends["same"][1]) - (ends[name][1] < ends["same"][0])
            ratio = metrics[name]["score"] / metrics["same"]["score"]
            found.append(outcome(added, reported, ratio / (1 + added) - 1))
        return found

    return lambda: iter(compare, None)


TOOLS = ["cupel", "sequential", "cupel-walk", "sequential-walk", "openssl", "criterion", "cupel-java", "jmh"]


def started(tool, home, jdk, quick):
    """Builds what a tool needs, and returns what begins its comparisons."""
    if tool in ("cupel-java", "jmh") and jdk is None:
        raise Absent("there is no JDK (`cupel install jdk 21` adds one)")
    return {
        "cupel": lambda: cupel(home, "c", list(rig.ADDED), 3 if quick else 15),
        "cupel-walk": lambda: cupel(home, "c", rig.walking(FEWER), 3 if quick else 15),
        "cupel-java": lambda: cupel(home, jdk[0], FEWER, 3 if quick else 15),
        "sequential": lambda: sequential(quick),
        "sequential-walk": lambda: sequential(quick, rig.WALK),
        "openssl": lambda: openssl(quick),
        "criterion": lambda: criterion(quick),
        "jmh": lambda: jmh(jdk, quick),
    }[tool]()


def cell(tool, comparisons, limit, pin):
    """The comparisons that fit into the limit, and at least one. One that would not fit is not begun."""
    allowed = os.sched_getaffinity(0)
    if pin and tool in ("sequential", "sequential-walk", "openssl", "criterion"):
        os.sched_setaffinity(0, {rig.measuring_processor()})
    began, found, longest = time.monotonic(), [], 0.0
    try:
        while not found or time.monotonic() - began + longest < limit:
            before = time.monotonic()
            found += next(comparisons)
            longest = max(longest, time.monotonic() - before)
    finally:
        os.sched_setaffinity(0, allowed)
    return {"tool": tool, "took_s": round(time.monotonic() - began, 1), "comparisons": found}


def main():
    parser = rig.parser(__doc__, "no neighbour and a visitor; cupel, sequential and openssl; 4 s a cell")
    parser.add_argument(
        "--neighbours", type=rig.chosen_from(list(NEIGHBOURS)), default=list(NEIGHBOURS), metavar="LIST",
        help=f"separated by commas (default: {','.join(NEIGHBOURS)})",
    )
    parser.add_argument(
        "--tools", type=rig.chosen_from(TOOLS), default=TOOLS, metavar="LIST", help=f"separated by commas (default: {','.join(TOOLS)})"
    )
    parser.add_argument("--cell", type=rig.seconds, default=60, metavar="S", help="time of a tool with one neighbour (default: 60)")
    parser.add_argument("--jdk", metavar="NAME", help="as `cupel list toolchains` names it (default: the newest)")
    parser.add_argument("--pin", action="store_true", help="hold the other tools, except JMH, to Cupel's measuring processor")
    asked = parser.parse_args()
    if asked.quick:
        asked.neighbours, asked.tools, asked.cell = ["none", "visitor-same"], ["cupel", "sequential", "openssl"], 4
    rig.require_cupel()
    processors = {"same": rig.measuring_processor(), "other": rig.other_processor()}
    needs_java = bool({"cupel-java", "jmh"} & set(asked.tools))
    some_jdks = rig.jdks([asked.jdk] if asked.jdk else None)[-1:] if needs_java else []
    result = rig.stamp() | {"cell_s": asked.cell, "pinned": asked.pin, "absent": {}, "cells": []}
    with rig.home(some_jdks) as home:
        running = {}
        for tool in asked.tools:
            rig.say(f"{tool}: preparing it")
            try:
                running[tool] = started(tool, home, some_jdks[0] if some_jdks else None, asked.quick)
            except Absent as absent:
                result["absent"][tool] = str(absent)
                rig.say(f"{tool} is left out: {absent}")
        for neighbour in asked.neighbours:
            some = [(processors[where], kind, pauses) for where, kind, pauses in NEIGHBOURS[neighbour]]
            if any(processor is None for processor, _, _ in some):
                rig.say(f"{neighbour} is left out: this process may use one processor only")
                continue
            with rig.neighbours(some):
                for tool in list(running):
                    try:
                        one = cell(tool, running[tool](), asked.cell, asked.pin)
                    except Absent as absent:
                        del running[tool]
                        result["absent"][tool] = str(absent)
                        rig.say(f"{tool} is left out: {absent}")
                        continue
                    result["cells"].append({"neighbour": neighbour, **one})
                    rig.keep("neighbours", result, asked.save)
                    judged = [c["judged"] for c in one["comparisons"]]
                    counts = [f"{judged.count(word)} {word}" for word in dict.fromkeys(judged)]
                    rig.say(f"{neighbour}: {tool}, {one['took_s']} s: {', '.join(counts)}")
    rig.publish("neighbours", result, text, asked.save)
    ours = [c for one in result["cells"] if one["tool"].startswith("cupel") for c in one["comparisons"]]
    return 1 if any(c["judged"] in ("false", "failed") for c in ours) else 0


def text(result):
    """The table, in Markdown: a row for each tool, over all neighbours."""
    columns = ["tool", "time", "false, of those that tie", "wrong direction"]
    columns += ["missed, of those 3 % slower", "missed, of those 5 % slower", "over 2 % off", "off (largest)", "next to"]
    totals = []
    for tool in dict.fromkeys(one["tool"] for one in result["cells"]):
        cells = [one for one in result["cells"] if one["tool"] == tool]
        every = [c for one in cells for c in one["comparisons"]]
        worst = max(cells, key=furthest)
        totals.append([tool, f"{sum(one['took_s'] for one in cells):.0f} s", *counted(every), worst["neighbour"]])
    words = [rig.header(result), rig.table(columns, totals)]
    words += [f"{tool} was left out: {reason}." for tool, reason in result["absent"].items()]
    return "\n\n".join(words)


def furthest(one):
    """How far the ratio of a tool with one neighbour was off, at most."""
    return max((abs(c["off"]) for c in one["comparisons"] if c["off"] is not None), default=0)


def counted(comparisons):
    """The columns of a row."""
    # A contender that Cupel must not separate ties, up to the tie zone.
    ties = [c for c in comparisons if c["added"] < 0.03]
    off = [abs(c["off"]) for c in comparisons if c["off"] is not None]
    of = lambda some, word: f"{sum(c['judged'] == word for c in some)} of {len(some)}" if some else "-"
    wrong = [c for c in comparisons if c["added"] >= 0.03 and c["reported"] < 0]
    shares = [[c for c in comparisons if c["added"] == added] for added in (0.03, 0.05)]
    return [
        of(ties, "false"), len(wrong) if any(shares) else "-", *(of(some, "missed") for some in shares),
        f"{sum(x > 0.02 for x in off)} of {len(off)}", rig.percent(max(off, default=None), 1),
    ]


if __name__ == "__main__":
    sys.exit(main())

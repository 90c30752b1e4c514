#!/usr/bin/env python3
"""Does a suite give the same verdicts when it is run again?

Runs a suite several times, each with the same contenders and sizes and its own seed, and
compares the verdicts of each cell: the share of cells with the same verdict in all runs; those that
sometimes get a verdict and sometimes none; and those contradicted, that is faster in one run and
slower in another. If the runs choose different baselines, their verdicts are not about the same
ratios: the script then stops, so give the suite a baseline or narrow it with --contender.

The exit status is 1 if a cell was contradicted. Run `make build` first. What follows `--` is passed
on to `cupel run`.

Examples:
  scripts/evidence/repeat.py --quick
  scripts/evidence/repeat.py quickstart --times 10 --save
  scripts/evidence/repeat.py sha256 --times 5 -- --size 64 --budget 10s
"""

import collections
import os
import statistics
import sys
import tempfile

import rig

KEY = ("primitive", "operation", "contract", "shape", "size", "contender")


def main():
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    ours, passed = words[:end], words[end + 1 :]
    parser = rig.parser(__doc__, "two runs of 5 s of OpenSSL's SHA-256 of 64 bytes")
    parser.add_argument("suite", nargs="?", default="quickstart", help="as `cupel list suites` names it, or a file (default: quickstart)")
    parser.add_argument("--times", type=rig.positive, default=10, metavar="N", help="runs (default: 10)")
    asked = parser.parse_args(ours)
    if asked.quick:
        asked.suite, asked.times = "sha256", 2
        passed = ["--size", "64", "--operation", "digest", "--contender", "c/openssl-*", "--budget", "5s"]
    if asked.times < 2:
        parser.error("one run repeats nothing: --times is at least 2")
    rig.require_cupel()
    result = rig.stamp() | {"suite": asked.suite, "options": passed, "runs": []}
    cells = collections.defaultdict(list)
    baselines = {}
    with tempfile.TemporaryDirectory() as folder:
        env = {"CUPEL_HOME": str(rig.ROOT), **os.environ, "CUPEL_STORE": f"{folder}/repeat.sqlite"}
        for turn in range(1, asked.times + 1):
            document = rig.run_cupel([asked.suite, *passed], env)
            for row in document["cells"]:
                key = tuple(row[k] for k in KEY)
                if baselines.setdefault(key, row["baseline"]) != row["baseline"]:
                    words = f"run {turn} compares {row['contender']} with {row['baseline']}, not {baselines[key]}"
                    sys.exit(f"{words}: give the suite a baseline")
                if row["verdict"] != "baseline":
                    cells[key].append({k: row[k] for k in ("verdict", "ratio", "ratio_low", "ratio_high", "untrusted")})
            counts = collections.Counter(row["verdict"] for row in document["cells"])
            words = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
            rig.say(f"run {turn} of {asked.times}, {document['took_s']} s: {words}")
            result["runs"].append({"started": document["started"], "took_s": document["took_s"]})
    result["cells"] = [{**dict(zip(KEY, key)), "answers": of} for key, of in cells.items()]
    rig.publish("repeat", result, text, asked.save)
    return 1 if any(contradicted(one) for one in result["cells"]) else 0


def verdicts(one):
    return {answer["verdict"] for answer in one["answers"]}


def contradicted(one):
    return {"faster", "slower"} <= verdicts(one)


def text(result):
    """The table, in Markdown."""
    every, times = result["cells"], len(result["runs"])
    same = [one for one in every if len(verdicts(one)) == 1 and len(one["answers"]) == times]
    against = [one for one in every if contradicted(one)]
    ratios = [[a["ratio"] for a in one["answers"] if a["ratio"]] for one in every]
    moved = [max(some) / min(some) - 1 for some in ratios if len(some) > 1]
    part = lambda count: f"{count} of {len(every)} ({rig.percent(count / len(every), 1)})" if every else "-"
    pairs = [(a, b) for one in every for i, a in enumerate(one["answers"]) for b in one["answers"][:i]]
    alike = sum(a["verdict"] == b["verdict"] for a, b in pairs)
    ends = lambda answer: (answer["ratio_low"] or 0, float("inf") if answer["ratio_high"] is None else answer["ratio_high"])
    apart = sum(ends(a)[0] > ends(b)[1] or ends(b)[0] > ends(a)[1] for a, b in pairs if a["ratio"] and b["ratio"])
    columns = ["suite", "runs", "a run takes", "cells with the same verdict in all runs", "contradicted", "others"]
    columns += ["pairs of runs that agree on a cell", "intervals that do not meet", "ratios of a cell apart: median, most"]
    rows = [[
        " ".join([result["suite"], *result["options"]]), times,
        f"{statistics.median(run['took_s'] for run in result['runs']):.0f} s", part(len(same)), part(len(against)),
        part(len(every) - len(same) - len(against)), rig.percent(alike / len(pairs), 1) if pairs else "-",
        f"{apart} of {len(pairs)}", f"{rig.percent(statistics.median(moved), 1)}, {rig.percent(max(moved), 1)}" if moved else "-",
    ]]
    lines = [rig.header(result), rig.table(columns, rows)]
    for one in against:
        said = ", ".join(f"{a['verdict']} {a['ratio']:.3f}" for a in one["answers"] if a["ratio"])
        lines.append(f"Contradicted: {one['contender']}, {one['primitive']} {one['operation']} of {one['size']} B: {said}.")
    return "\n\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

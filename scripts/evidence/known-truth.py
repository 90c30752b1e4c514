#!/usr/bin/env python3
"""Does Cupel give the verdict that is true, for contenders whose ratios are known?

The contenders of scripts/evidence/known/ compute SHA-256, then a chain of steps each of which waits
for the one before: `same` (the baseline), three copies of it, and four with 1, 2, 3 and 5 % more
steps. In C there is a second kind, `walk-same` and so on, whose steps wait for memory; the first
kind only computes. The chain is over 98 % of a call, so the true ratio is known from the number of
steps, within a fiftieth of what is added; no clock is involved. The C contenders are one file, the
Java ones run in the JVM runner as it ships.

A verdict says that a ratio is beyond the tie zone. With a tie zone of 2 %, a verdict on a contender
that takes 0, 1 or 2 % longer is false, and so is `faster` for any of them. `not separated` is a
missed difference if the true ratio is beyond the tie zone. With a tie zone of 0 %, only the copies
tie. An interval holds the truth if it contains the true ratio; with probability 95 %, all those of
a run do.

The exit status is 1 if a verdict was false or a contender failed. Run `make build` first.

Examples:
  scripts/evidence/known-truth.py --quick            C, one run of 3 s
  scripts/evidence/known-truth.py --times 20 --save  C, and each JDK once, into the page
  scripts/evidence/known-truth.py --kinds java --jdk temurin-25 --java-times 5
"""

import statistics
import sys

import rig

NAMES = list(rig.ADDED)
KINDS = ["c", "walk", "java"]


def main():
    parser = rig.parser(__doc__, "C only, one run of 3 s for each tie zone")
    parser.add_argument(
        "--kinds", type=rig.chosen_from(KINDS), default=KINDS, metavar="LIST",
        help=f"separated by commas (default: {','.join(KINDS)})",
    )
    parser.add_argument(
        "--jdk", action="append", metavar="NAME",
        help="as `cupel list toolchains` names it; may be repeated (default: the first of each version)",
    )
    parser.add_argument("--times", type=rig.positive, default=5, metavar="N", help="runs in C with each tie zone (default: 5)")
    parser.add_argument(
        "--java-times", type=rig.positive, default=1, metavar="N",
        help="runs on each JDK with each tie zone (default: 1): they take a minute and a half each",
    )
    parser.add_argument("--budget", type=rig.seconds, default=10, metavar="S", help="measuring time of a run (default: 10)")
    parser.add_argument("--forks", type=rig.positive, default=11, metavar="N", help="forks of a run (default: 11)")
    parser.add_argument(
        "--tie-zone", type=rig.share, action="append", metavar="SHARE", help="may be repeated (default: 2%% and 0%%)"
    )
    asked = parser.parse_args()
    if asked.quick:
        asked.kinds, asked.times, asked.budget = ["c"], 1, 3
    rig.require_cupel()
    some_jdks = rig.jdks(asked.jdk) if "java" in asked.kinds else []
    if "java" in asked.kinds and not some_jdks:
        rig.say("no JDK from version 17 on: C only (`cupel install jdk 21` adds one)")
    measured = [("c", "c", NAMES)] if "c" in asked.kinds else []
    measured += [("c, walk", "c", rig.walking(NAMES))] if "walk" in asked.kinds else []
    measured += [(jdk[0], jdk[0], NAMES) for jdk in some_jdks]
    if not measured:
        sys.exit("nothing to measure: there is no JDK, and C was not asked for")
    result = rig.stamp() | {"constant_share": rig.constant_share(), "budget_s": asked.budget, "runs": []}
    with rig.home(some_jdks) as home:
        for turn in range(1, max(asked.times, asked.java_times) + 1):
            for label, prefix, names in measured:
                times = asked.times if prefix == "c" else asked.java_times
                if turn > times:
                    continue
                for tie_zone in asked.tie_zone or [0.02, 0.0]:
                    document = home.run(prefix, names, asked.budget, forks=asked.forks, tie_zone=tie_zone)
                    found = rig.answers(document, tie_zone)
                    counts = {word: sum(a["judged"] == word for a in found) for word in ("right", "false", "missed", "failed")}
                    words = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
                    rig.say(f"{label}, tie zone {tie_zone:.0%}, run {turn} of {times}, {document['took_s']} s: {words}")
                    run = {"toolchain": label, "tie_zone": tie_zone, "took_s": document["took_s"], "answers": found}
                    result["runs"].append(run)
                    rig.keep("known-truth", result, asked.save)
    rig.publish("known-truth", result, text, asked.save)
    every = [a for run in result["runs"] for a in run["answers"]]
    return 1 if any(a["judged"] in ("false", "failed") for a in every) else 0


def text(result):
    """The tables, in Markdown."""
    totals = []
    kinds = list(dict.fromkeys((run["toolchain"], run["tie_zone"]) for run in result["runs"]))
    for toolchain, tie_zone in kinds:
        runs = [run for run in result["runs"] if (run["toolchain"], run["tie_zone"]) == (toolchain, tie_zone)]
        every = [a for run in runs for a in run["answers"]]
        joint = sum(all(a["holds"] for a in run["answers"]) for run in runs)
        count = lambda word: sum(a["judged"] == word for a in every)
        totals.append([
            labelled(toolchain, tie_zone, result), len(runs), len(every), count("false"), count("missed"),
            sum(a["untrusted"] or a["judged"] == "failed" for a in every), f"{joint} of {len(runs)}",
            f"{statistics.median(run['took_s'] for run in runs):.0f} s",
        ])
    columns = ["toolchain", "runs", "comparisons", "false", "missed", "untrusted or failed"]
    columns += ["runs whose intervals all hold the truth", "a run takes"]
    detail = ["toolchains", "true ratio", "verdicts", "false", "missed"]
    detail += ["estimate off by (median)", "half-width (median)", "intervals that hold the truth"]
    rows = [row for kind in KINDS for tie_zone in sorted({zone for _, zone in kinds}, reverse=True)
            for row in of_kind(result, kind, tie_zone)]
    constant = f"A call without its chain takes {rig.percent(result['constant_share'])} of one with it."
    lines = [rig.header(result), constant, rig.table(columns, totals), rig.table(detail, rows)]
    lines += [
        f"{run['toolchain']}, {a['contender']} failed: {a['reason']}"
        for run in result["runs"] for a in run["answers"] if a["judged"] == "failed"
    ]
    return "\n\n".join(lines)


def labelled(toolchains, tie_zone, result):
    """A row says its tie zone if the runs had several; otherwise the command above the table does."""
    several = len({run["tie_zone"] for run in result["runs"]}) > 1
    return f"{toolchains}, tie zone {rig.percent(tie_zone, 0)}" if several else toolchains


def kind_of(toolchain):
    """What the runs of a toolchain are an instance of: all JDKs are of one kind."""
    return {"c": "c", "c, walk": "walk"}.get(toolchain, "java")


def of_kind(result, kind, tie_zone):
    """A row for each true ratio, over all toolchains of a kind."""
    runs = [run for run in result["runs"] if kind_of(run["toolchain"]) == kind and run["tie_zone"] == tie_zone]
    every = [a for run in runs for a in run["answers"]]
    toolchains = ", ".join(dict.fromkeys(run["toolchain"] for run in runs))
    rows = []
    for added in sorted({a["added"] for a in every}):
        of = [a for a in every if a["added"] == added]
        rows.append([labelled(toolchains, tie_zone, result), *figures(of)])
    return rows


def figures(of):
    """The columns of the contenders of one true ratio over all their runs."""
    truth = 1 + of[0]["added"]
    verdicts = [a["verdict"] for a in of]
    off = [abs(a["ratio"] / truth - 1) for a in of if a["ratio"] is not None]
    widths = [w for a in of if (w := rig.half_width(a)) is not None]
    middle = lambda values: rig.percent(statistics.median(values) if values else None)
    return [
        f"{truth:.2f}",
        ", ".join(f"{verdicts.count(v)} {v}" for v in sorted(set(verdicts))),
        sum(a["judged"] == "false" for a in of),
        sum(a["judged"] == "missed" for a in of),
        middle(off),
        middle(widths),
        f"{sum(a['holds'] for a in of)} of {len(of)}",
    ]


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Does a contender of two speeds that ties on average get a verdict?

Each process of the contenders `levels-1` to `levels-4` of scripts/evidence/known/known.c draws, when
it starts, whether its calls take 5 % more or 5 % fewer steps than those of the quiet contender
`same`, and each process of `levels-far` 20 % more or fewer: far enough apart to be named. On average over processes it ties, so every verdict is false. If all processes of a run
happen to draw the same, no method can know: with eleven forks, one contender in 1024 does.

It is measured in both directions: with the quiet contender as the baseline, and with `levels-1`,
whose control has two speeds too. scripts/audit compares what each run says with its raw slices: a
printed time of some processes must be within 2 % of a process's own. The exit status is 1 if it
contradicts a sentence, or if there are more verdicts than that chance explains (less than one time
in a hundred). Run `make build` first.

Examples:
  scripts/evidence/two-levels.py --quick             two runs of 2 s
  scripts/evidence/two-levels.py --times 100 --save  200 runs, into the page
  scripts/evidence/two-levels.py --forks 5           the rule for few forks
"""

import math
import sys

import rig

BASELINES = {
    "quiet": ["same", "copy-1", *rig.LEVELS, rig.FAR],
    "two levels": [*rig.LEVELS, "same", rig.FAR],
}


def unlikely(verdicts, pairs, chance):
    """Whether this many verdicts or more have a probability below 1 %."""
    fewer = sum(math.comb(pairs, k) * chance**k * (1 - chance) ** (pairs - k) for k in range(verdicts))
    return 1 - fewer < 0.01


def main():
    parser = rig.parser(__doc__, "one run of 2 s with each baseline")
    parser.add_argument("--times", type=rig.positive, default=20, metavar="N", help="runs with each baseline (default: 20)")
    parser.add_argument("--budget", type=rig.seconds, default=4, metavar="S", help="measuring time of a run (default: 4)")
    parser.add_argument("--forks", type=rig.positive, default=11, metavar="N", help="forks of a run (default: 11)")
    rig.add_loops(parser)
    asked = parser.parse_args()
    if asked.quick:
        asked.times, asked.budget = 1, 2
    rig.require_cupel()
    result = rig.stamp() | {"constant_share": rig.constant_share(), "forks": asked.forks, "runs": []}
    verdicts, contradictions = 0, []
    with rig.home() as home, rig.busy(asked.loops):
        for turn in range(1, asked.times + 1):
            for baseline, names in BASELINES.items():
                document = home.run("c", names, asked.budget, forks=asked.forks)
                found = rig.answers(document, 0.02)
                result["runs"].append({
                    "baseline": baseline, "took_s": document["took_s"], "answers": found, "named": named_levels(document),
                    "times": rig.printed_times(document), "contradictions": document["contradictions"],
                })
                contradictions += document["contradictions"]
                rig.keep("two-levels", result, asked.save)
                verdicts += sum(a["judged"] == "false" for a in found)
                rig.say(f"baseline {baseline}, run {turn} of {asked.times}, {document['took_s']} s: {verdicts} verdicts and {len(contradictions)} contradictions so far")
    rig.publish("two-levels", result, text, asked.save)
    # With a baseline of two levels, its draws must agree as well, which is less probable.
    pairs = sum(len(run["answers"]) for run in result["runs"])
    print("\n".join(contradictions))
    return 1 if contradictions or unlikely(verdicts, pairs, 2.0 ** (1 - asked.forks)) else 0


def named_levels(document):
    """The contenders whose processes are said to have several speeds."""
    levels = [f for f in document["findings"] if f["kind"] == "levels"]
    return sorted({f["contender"]["name"].partition("/")[2] for f in levels})


def text(result):
    """The table, in Markdown."""
    rows = []
    for baseline in BASELINES:
        runs = [run for run in result["runs"] if run["baseline"] == baseline]
        every = [a for run in runs for a in run["answers"]]
        widths = sorted(w for a in every if (w := rig.half_width(a)) is not None)
        middle = lambda values: rig.percent(values[len(values) // 2] if values else None, 1)
        given = [a for a in every if a["judged"] == "false"]
        rows.append([
            baseline, result["forks"], len(runs), len(every), len(given),
            ", ".join(f"{a['contender']} {a['ratio']:.3f}" for a in given) or "-",
            sum(a["untrusted"] for a in every), sum(a["judged"] == "failed" for a in every), middle(widths),
            f"{sum(rig.FAR in run['named'] for run in runs)} of {len(runs)}",
            sum(name not in [*rig.LEVELS, rig.FAR] for run in runs for name in run["named"]),
            sum(run["times"] for run in runs), sum(len(run["contradictions"]) for run in runs),
        ])
    columns = ["baseline", "forks", "runs", "pairs", "verdicts", "which", "untrusted", "failed"]
    columns += ["half-width (median)", "levels-far named", "falsely", "times printed", "contradictions"]
    return rig.header(result) + "\n\n" + rig.table(columns, rows)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""How often do the joint intervals of eight identical copies miss 1?

Each run compares seven copies with an eighth one in 24 forks. Its intervals are joint at 95 %, so in at
most 5 % of the runs one of them may miss. Run `make build` first.

Examples:
  scripts/evidence/copies.py --quick          one run of 2 s
  scripts/evidence/copies.py --times 200      200 runs
"""

import sys

import rig


def main():
    parser = rig.parser(__doc__, "one run of 2 s")
    parser.add_argument("--times", type=rig.positive, default=200, metavar="N", help="runs (default: 200)")
    parser.add_argument("--budget", type=rig.seconds, default=3, metavar="S", help="measuring time of a run (default: 3)")
    asked = parser.parse_args()
    if asked.quick:
        asked.times, asked.budget = 1, 2
    rig.require_cupel()
    missed, verdicts, widths = 0, 0, []
    with rig.home() as home:
        for turn in range(1, asked.times + 1):
            document = home.run("c", rig.COPIES, asked.budget, forks=24)
            cells = [c for c in document["cells"] if c["ratio_high"] is not None]
            off = [c for c in cells if not c["ratio_low"] <= 1 <= c["ratio_high"]]
            missed += bool(off)
            verdicts += sum(c["verdict"] in ("faster", "slower") for c in cells)
            widths += [(c["ratio_high"] - c["ratio_low"]) / 2 for c in cells if c["ratio_low"] is not None]
            said = ", ".join(f"{c['contender']} [{c['ratio_low']:.5f} .. {c['ratio_high']:.5f}]" for c in off)
            rig.say(f"run {turn} of {asked.times}, {document['took_s']} s: {missed} runs missed so far {said}")
    widths.sort()
    middle = widths[len(widths) // 2] if widths else float("nan")
    print(f"{asked.times} runs of eight copies: {missed} with an interval that misses 1, {verdicts} verdicts; half-width {middle:.3%} (median)")
    return 1 if missed > max(1, 0.05 * asked.times) or verdicts else 0


if __name__ == "__main__":
    sys.exit(main())

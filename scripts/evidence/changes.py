#!/usr/bin/env python3
"""Does a baseline that changes while a run goes on give a verdict against the truth?

`changing` of scripts/evidence/known/known.c takes seven times as long while a file exists. The file
is there from the beginning of a run and goes in its first third, after a random number of forks. The
true ratios are those without the file. A verdict against them is false, and the step should be named.
With `--victim contender`, the one that changes is compared with a quiet baseline. scripts/audit
compares what each run says with its raw slices: a printed time must be within 2 % of a process's own.

The exit status is 1 if there is a false verdict, if the audit contradicts a sentence, or if fewer
than nine of ten steps are named. Run `make build` first.

Examples:
  scripts/evidence/changes.py --quick              one run of 4 s
  scripts/evidence/changes.py --times 50           fifty runs
  scripts/evidence/changes.py --times 50 --loops 1 fifty runs next to a busy loop
"""

import random
import sqlite3
import sys
import threading
import time

import rig

FORKS = 24


def forks_begun(store, run):
    """How many forks of the newest run have begun, if it is newer than this one."""
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=1) as db:
            newest = db.execute("select max(id) from run").fetchone()[0] or 0
            return db.execute("select count(*) from fork where run = ?", [newest]).fetchone()[0] if newest > run else 0
    except sqlite3.Error:
        return 0


def runs_so_far(store):
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
            return db.execute("select max(id) from run").fetchone()[0] or 0
    except sqlite3.Error:
        return 0


def removed_after(home, forks):
    """Removes the file once this many forks are over."""
    store, before = home.folder / "known.sqlite", runs_so_far(home.folder / "known.sqlite")

    def watch():
        while home.slow.exists() and forks_begun(store, before) <= forks:
            time.sleep(0.01)
        home.slow.unlink(missing_ok=True)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    return watching


def main():
    parser = rig.parser(__doc__, "one run of 4 s")
    parser.add_argument("--times", type=rig.positive, default=50, metavar="N", help="runs (default: 50)")
    parser.add_argument("--budget", type=rig.seconds, default=6, metavar="S", help="measuring time of a run (default: 6)")
    parser.add_argument("--victim", choices=["baseline", "contender"], default="baseline", help="what changes")
    rig.add_loops(parser)
    asked = parser.parse_args()
    if asked.quick:
        asked.times, asked.budget = 1, 4
    rig.require_cupel()
    others = ["same", "plus-16", "plus-50", "minus-30"]
    names = ["changing", *others] if asked.victim == "baseline" else [*others, "changing"]
    truth = {"same": 0.0, **rig.CHANGED}
    false, contradictions, named, times = [], [], 0, 0
    with rig.home() as home, rig.busy(asked.loops):
        for turn in range(1, asked.times + 1):
            forks = random.randint(2, FORKS // 3)
            home.slow.touch()
            watching = removed_after(home, forks)
            document = home.run("c", names, asked.budget, forks=FORKS)
            home.slow.unlink(missing_ok=True)
            watching.join()
            for cell in document["cells"]:
                name = cell["contender"].removeprefix("c/")
                wrong = {"faster": truth[name] >= 0, "slower": truth[name] <= 0}.get(cell["verdict"], False)
                if wrong:
                    false.append(f"run {turn}: {name} {cell['verdict']} {cell['ratio']:.3f}")
            contradictions += [f"run {turn}: {said}" for said in document["contradictions"]]
            times += rig.printed_times(document)
            changed = [f for f in document["findings"] if f["kind"] == "changed"]
            steps = [f for f in changed if f["contender"]["name"] == "c/changing"]
            named += bool(steps)
            said = "; ".join(f"{f['shape']} from fork {f['from_fork']}, {f['before']['ns']:.0f} to {f['after']['ns']:.0f} ns" for f in steps)
            so_far = f"{len(false)} false and {len(contradictions)} contradictions so far"
            rig.say(f"run {turn} of {asked.times}, file gone after {forks} forks, {document['took_s']} s: {said or 'not named'}; {so_far}")
    print(f"{asked.times} runs, {asked.loops} busy loops, {asked.victim} seven times as slow in 2 to {FORKS // 3} of {FORKS} forks:")
    print(f"{len(false)} false verdicts, step named in {named}, {len(contradictions)} contradictions, {times} times of some processes printed")
    print("\n".join(false + contradictions))
    return 1 if false or contradictions or 10 * named < 9 * asked.times else 0


if __name__ == "__main__":
    sys.exit(main())

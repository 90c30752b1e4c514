#!/usr/bin/env python3
"""How much the forks of a stored run differ, for each cell, with and without a split into levels.

A fork of a cell is represented by the median of its undisturbed slices, in ns per call. When these
are sorted, neighbours that differ by more than 15 % are on different levels: processes of one
program that differ for their whole life. `sd` is the relative standard deviation of the forks about
the mean of their level; `max/min` is that of the widest level, minus 1.
"""

import argparse
import collections
import json
import math
import pathlib
import sqlite3
import statistics
import textwrap

GAP = 1.15


class Cell:
    """A cell of a run, with the undisturbed slices of each fork that asked for it."""

    def __init__(self, plan, planned, slices):
        work = plan["comparisons"][planned["comparison"]]["workload"]
        self.contender = plan["contenders"][planned["contender"]]["name"]
        self.primitive, self.operation, self.size = work["primitive"], work["operation"], work["size"]
        self.work, self.comparison, self.control = work, planned["comparison"], planned["control"]
        self.rounds = [len(times) for times in slices]
        self.medians = [statistics.median(times) for times in slices if times]

    def name(self):
        extra = [] if self.work["shape"] == "throughput" else [self.work["shape"]]
        extra += [self.work["contract"]["key"] + " key"] if "gcm" in self.primitive else []
        extra += ["control"] if self.control else []
        contender = "".join(c for c in self.contender if c.isprintable())[:40]
        words = f"{contender} {self.primitive} {self.operation} {self.size} B"
        return words + (f" ({', '.join(extra)})" if extra else "")


def levels(medians):
    """The medians, sorted and split wherever two neighbours are over 15 % apart."""
    split = []
    for ns in sorted(medians):
        if split and ns <= GAP * split[-1][-1]:
            split[-1].append(ns)
        else:
            split.append([ns])
    return split


def spread(groups):
    """The relative standard deviation within the groups; None if no group has two members."""
    off = [ns / statistics.mean(group) - 1 for group in groups for ns in group]
    freedom = len(off) - len(groups)
    return math.sqrt(sum(x * x for x in off) / freedom) if freedom > 0 else None


def apart(groups):
    return max(max(group) / min(group) - 1 for group in groups)


def ns(value):
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def in_words(groups):
    """22.0 ns in 4 of 6 processes, 60.0 ns in 2."""
    first, *rest = groups
    words = [f"{ns(statistics.median(first))} ns in {len(first)} of {sum(map(len, groups))} processes"]
    return ", ".join(words + [f"{ns(statistics.median(group))} ns in {len(group)}" for group in rest])


def read(store, run=None):
    """The run's number, its suite, and its cells without those of the harness; by default of the last run."""
    # A path that does not exist must not become an empty store.
    db = sqlite3.connect(f"{pathlib.Path(store).resolve().as_uri()}?mode=rw", uri=True)
    query = "select id, suite, plan from run where id = coalesce(?, (select max(id) from run))"
    row = db.execute(query, [run]).fetchone()
    if row is None:
        raise LookupError("no such run")
    number, suite, text = row
    plan = json.loads(text)
    slices = collections.defaultdict(lambda: collections.defaultdict(list))
    rows = db.execute(
        "select slice.cell, fork.id, slice.elapsed_ns / slice.iterations, slice.disturbed is null"
        " from fork join round on round.fork = fork.id join slice on slice.round = round.id"
        " where fork.run = ? order by fork.id",
        [number],
    )
    for cell, fork, time, counts in rows:
        slices[cell][fork] += [time] if counts else []
    failed = {cell for (cell,) in db.execute("select cell from cell_failure where run = ?", [number])}
    db.close()
    cells = [
        Cell(plan, planned, [] if index in failed else list(slices[index].values()))
        for index, planned in enumerate(plan["cells"])
        if not plan["comparisons"][planned["comparison"]]["overhead"]
    ]
    return number, suite, cells


def quantile(values, part):
    """The value that this share of all values does not exceed."""
    return sorted(values)[math.ceil(part * len(values)) - 1] if values else math.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=pathlib.Path, help="the SQLite file of a run")
    parser.add_argument("run", type=int, nargs="?", help="which run, by its number (default: the last)")
    arguments = parser.parse_args()
    try:
        number, suite, cells = read(arguments.store, arguments.run)
    except (LookupError, sqlite3.Error) as error:
        parser.error(f"{arguments.store}: {error}")
    without = sum(not cell.medians for cell in cells)
    cells = [(cell, levels(cell.medians)) for cell in cells if cell.medians]
    if not cells:
        parser.error(f"run {number} has no slice that counts")
    far = sum(m > 3 * statistics.median(cell.medians) for cell, _ in cells for m in cell.medians)
    split = [(cell, groups) for cell, groups in cells if len(groups) > 1]
    kinds = {
        "sd": [[spread([cell.medians]) for cell, _ in cells], [spread(groups) for _, groups in cells]],
        "max/min": [[apart([cell.medians]) for cell, _ in cells], [apart(groups) for _, groups in cells]],
    }
    kinds = {name: [[x for x in side if x is not None] for side in both] for name, both in kinds.items()}
    print(
        f"{far} forks over 3x their cell's median; {len(split)} of {len(cells)} cells with levels; "
        f"sd within levels p90 {quantile(kinds['sd'][1], 0.9):.1%}"
    )
    print(f"run {number}, {suite}, {max(len(cell.rounds) for cell, _ in cells)} forks; {without} cells without a figure")
    print(f"\nspread between forks {'p50':>9}{'p90':>9}   within levels {'p50':>9}{'p90':>9}")
    for name, (before, after) in kinds.items():
        figures = [quantile(side, part) for side in (before, after) for part in (0.5, 0.9)]
        print(f"{name:<21}{figures[0]:>9.1%}{figures[1]:>9.1%}{'':>17}{figures[2]:>9.1%}{figures[3]:>9.1%}")
    fewest = min(cells, key=lambda pair: min(pair[0].rounds))[0]
    print(f"\nfewest rounds: {min(fewest.rounds)}, {fewest.name()}")
    print(f"\ncells with levels: {len(split)}")
    for cell, groups in split:
        print(textwrap.fill(f"{cell.name()}: {in_words(groups)}", 100, initial_indent="  ", subsequent_indent="      "))
    print("\nevery cell: sd between forks, sd within levels; ns per call of each fork (rounds)")
    for cell, groups in cells:
        shown = ["-" if x is None else f"{x:.1%}" for x in (spread([cell.medians]), spread(groups))]
        print(f"  {cell.name():<80}{shown[0]:>9}{shown[1]:>9}")
        medians = iter(cell.medians)
        # These words must stay together when the line is wrapped.
        forks = [f"{ns(next(medians)) if rounds else '-'}\N{NO-BREAK SPACE}({rounds})" for rounds in cell.rounds]
        lines = textwrap.wrap(" ".join(forks), 100, initial_indent="      ", subsequent_indent="      ")
        print("\n".join(lines).replace("\N{NO-BREAK SPACE}", " "))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""`cupel gate` over real benchmark programs: equal builds raise no alarm, slower ones do.

Usage: scripts/evidence/gates.py --build FOLDER      builds the programs, which need nothing, and packs them
       FOLDER/gates/drive SECONDS LANES RESULTS      runs gates, there or on another machine
       scripts/evidence/gates.py --read FILE... [--save --note "DAY, MACHINE"]      counts their answers

Criterion, libtest, Go, JMH and Google Benchmark each sort numbers and count words; gzip and awk read
a text. A build is a copy of a program in its own folder. A slower one counts 3 or 5 % more words, or
reads 3 or 5 % more text. Half of all gates run next to a busy loop on the same two processors.

From the first ten executions of each build in a gate, what others say of it. They would measure one
build after the other; here the builds take turns, which is better for them.

The build needs gcc, g++ and libbenchmark-dev, rustc, Go, a JDK with jlink, and JMH 1.37 in the local
repository of Maven. CUPEL names the tool.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = pathlib.Path(__file__).resolve().parent / "gates"
CUPEL = os.environ.get("CUPEL", str(ROOT / "target/release/cupel"))
PAGE = ROOT / "docs/trust/evidence/gates.md"

# Each program with the budget of its gates in s, how often it comes in eight turns of the plan, and
# its command.
PROGRAMS = {
    "criterion": (
        60,
        8,
        "./bench --bench --warm-up-time 0.05 --measurement-time 0.05 --sample-size 10 --nresamples 1000 --noplot",
    ),
    # It takes as long as it likes.
    "libtest": (100, 4, "./bench --bench count"),
    "go": (60, 8, "./bench -test.run '^$' -test.bench . -test.benchtime 20ms"),
    "jmh": (
        70,
        6,
        "LD_LIBRARY_PATH=../../../jre/lib ../../../jre/bin/java -XX:+UseSerialGC -cp .:../jars/jmh.jar:../jars/options.jar:../jars/math.jar"
        " org.openjdk.jmh.Main -f 0 -wi 1 -w 150ms -i 1 -r 100ms -o log -rf json -rff out.json 2>/dev/null"
        " && cat out.json",
    ),
    "google-benchmark": (
        12,
        8,
        "./bench --benchmark_format=json --benchmark_min_time=0.02 2>/dev/null",
    ),
    "gzip": (15, 8, "gzip -c text-$PER_MILLE >/dev/null"),
    "awk": (
        8,
        8,
        "awk '{ for (i = 1; i <= NF; i++) count[$i]++ } END { print length(count) }' text-$PER_MILLE",
    ),
}
NAMES = {
    "criterion": "Criterion",
    "libtest": "libtest (`#[bench]`)",
    "go": "Go",
    "jmh": "JMH",
    "google-benchmark": "Google Benchmark",
    "gzip": "`gzip`, as `time`",
    "awk": "`awk`, as `time`",
}
# By how many per mille the new build is slower, and whether next to a busy loop.
KINDS = [
    (0, False), (50, False), (0, True), (0, False), (30, True), (0, True), (0, False),
    (0, True), (50, True), (0, False), (0, True), (30, False), (0, False), (0, True),
]  # fmt: skip
JARS = {
    "jmh": "org/openjdk/jmh/jmh-core/1.37/jmh-core-1.37.jar",
    "options": "net/sf/jopt-simple/jopt-simple/5.0.4/jopt-simple-5.0.4.jar",
    "math": "org/apache/commons/commons-math3/3.6.1/commons-math3-3.6.1.jar",
}
GENERATOR = "org/openjdk/jmh/jmh-generator-annprocess/1.37/jmh-generator-annprocess-1.37.jar"
BYTES = 2_000_000


def run(folder: pathlib.Path, command: list, **env: str) -> None:
    print(f"{folder.parent.name}: {' '.join(map(str, command))}", file=sys.stderr, flush=True)
    subprocess.run(command, cwd=folder, check=True, env={**os.environ, **env})


def build_criterion(base: pathlib.Path, cache: pathlib.Path) -> None:
    static = {"RUSTFLAGS": "-C target-feature=+crt-static", "CARGO_TARGET_DIR": str(cache)}
    # For a target, or the flags would apply to macros too.
    about = subprocess.run(["rustc", "-vV"], check=True, stdout=subprocess.PIPE, text=True).stdout
    target = re.search("^host: (.*)$", about, re.MULTILINE)[1]
    command = ["cargo", "bench", "--bench", "gate", "--no-run", "--message-format=json", "--target", target]
    manifest = SOURCES / "criterion/Cargo.toml"
    # Next to a copy of the sources, so that Cargo writes no Cargo.lock into them.
    copy = cache / "sources"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(SOURCES, copy)
    command += ["--manifest-path", str(copy / manifest.relative_to(SOURCES))]
    said = subprocess.run(
        command, check=True, env={**os.environ, **static}, stdout=subprocess.PIPE, text=True
    )
    made = [json.loads(line) for line in said.stdout.splitlines()]
    [program] = [one["executable"] for one in made if one.get("executable")]
    shutil.copy(program, base / "bench")
    run(base, ["strip", "bench"])


def build_libtest(base: pathlib.Path, _: pathlib.Path) -> None:
    options = ["-O", "--test", "--edition", "2024", "-C", "target-feature=+crt-static", "-C", "strip=symbols"]
    run(base, ["rustc", *options, str(SOURCES / "libtest.rs"), "-o", "bench"], RUSTC_BOOTSTRAP="1")


def build_go(base: pathlib.Path, _: pathlib.Path) -> None:
    shutil.copy(SOURCES / "gate_test.go", base)
    (base / "go.mod").write_text("module gate\n\ngo 1.20\n")
    run(base, ["go", "test", "-c", "-ldflags", "-s -w", "-o", "bench"], CGO_ENABLED="0")


def take_libraries(program: pathlib.Path, folder: pathlib.Path, names: list[str]) -> None:
    """Copies what another machine may not have."""
    folder.mkdir(exist_ok=True)
    said = subprocess.run(["ldd", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in said.splitlines():
        words = line.split()
        if words[0].split(".so")[0] in names:
            shutil.copy(words[2], folder / words[0])


def build_google(base: pathlib.Path, _: pathlib.Path) -> None:
    # Debian has no static library. An RPATH holds for the library's own needs too.
    options = ["-O2", "-s", "-Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib"]
    run(base, ["g++", *options, str(SOURCES / "gate.cc"), "-o", "bench", "-lbenchmark", "-lpthread"])
    take_libraries(base / "bench", base.parent / "lib", ["libbenchmark", "libstdc++", "libgcc_s"])


def build_jmh(base: pathlib.Path, _: pathlib.Path) -> None:
    maven = pathlib.Path.home() / ".m2/repository"
    jars = base.parent / "jars"
    jars.mkdir()
    for name, path in JARS.items():
        shutil.copy(maven / path, jars / f"{name}.jar")
    path = ":".join([*(str(jars / f"{name}.jar") for name in JARS), str(maven / GENERATOR)])
    run(base, ["javac", "-cp", path, "-d", ".", str(SOURCES / "Gate.java")])
    machine = base.parents[1] / "jre"
    modules = "java.base,java.logging,java.management,jdk.unsupported"
    options = ["--strip-debug", "--no-header-files", "--no-man-pages"]
    run(base, ["jlink", "--add-modules", modules, *options, "--output", str(machine)])
    shutil.rmtree(machine / "legal", ignore_errors=True)
    take_libraries(machine / "lib/server/libjvm.so", machine / "lib", ["libstdc++", "libgcc_s"])
    take_libraries(machine / "lib/libzip.so", machine / "lib", ["libz"])


def write_texts(base: pathlib.Path) -> None:
    """Three texts: two are 3 and 5 % longer than the first."""
    draws = random.Random(1)
    words = ["".join(draws.choices("aeiounrstl", k=draws.randint(2, 9))) for _ in range(5000)]
    lines = [" ".join(draws.choices(words, k=10)) for _ in range(BYTES // 30)]
    text = "\n".join(lines)
    for per_mille in [0, 30, 50]:
        (base / f"text-{per_mille}").write_text(text[: BYTES + BYTES * per_mille // 1000] + "\n")


def build(top: pathlib.Path) -> None:
    folder = top / "gates"
    shutil.rmtree(folder, ignore_errors=True)
    builds = {
        "criterion": build_criterion,
        "libtest": build_libtest,
        "go": build_go,
        "jmh": build_jmh,
        "google-benchmark": build_google,
    }
    for program in PROGRAMS:
        base = folder / program / "base"
        base.mkdir(parents=True)
        if program in builds:
            builds[program](base, top / "cargo")
        else:
            write_texts(base)
    shutil.copy(CUPEL, folder / "cupel")
    shutil.copy(SOURCES / "drive", folder)
    (folder / "plan").write_text("\n".join(planned(300)) + "\n")
    with tarfile.open(top / "gates.tar.gz", "w:gz", dereference=True) as packed:
        packed.add(folder, "gates")
    print(f"{top / 'gates.tar.gz'}: {(top / 'gates.tar.gz').stat().st_size / 1e6:.1f} MB")


def planned(turns: int) -> list[str]:
    """Programs in rotation, each with all kinds in rotation."""
    lines = []
    # Otherwise all programs would have the same kind at the same time.
    kind = {program: 3 * position for position, program in enumerate(PROGRAMS)}
    for turn in range(turns):
        for program, (budget, often, command) in PROGRAMS.items():
            if turn % 8 >= often:
                continue
            per_mille, busy = KINDS[kind[program] % len(KINDS)]
            kind[program] += 1
            lines.append(f"{program} {budget} {per_mille} {'busy' if busy else 'alone'} {command}")
    return lines


def u_test(base: list[float], new: list[float]) -> bool:
    """`benchstat`: Mann and Whitney's U test of ten against ten, p < 0.05."""
    above = sum((b > a) + (b == a) / 2 for a in base for b in new)
    # The critical value: 23 of 100 pairs have p = 0.043, 24 have 0.052.
    return above >= 100 - 23


def times_slower(base: list[float], new: list[float]) -> bool:
    """`hyperfine`: "1.03 ± 0.02 times slower", if 1 is not in that range."""
    means = [statistics.mean(base), statistics.mean(new)]
    ratio = means[1] / means[0]
    shares = [statistics.stdev(times) / mean for times, mean in zip([base, new], means)]
    return ratio - ratio * (shares[0] ** 2 + shares[1] ** 2) ** 0.5 > 1


def beyond(share: float):
    """A threshold, on one execution of each."""
    return lambda base, new: new[0] > (1 + share) * base[0]


OTHERS = {
    "`benchstat`: U test, p < 0.05": u_test,
    "`hyperfine`: mean ± sd": times_slower,
    "`critcmp -t 5`: 5 % on one execution": beyond(0.05),
    "a threshold of 10 % on one execution": beyond(0.1),
}


class Gate:
    """A gate that ran: which benchmarks each tool calls slower."""

    def __init__(self, line: str) -> None:
        one = json.loads(line)
        self.program, self.per_mille, self.busy = one["program"], one["per_mille"], one["busy"]
        self.seconds = one["ms"] / 1000
        self.undecided = one["status"] == 2
        document = one["gate"]
        benchmarks = document["benchmarks"]
        self.untrusted = any(each["untrusted"] for each in benchmarks)
        self.faster = any(each["verdict"] == "faster" for each in benchmarks)
        self.slower = {
            "Cupel": {each["name"] for each in benchmarks if each["verdict"] == "slower"},
            **{name: self.by(document["record"], test) for name, test in OTHERS.items()},
        }
        self.all = [each["name"] for each in benchmarks]

    @staticmethod
    def by(record: dict, test) -> set[str]:
        slower = set()
        for position, name in enumerate(record["benchmarks"]):
            times = collections.defaultdict(list)
            for one in (one for each in record["rounds"] for one in each["executions"]):
                # An execution may lack a benchmark.
                if one["ns"][position] is not None:
                    times[one["side"]].append(one["ns"][position])
            if test(times["base"][:10], times["new"][:10]):
                slower.add(name)
        return slower

    def found(self, tool: str) -> bool:
        """Whether what is slower is called slower."""
        return any(self.is_slower(name) for name in self.slower[tool])

    def alarm(self, tool: str) -> bool:
        """Whether anything else is."""
        return any(not self.is_slower(name) for name in self.slower[tool])

    def is_slower(self, benchmark: str) -> bool:
        counts = "count" in benchmark.lower() or benchmark.endswith(" time")
        return self.per_mille > 0 and counts


def of(gates: list[Gate], per_mille: int, says) -> str:
    these = [gate for gate in gates if gate.per_mille == per_mille]
    return f"{sum(map(says, these))} of {len(these)}"


def row(title: str, gates: list[Gate], tool: str) -> str:
    cells = [of(gates, 0, lambda gate: gate.alarm(tool))]
    cells += [of(gates, per_mille, lambda gate: gate.found(tool)) for per_mille in (50, 30)]
    return f"| {title} | {' | '.join(cells)} |"


def lead(gates: list[Gate]) -> str:
    """The answer, before the tables."""
    equal, five, three = (
        [gate for gate in gates if gate.per_mille == per_mille] for per_mille in (0, 50, 30)
    )
    alarms = sum(gate.alarm("Cupel") for gate in equal)
    found = [sum(gate.found("Cupel") for gate in these) for these in (five, three)]
    return (
        f"**{alarms} of {len(equal)} gates of equal builds raised an alarm.** The gates detected {found[0]} of "
        f"{len(five)} slowdowns of 5 %\nand {found[1]} of {len(three)} of 3 %. The longest gate took "
        f"{max(gate.seconds for gate in gates):.0f} s."
    )


def table(gates: list[Gate]) -> str:
    busy = [gate for gate in gates if gate.busy]
    alone = [gate for gate in gates if not gate.busy]
    seconds = lambda these: (
        f" {statistics.mean(g.seconds for g in these):.0f} s | {max(g.seconds for g in these):.0f} s |"
    )
    lines = [
        "| program | alarms on equal builds | detected, 5 % slower | detected, 3 % slower | mean time | longest |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    parts = [(NAMES[name], [g for g in gates if g.program == name]) for name in NAMES]
    parts += [("**all**", gates), ("alone on two processors", alone), ("next to a busy loop", busy)]
    lines += [row(title, these, "Cupel") + seconds(these) for title, these in parts if these]
    lines += [
        "",
        "Do other tools agree? Cupel judges all executions of a gate: at least 12 of each build, and 12 of a copy",
        "of the base. The other tools judge the first ten of each build, by rules that are ours: users of",
        "`hyperfine` and `critcmp` read the figures.",
        "",
        "| | alarms on equal builds | detected, 5 % slower | detected, 3 % slower |",
        "|---|--:|--:|--:|",
    ]
    lines += [row(tool, gates, tool) for tool in ["Cupel", *OTHERS]]
    return "\n".join(lines)


def how(note: str) -> str:
    """How it was measured."""
    budgets = [budget for budget, _, _ in PROGRAMS.values()]
    return (
        "Each of the first five programs sorts numbers and counts words (libtest only counts words). Its slower\n"
        "build counts 3 or 5 % more words. `gzip` and `awk` read a text, which is 3 or 5 % longer for the slower\n"
        "build. Half of the gates ran next to a busy loop on the same two processors. In a gate, the two builds\n"
        "alternate. The other tools would measure one build after the other, so these executions favour them.\n"
        f"Each gate had {min(budgets)} to {max(budgets)} s instead of the usual three minutes.\n\n"
        f"Measured by `scripts/evidence/gates.py` on {note}.\n\n"
        "Simulations cover more gates and worse noise ([decision\n"
        "76](../../internals/decisions/0076-a-gate-over-any-benchmark.md)): with each of six kinds of noise, 0 to 0.8 % of\n"
        "400 gates of equal builds raised an alarm. Cupel promises 5 %."
    )


def remarks(gates: list[Gate]) -> str:
    """What the tables leave out."""
    slower = [gate for gate in gates if gate.per_mille > 0]
    all_of = collections.Counter(g.per_mille for g in gates)
    undecided = collections.Counter(g.per_mille for g in gates if g.undecided)
    return (
        f"Undecided gates: {undecided[0]} of {all_of[0]} of equal builds, {undecided[50]} of {all_of[50]} of builds "
        f"that are 5 % slower, and {undecided[30]} of {all_of[30]} of\nbuilds that are 3 % slower. In the {len(slower)} "
        f"gates of slower builds, {sum(g.alarm('Cupel') for g in slower)} flagged a benchmark that is not slower.\n"
        f"Of all {len(gates)} gates, {sum(g.faster for g in gates)} called a benchmark faster, and "
        f"{sum(g.untrusted for g in gates)} found that two copies of the base differ."
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--read", type=pathlib.Path, nargs="+", metavar="FILE")
    parser.add_argument("--save", action="store_true", help=f"write the tables into {PAGE.name}")
    parser.add_argument("--note", default="", metavar="TEXT", help="the day and the machine")
    given = parser.parse_args()
    if given.build:
        build(given.build.resolve())
    if not given.read:
        return
    gates = [Gate(line) for file in given.read for line in file.read_text().splitlines()]
    text = "\n\n".join([lead(gates), table(gates), remarks(gates)])
    print(text)
    if given.save:
        begin, end = "<!-- gates: `scripts/evidence/gates.py --save` writes this -->\n", "<!-- end of gates -->\n"
        before, rest = PAGE.read_text().split(begin)
        PAGE.write_text(f"{before}{begin}{text}\n\n{how(given.note)}\n{end}{rest.split(end)[1]}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""`cupel gate` over real benchmark programs: equal builds raise no alarm, slower ones do.

Usage: scripts/evidence/gates.py SECONDS PROGRAM... [--budget TIME] [--folder FOLDER]
    PROGRAM: google-benchmark, libtest, go, jmh, time

Each program has two benchmarks. A build is a copy of it in its own folder; a slower build does 3 or
5 % more rounds in the second benchmark. For each program in turn, gates of equal builds, of 5 % and
of 3 % follow each other until the time is over. The exit status of a gate is its answer.

From the same executions, what others would have said: a threshold of 5 % on the first execution of
each build, and the U test of `benchstat` (each benchmark at p < 0.05) on the first ten of each.

The folder keeps what was built. The programs need libbenchmark-dev, rustc, Go, and JMH 1.37 in the
local repository of Maven.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CUPEL = os.environ.get("CUPEL", str(ROOT / "target/release/cupel"))

# The work is a chain of multiplications: twice as many rounds take twice the time.
WORK_C = """
static unsigned long work(unsigned long rounds) {
    unsigned long x = 1;
    for (unsigned long i = 0; i < rounds; i++)
        x = x * 6364136223846793005UL + (x >> 33);
    return x;
}
static unsigned long slower(unsigned long rounds) {
    const char *more = getenv("PER_MILLE");
    return rounds + rounds * (more ? strtoul(more, 0, 10) : 0) / 1000;
}
"""

GOOGLE = (
    "#include <benchmark/benchmark.h>\n#include <cstdlib>\n"
    + WORK_C
    + """
static void first(benchmark::State &s) { for (auto _ : s) benchmark::DoNotOptimize(work(1000)); }
static void second(benchmark::State &s) {
    unsigned long rounds = slower(4000);
    for (auto _ : s) benchmark::DoNotOptimize(work(rounds));
}
BENCHMARK(first);
BENCHMARK(second);
BENCHMARK_MAIN();
"""
)

TIME = "#include <stdlib.h>\n" + WORK_C + "int main(void) { return work(slower(20000000)) == 0; }\n"

WORK_RUST = """
#![feature(test)]
extern crate test;
fn work(rounds: u64) -> u64 {
    (0..rounds).fold(1u64, |x, _| x.wrapping_mul(6364136223846793005).wrapping_add(x >> 33))
}
#[bench]
fn first(b: &mut test::Bencher) { b.iter(|| work(test::black_box(1000))) }
#[bench]
fn second(b: &mut test::Bencher) {
    let more: u64 = std::env::var("PER_MILLE").map_or(0, |text| text.parse().unwrap());
    b.iter(|| work(test::black_box(4000 + 4 * more)))
}
"""

WORK_GO = """package gate
import ("os"; "strconv"; "testing")
var sink uint64
func work(rounds int) uint64 {
	x := uint64(1)
	for i := 0; i < rounds; i++ { x = x*6364136223846793005 + x>>33 }
	return x
}
func BenchmarkFirst(b *testing.B) { for i := 0; i < b.N; i++ { sink += work(1000) } }
func BenchmarkSecond(b *testing.B) {
	more, _ := strconv.Atoi(os.Getenv("PER_MILLE"))
	for i := 0; i < b.N; i++ { sink += work(4000 + 4*more) }
}
"""

WORK_JAVA = """import org.openjdk.jmh.annotations.*;
import java.util.concurrent.TimeUnit;
@State(Scope.Benchmark) @BenchmarkMode(Mode.AverageTime) @OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Gate {
    int rounds = 1000, more;
    @Setup public void setup() {
        String text = System.getenv("PER_MILLE");
        more = 4000 + (text == null ? 0 : 4 * Integer.parseInt(text));
    }
    static long work(int rounds) {
        long x = 1;
        for (int i = 0; i < rounds; i++) x = x * 6364136223846793005L + (x >>> 33);
        return x;
    }
    @Benchmark public long first() { return work(rounds); }
    @Benchmark public long second() { return work(more); }
}
"""


def run(command: list, folder: pathlib.Path, **env: str) -> None:
    subprocess.run(command, cwd=folder, check=True, env={**os.environ, **env}, stdout=subprocess.DEVNULL)


def jars() -> str:
    maven = pathlib.Path.home() / ".m2/repository"
    names = [
        "org/openjdk/jmh/jmh-core/1.37/jmh-core-1.37.jar",
        "net/sf/jopt-simple/jopt-simple/5.0.4/jopt-simple-5.0.4.jar",
    ]
    names += ["org/apache/commons/commons-math3/3.6.1/commons-math3-3.6.1.jar"]
    names += ["org/openjdk/jmh/jmh-generator-annprocess/1.37/jmh-generator-annprocess-1.37.jar"]
    return ":".join(str(maven / name) for name in names)


def built(program: str, folder: pathlib.Path) -> tuple[str, list[str]]:
    """Builds a program in its folder. Returns its command there, and the options of the gate."""
    folder.mkdir(parents=True)
    if program == "google-benchmark":
        (folder / "bench.cc").write_text(GOOGLE)
        run(["g++", "-O2", "bench.cc", "-o", "bench", "-lbenchmark", "-lpthread"], folder)
        return "./bench --benchmark_format=json --benchmark_min_time=0.02 2>/dev/null", []
    if program == "time":
        (folder / "bench.c").write_text(TIME)
        run(["gcc", "-O2", "bench.c", "-o", "bench"], folder)
        return "./bench", ["--reads", "time"]
    if program == "libtest":
        (folder / "bench.rs").write_text(WORK_RUST)
        run(["rustc", "-O", "--test", "bench.rs", "-o", "bench"], folder, RUSTC_BOOTSTRAP="1")
        return "./bench --bench", []
    if program == "go":
        (folder / "gate_test.go").write_text(WORK_GO)
        (folder / "go.mod").write_text("module gate\n\ngo 1.20\n")
        run(["go", "test", "-c", "-o", "bench"], folder)
        return "./bench -test.run '^$' -test.bench . -test.benchtime 20ms", []
    (folder / "Gate.java").write_text(WORK_JAVA)
    run(["javac", "-cp", jars(), "-d", ".", "Gate.java"], folder)
    main = f"java -XX:+UseSerialGC -cp .:{jars()} org.openjdk.jmh.Main"
    return f"{main} -f 0 -wi 3 -w 100ms -i 2 -r 50ms -o log -rf json -rff out.json 2>/dev/null && cat out.json", []


def u_test(base: list[float], new: list[float]) -> bool:
    """Whether Mann and Whitney's U test, by its normal approximation, has p < 0.05."""
    above = sum((a > b) + (a == b) / 2 for a in new for b in base)
    n, m = len(base), len(new)
    z = (above - n * m / 2) / math.sqrt(n * m * (n + m + 1) / 12)
    return abs(z) > 1.96


def others(document: dict) -> tuple[bool, bool]:
    """Whether a threshold of 5 % and uncorrected U tests would have called any benchmark slower."""
    record = document["record"]
    threshold = test = False
    for position in range(len(record["benchmarks"])):
        times = {"base": [], "copy": [], "new": []}
        for one in (one for each in record["rounds"] for one in each["executions"]):
            times[one["side"]].append(one["ns"][position])
        base, new = times["base"][:10], times["new"][:10]
        threshold |= new[0] > 1.05 * base[0]
        test |= u_test(base, new) and sum(new) > sum(base)
    return threshold, test


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", type=float)
    parser.add_argument("program", nargs="+")
    parser.add_argument("--budget", default="20s")
    parser.add_argument("--folder")
    given = parser.parse_args()
    top = pathlib.Path(given.folder or tempfile.mkdtemp()).resolve()
    end = time.monotonic() + given.seconds
    for left, program in zip(range(len(given.program), 0, -1), given.program):
        until = time.monotonic() + (end - time.monotonic()) / left
        here = top / program
        shutil.rmtree(here, ignore_errors=True)
        command, options = built(program, here / "base")
        shutil.copytree(here / "base", here / "another-build-of-it")
        count = collections.Counter()
        took = collections.defaultdict(list)
        for kind in ["equal", "5 %", "equal", "3 %"] * 1000:
            longest = max((max(all) for all in took.values()), default=20.0)
            if time.monotonic() + longest > until:
                break
            more = {"equal": 0, "5 %": 50, "3 %": 30}[kind]
            line = [CUPEL, "--quiet", "gate", "--budget", given.budget, "--format", "json", *options]
            line += [
                "--base",
                f"cd base && {command}",
                "--new",
                f"cd another-build-of-it && PER_MILLE={more} {command}",
            ]
            env = {**os.environ, "CUPEL_STORE": str(top / "gates.sqlite")}
            began = time.monotonic()
            done = subprocess.run(line, cwd=here, env=env, capture_output=True, text=True)
            if done.returncode > 2:
                print(program, done.stderr)
                return 3
            took[kind].append(time.monotonic() - began)
            document = json.loads(done.stdout)
            threshold, test = others(document)
            count[kind] += 1
            count[kind, "slower"] += done.returncode == 1
            count[kind, "undecided"] += done.returncode == 2
            count[kind, "threshold"] += threshold
            count[kind, "test"] += test
        for kind in ["equal", "5 %", "3 %"]:
            if not count[kind]:
                continue
            print(
                f"{program:17} {kind:6} {count[kind]:3} gates: {count[kind, 'slower']} slower, "
                f"{count[kind, 'undecided']} undecided; threshold {count[kind, 'threshold']}, "
                f"U test {count[kind, 'test']}; "
                f"{sum(took[kind]) / len(took[kind]):.1f} s each, at most {max(took[kind]):.1f}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Twenty-four cells of documents 000, 001 and 004, measured by JMH and by Cupel in one stretch.

Usage: scripts/evidence/jmh.py [JDK [twice]]      (default: temurin-25, as `cupel toolchain list` names it;
                                                `make build` first)

Eight cells of each document are drawn by a fixed seed. Cupel measures all of them, then JMH each, with five
forks; each in processes of its own (`isolation = "cell"`). With `twice` Cupel does so again: how far its two
runs are apart says how much the machine drifted meanwhile. Takes eight minutes, eleven with `twice`, and wants
a quiet machine.
"""

import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUDGET = "120s"
FORKS = 5
GCM = 'contract = { key = "per-call" }\n'

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
    ("SipHashBenchmark", "cupel13", "", "cupel", "siphash-1-3", "mac"),
    ("SipHashBenchmark", "cupel24", "", "cupel", "siphash-2-4", "mac"),
    ("SipHashBenchmark", "zackehh24", "", "zackehh", "siphash-2-4", "mac"),
    ("SipHashBenchmark", "guava24", "", "guava", "siphash-2-4", "mac"),
    ("SipHashBenchmark", "hmacSha256", "", "jdk", "hmac-sha256", "mac"),
]
AEADS = [64, 256, 1024, 4096], [
    ("GcmBenchmark", operation, provider, provider, "aes-256-gcm", operation)
    for operation in ["seal", "open"]
    for provider in ["jdk", "bouncycastle-jce", "conscrypt", "accp"]
]


def drawn():
    """Eight cells of each document."""
    chance = random.Random(2026)
    cells = []
    for sizes, kinds in [HASHES, MACS, AEADS]:
        cells += chance.sample([(*kind, size) for kind in kinds for size in sizes], 8)
    return cells


def cupel(cells, toolchain, folder):
    """Median ns a call by contender, primitive, operation and size."""
    suite = f'question = "Do two tools agree?"\nforks = {FORKS}\nisolation = "cell"\nbudget = "{BUDGET}"\n'
    for primitive, operation, size in dict.fromkeys((c[4], c[5], c[6]) for c in cells):
        names = [f"jvm/{c[3]}@{toolchain}" for c in cells if (c[4], c[5], c[6]) == (primitive, operation, size)]
        suite += (
            f'\n[[workload]]\nprimitive = "{primitive}"\noperation = "{operation}"\nsizes = [{size}]\n'
            f"contenders = {json.dumps(names)}\n" + (GCM if primitive == "aes-256-gcm" else "")
        )
    path = folder / "jmh.toml"
    path.write_text(suite)
    env = {**os.environ, "CUPEL_STORE": str(folder / "jmh.sqlite")}
    command = [ROOT / "target/release/cupel", "run", str(path), "--format", "json"]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True)
    rows = json.loads(done.stdout)["cells"]
    return {(r["contender"].split("@")[0][4:], r["primitive"], r["operation"], r["size"]): r for r in rows}


def jmh(cell, java, classpath, folder):
    """Median over all iterations of all forks, in ns a call, the forks' own medians' ends, and bytes a call."""
    name, method, provider, _, _, _, size = cell
    out = folder / "jmh.json"
    command = [java, "-cp", classpath, "org.openjdk.jmh.Main", f"{name}.{method}$", "-p", f"size={size}"]
    command += ["-p", f"provider={provider}"] if provider else []
    command += ["-f", str(FORKS), "-wi", "3", "-w", "250ms", "-i", "5", "-r", "150ms", "-bm", "avgt", "-tu", "ns"]
    command += ["-rf", "json", "-rff", str(out), "-v", "silent", "-prof", "gc"]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    result = json.loads(out.read_text())[0]
    forks = result["primaryMetric"]["rawData"]
    allocated = next(m["score"] for name, m in result["secondaryMetrics"].items() if name.endswith("alloc.rate.norm"))
    medians = [statistics.median(fork) for fork in forks]
    return statistics.median(sum(forks, [])), min(medians), max(medians), allocated


def home_of_java(toolchain):
    """The folder of the JDK of this name, as Cupel has it."""
    listed = subprocess.run(
        [ROOT / "target/release/cupel", "toolchain", "list"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    return next(line.split()[-1] for line in listed.splitlines() if line.split()[:1] == [toolchain])


def main() -> int:
    toolchain = sys.argv[1] if len(sys.argv) > 1 else "temurin-25"
    java = pathlib.Path(home_of_java(toolchain)) / "bin/java"
    maven = ["mvn", "-q", "-B", "-Pjmh", "-f", str(ROOT / "java/pom.xml")]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([*maven, "test-compile"], check=True)
        listing = folder / "classpath"
        goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
        subprocess.run([*maven, goal, "-DincludeScope=test", f"-Dmdep.outputFile={listing}"], check=True)
        classes = [ROOT / "java/target/classes", ROOT / "java/target/test-classes"]
        classpath = ":".join([*map(str, classes), listing.read_text().strip()])
        cells = drawn()
        before = cupel(cells, toolchain, folder)
        theirs = [jmh(cell, java, classpath, folder) for cell in cells]
        after = cupel(cells, toolchain, folder) if "twice" in sys.argv else before
    print(f"{'contender':<18}{'operation':<18}{'size':>6}{'Cupel ns':>11}{'again':>11}{'JMH ns':>11}{'forks':>20}{'apart':>8}{'B a call, both':>16}")
    apart = []
    for cell, (median, least, most, allocated) in zip(cells, theirs):
        key = (cell[3], cell[4], cell[5], cell[6])
        ours = [run[key]["ns_median"] for run in [before, after]]
        if None in ours:
            print(f"{cell[3]:<18}{cell[4]:<18}{cell[6]:>6} {before[key]['verdict']}: {before[key]['reason']}")
            continue
        apart.append(abs(statistics.mean(ours) / median - 1))
        print(
            f"{cell[3]:<18}{cell[4] + ' ' + cell[5][:4]:<18}{cell[6]:>6}{ours[0]:>11.1f}{ours[1]:>11.1f}{median:>11.1f}"
            f"{least:>10.1f}..{most:<8.1f}{statistics.mean(ours) / median - 1:>+8.1%}"
            f"{before[key]['allocated_per_call']:>8.0f}{allocated:>8.0f}"
        )
    drift = [abs(before[k]["ns_median"] / after[k]["ns_median"] - 1) for k in before if before[k]["ns_median"] and after[k]["ns_median"]]
    print(f"{len(apart)} cells: median difference {statistics.median(apart):.1%}, largest {max(apart):.1%}")
    if after is not before:
        print(f"Cupel's two runs: median difference {statistics.median(drift):.1%}, largest {max(drift):.1%}")
    return 0 if statistics.median(apart) <= 0.03 else 1


if __name__ == "__main__":
    sys.exit(main())

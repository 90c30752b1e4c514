#!/usr/bin/env python3
"""Java contenders that are known to leak, and others like them that do not, by `cupel verify --leaks`.

Usage: scripts/evidence/leaks.py [--times N] [--clean N] [--first SEED] [--together N] [--busy]
       [--minutes M]
(`make build` first; --quick tries it out)

Compiles the contenders of crates/cupel/tests/fixtures/leaks/java against the JVM runner, and asks
each N times, every time with other secrets. Every leak must be found, and none of the others may be
said to leak. With --together, this many questions are asked at a time, each on one processor: each is
the neighbour of the others. With --busy, another program computes on every processor meanwhile.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNNER = ROOT / "runners/jvm/target"
SOURCE = ROOT / "crates/cupel/tests/fixtures/leaks/java/Planted.java"
CUPEL = pathlib.Path(os.environ.get("CUPEL", ROOT / "target/release/cupel"))
# Name of the leak, of the one that does the same work without, primitive, operation, size.
PAIRS = [
    ("compares", "compares-all", "hmac-sha256", "mac", 64),
    ("table-aes", "computed-aes", "aes-cmac", "mac", 16),
    ("branches", "selects", "hmac-sha256", "mac", 64),
    ("divides", "multiplies", "hmac-sha256", "mac", 64),
    ("opens-early", "opens-whole", "aes-256-gcm", "open", 16),
]


def home_in(home: pathlib.Path) -> None:
    """A home with the planted contenders."""
    path = f"{RUNNER}/cupel-runner-jvm-0.1.0.jar:{RUNNER}/lib/*"
    subprocess.run(["javac", "-cp", path, "-d", home / "classes", SOURCE], check=True)
    options = tomllib.loads((ROOT / "contenders/jvm.toml").read_text())["options"]
    command = ["java", *options, "-cp", f"{home}/classes:{path}", "dev.cupel.runner.Planted"]
    family = f'runner = "program"\nprefix = "java"\ncommand = {json.dumps(command)}\n'
    for leak, clean, primitive, operation, _ in PAIRS:
        offers = [f"{primitive}:{one}" for one in (["seal"] if operation == "open" else []) + [operation]]
        for name in [leak, clean]:
            family += f'\n[[contender]]\nname = "{name}"\nlibrary = "planted"\noffers = {json.dumps(offers)}\n'
    (home / "contenders").mkdir()
    (home / "contenders/planted.toml").write_text(family)
    for name in ["runners", "crates", "protocol"]:
        (home / name).symlink_to(ROOT / name)


def ask(
    home: pathlib.Path, name: str, primitive: str, operation: str, size: int, seed: int, cpu: int | None
) -> str:
    """The verdict, on this processor only if one is given. Prints how many seconds it took."""
    command = [CUPEL, "verify", "--leaks", primitive, operation, str(size), f"java/{name}"]
    command += ["--seed", str(seed), "--format", "json"]
    if cpu is not None:
        command = ["taskset", "--cpu-list", str(cpu), *command]
    env = {**os.environ, "CUPEL_HOME": str(home), "CUPEL_STORE": str(home / "store.sqlite")}
    began = time.monotonic()
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    seconds = time.monotonic() - began
    verdict = f"error: {done.stderr[-300:]}"
    if done.stdout:
        line = json.loads(done.stdout)["leaks"][0]
        verdict = line["verdict"] + (f" ({line['reason']})" if line["reason"] else "")
    print(f"{name} seed {seed}: {verdict}, {seconds:.0f} s", flush=True)
    return verdict


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--clean", type=int, default=50)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--together", type=int, default=1)
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    times, cleans = (1, 1) if options.quick else (options.times, options.clean)
    until = time.monotonic() + 60 * options.minutes
    verdicts = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        home_in(home)
        spin = [sys.executable, "-c", "while True: pass"]
        busy = [subprocess.Popen(spin) for _ in range(os.cpu_count() if options.busy else 0)]
        try:
            questions = queue.SimpleQueue()
            for turn in range(max(times, cleans)):
                for leak, clean, *work in PAIRS:
                    for name, most in [(leak, times), (clean, cleans)]:
                        if turn < most:
                            questions.put((name, *work, options.first + turn))
            cpus = range(options.together) if options.together > 1 else [None]

            def answer(cpu: int | None) -> None:
                while not questions.empty() and time.monotonic() < until:
                    question = questions.get()
                    verdicts[question[0]].append(ask(home, *question, cpu))

            with concurrent.futures.ThreadPoolExecutor(len(cpus)) as pool:
                list(pool.map(answer, cpus))
        finally:
            for one in busy:
                one.kill()
    is_wrong = False
    for leak, clean, *_ in PAIRS:
        found = sum(verdict == "leaks" for verdict in verdicts[leak])
        false = sum(verdict == "leaks" for verdict in verdicts[clean])
        none = sum(verdict.startswith("none above") for verdict in verdicts[clean])
        print(
            f"{leak}: found {found} of {len(verdicts[leak])}; {clean}: {false} of "
            f"{len(verdicts[clean])} said to leak, {none} none above a bound"
        )
        is_wrong |= false > 0 or found < 0.95 * len(verdicts[leak])
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())

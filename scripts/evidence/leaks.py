#!/usr/bin/env python3
"""Contenders in Java, Python, Node.js and Go that are known to leak, and others like them that do not,
by `cupel verify --leaks`.

Usage: scripts/evidence/leaks.py [--times N] [--clean N] [--first SEED] [--together N] [--busy]
       [--minutes M] [--in LANGUAGE]
(`make build` first; --quick tries it out)

Puts the contenders of crates/questions/leaks/tests/fixtures/leaks/ into the runners of these languages, and asks
each N times, every time with other secrets. Every leak must be found, and none of the others may be
said to leak. What another thread or process does must be found, or said to be undecidable.
With --together, this many questions are asked at a time, each on one processor: each is
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
SOURCES = ROOT / "crates/questions/leaks/tests/fixtures/leaks"
CUPEL = pathlib.Path(os.environ.get("CUPEL", ROOT / "target/release/cupel"))
# Language, name of the leak, of the one that does the same work without, primitive, operation,
# size.
MAC = ("hmac-sha256", "mac", 64)
PAIRS = [
    ("java", "compares", "compares-all", *MAC),
    ("java", "table-aes", "computed-aes", "aes-cmac", "mac", 16),
    ("java", "branches", "selects", *MAC),
    ("java", "divides", "multiplies", *MAC),
    ("java", "opens-early", "opens-whole", "aes-256-gcm", "open", 16),
    ("python", "compares", "compares-all", *MAC),
    ("python", "looks-up", "computes", *MAC),
    ("python", "in-a-thread", None, *MAC),
    ("python", "in-a-child", None, *MAC),
    ("node", "compares", "compares-all", *MAC),
    ("node", "branches", "selects", *MAC),
    ("go", "compares", "compares-all", *MAC),
    ("go", "branches", "selects", *MAC),
    ("go", "in-a-goroutine", None, *MAC),
]
UNDECIDED = "cannot be decided here"


def command_of(language: str, home: pathlib.Path) -> list[str]:
    """What starts the runner of a language with the planted contenders, once it is built."""
    runner = ROOT / "runners" / language
    if language == "python":
        return ["python3", str(SOURCES / "python/planted.py"), str(runner)]
    if language == "node":
        return ["node", str(SOURCES / "node/planted.mjs"), str(runner / "target")]
    if language == "go":
        replaced = {str(runner / "contenders.go"): str(SOURCES / "go/planted.go")}
        (home / "overlay.json").write_text(json.dumps({"Replace": replaced}))
        build = ["go", "build", "-overlay", home / "overlay.json", "-o", home / "planted-go", "."]
        subprocess.run(build, cwd=runner, check=True)
        return [str(home / "planted-go")]
    path = f"{RUNNER}/cupel-runner-jvm-0.1.0.jar:{RUNNER}/lib/*"
    source = SOURCES / "java/Planted.java"
    subprocess.run(["javac", "-cp", path, "-d", home / "classes", source], check=True)
    options = tomllib.loads((ROOT / "contenders/jvm.toml").read_text())["options"]
    return ["java", *options, "-cp", f"{home}/classes:{path}", "dev.cupel.runner.Planted"]


def home_in(home: pathlib.Path, pairs: list[tuple]) -> None:
    """A home with the planted contenders."""
    (home / "contenders").mkdir()
    for language in {pair[0] for pair in pairs}:
        command = json.dumps(command_of(language, home))
        family = f'runner = "program"\nprefix = "{language}"\ncommand = {command}\n'
        for of, leak, clean, primitive, operation, _ in pairs:
            offers = [f"{primitive}:{one}" for one in (["seal"] if operation == "open" else []) + [operation]]
            for name in [leak, clean] if of == language else []:
                if name:
                    family += f'\n[[contender]]\nname = "{name}"\nlibrary = "planted"\noffers = {json.dumps(offers)}\n'
        (home / f"contenders/{language}.toml").write_text(family)
    for name in ["runners", "crates", "protocol"]:
        (home / name).symlink_to(ROOT / name)


def ask(
    home: pathlib.Path, name: str, primitive: str, operation: str, size: int, seed: int, cpu: int | None
) -> tuple[str, set[str]]:
    """The verdict, on this processor only if one is given, and what was told apart from the usual
    secret. Prints how many seconds it took."""
    command = [CUPEL, "verify", "--leaks", primitive, operation, str(size), name]
    command += ["--seed", str(seed), "--format", "json"]
    if cpu is not None:
        command = ["taskset", "--cpu-list", str(cpu), *command]
    env = {**os.environ, "CUPEL_HOME": str(home), "CUPEL_STORE": str(home / "store.sqlite")}
    began = time.monotonic()
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    seconds = time.monotonic() - began
    verdict, apart = f"error: {done.stderr[-300:]}", set()
    if done.stdout:
        line = json.loads(done.stdout)["leaks"][0]
        verdict = line["verdict"] + (f" ({line['reason']})" if line["reason"] else "")
        if verdict == "leaks":
            times = line["times"]["differences"]
            apart = {one["apart"][1] for one in times if one["repeated"] and not inside(one)}
    print(f"{name} seed {seed}: {verdict}, {seconds:.0f} s, {sorted(apart)}", flush=True)
    return verdict, apart


def inside(difference: dict) -> bool:
    """Whether zero is possible."""
    low, high = difference["interval"]
    return low <= 0 <= high


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--clean", type=int, default=50)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--together", type=int, default=1)
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--in", dest="language", default="", help="only contenders in this language")
    options = parser.parse_args()
    pairs = [pair for pair in PAIRS if options.language in ("", pair[0])]
    times, cleans = (1, 1) if options.quick else (options.times, options.clean)
    until = time.monotonic() + 60 * options.minutes
    verdicts = collections.defaultdict(list)
    told_apart = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        home_in(home, pairs)
        spin = [sys.executable, "-c", "while True: pass"]
        busy = [subprocess.Popen(spin) for _ in range(os.cpu_count() if options.busy else 0)]
        try:
            questions = queue.SimpleQueue()
            for turn in range(max(times, cleans)):
                for language, leak, clean, *work in pairs:
                    for name, most in [(leak, times), (clean, cleans)]:
                        if name and turn < most:
                            questions.put((f"{language}/{name}", *work, options.first + turn))
            cpus = range(options.together) if options.together > 1 else [None]

            def answer(cpu: int | None) -> None:
                while not questions.empty() and time.monotonic() < until:
                    question = questions.get()
                    verdict, apart = ask(home, *question, cpu)
                    verdicts[question[0]].append(verdict)
                    told_apart[question[0]].update(a for a in apart if a.startswith("forged"))

            with concurrent.futures.ThreadPoolExecutor(len(cpus)) as pool:
                list(pool.map(answer, cpus))
        finally:
            for one in busy:
                one.kill()
    is_wrong = False
    for language, leak, clean, *_ in pairs:
        leak, clean = f"{language}/{leak}", clean and f"{language}/{clean}"
        if clean is None:
            said = collections.Counter(verdict.split(" (")[0] for verdict in verdicts[leak])
            print(f"{leak}: {dict(said)}")
            is_wrong |= any(not one.startswith(("leaks", UNDECIDED)) for one in verdicts[leak])
            continue
        found = sum(verdict == "leaks" for verdict in verdicts[leak])
        false = sum(verdict == "leaks" for verdict in verdicts[clean])
        none = sum(verdict.startswith("none above") for verdict in verdicts[clean])
        print(
            f"{leak}: found {found} of {len(verdicts[leak])}; {clean}: {false} of "
            f"{len(verdicts[clean])} said to leak, {none} none above a bound"
        )
        for forged, count in sorted(told_apart[leak].items()):
            print(f"  {leak}: {forged} told apart from byte 0 in {count}")
        is_wrong |= false > 0 or found < 0.95 * len(verdicts[leak])
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())

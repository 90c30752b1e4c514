#!/usr/bin/env python3
"""Contenders of known truth, half of which leak, by `cupel verify --leaks`.

Usage: scripts/evidence/leak_truth.py [--times N] [--first SEED] [--timed [--together N]] [--only PART]
(`make build` first; --quick tries it out)

Asks about each contender of known.c in crates/questions/leaks/tests/fixtures/leaks/, and of the runners in own/
next to it, as users write them in Java, Go, Node.js and Python, N times, every time with other secrets.
None of the clean ones may be said to leak. Of those that leak, all must be found, or said to be
undecidable; none may be `none seen`. What another thread or process does must be found or undecidable.
Those that can only be timed need 30 s or more each, as most in these languages do. With --timed, the
script asks only about these, one in each question, and with --together about N at a time, each on
its own processor.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "crates/questions/leaks/tests/fixtures/leaks"
SOURCE = SOURCES / "known.c"
# By language: a user's runner, and the command that starts it.
OWN = {
    "java": ("Known.java", ["java", "{own}/Known.java"]),
    "go": ("known.go", ["{home}/known-go"]),
    "node": ("known.mjs", ["node", "{own}/known.mjs"]),
    "node-quiet": ("known.mjs", ["env", "NOJIT=1", "node", "{own}/known.mjs"]),
    "python": ("known.py", ["python3", "{own}/known.py"]),
}
CUPEL = pathlib.Path(os.environ.get("CUPEL", ROOT / "target/release/cupel"))
QUESTIONS = {"MAC": ["hmac-sha256", "64"], "SEAL": ["--contract", "ad=20", "aes-256-gcm", "seal", "64"]}
QUESTIONS["OPEN"] = ["aes-256-gcm", "open", "64"]


def known() -> list[tuple[str, str, str]]:
    """The name, what must be said, and the question, of each contender. A name without a language is C's."""
    table = SOURCE.read_text().split("static const known all[]")[1].split("};")[0]
    all = []
    for name, says in re.findall(r'BOTH\(\w+, "([\w-]+)", (\w+)\)', table):
        all += [(f"leaks-{name}", says, "MAC"), (f"clean-{name}", "NONE", "MAC")]
    all += re.findall(r'\{"([\w-]+)", (\w+), (\w+),', table)
    return all + [(f"{language}/{name}", "TIMED", "MAC") for language in OWN for name in hosted(language)]


def hosted(language: str) -> list[str]:
    """The contenders of a language's runner."""
    text = (SOURCES / "own" / OWN[language][0]).read_text()
    return list(dict.fromkeys(re.findall(r"""["']((?:leaks|clean)-[\w-]+)["']""", text)))


def title(name: str) -> str:
    """A contender's name without its language."""
    return name.split("/")[-1]


def home_in(home: pathlib.Path, languages: set[str]) -> None:
    """A home with the contenders in C and in these languages."""
    for name in ["crates", "kernels", "protocol", "runners", "vectors"]:
        (home / name).symlink_to(ROOT / name)
    (home / "known.c").write_text(SOURCE.read_text())
    (home / "contenders").mkdir()
    family = 'runner = "native"\nprefix = "c"\nsource = "known.c"\n'
    (home / "contenders/known.toml").write_text(family)
    for language in languages:
        _, command = OWN[language]
        if language == "go":
            subprocess.run(["go", "build", "-o", home / "known-go", SOURCES / "own/known.go"], check=True)
        command = [word.format(home=home, own=SOURCES / "own") for word in command]
        family = f'runner = "program"\nprefix = "{language}"\ncommand = {json.dumps(command)}\n'
        for name in hosted(language):
            family += f'\n[[contender]]\nname = "{name}"\nlibrary = "known"\noffers = ["hmac-sha256:mac"]\n'
        (home / f"contenders/{language}.toml").write_text(family)


def ask(home: pathlib.Path, question: list[str], names: list[str], seed: int, cpu: int | None = None) -> list[dict]:
    """What is said of some contenders, on this processor only if one is given."""
    command = [CUPEL, "verify", "--leaks", *question, *(name if "/" in name else f"c/{name}" for name in names)]
    command += ["--seed", str(seed), "--patience", "20m", "--format", "json"]
    if cpu is not None:
        command = ["taskset", "--cpu-list", str(cpu), *command]
    env = {**os.environ, "CUPEL_HOME": str(home), "CUPEL_STORE": str(home / "store.sqlite")}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if not done.stdout:
        return [{"contender": name, "verdict": "error", "reason": done.stderr[-300:]} for name in names]
    return json.loads(done.stdout)["leaks"]


def noted(verdicts: dict, lines: list[dict], seed: int) -> None:
    """Counts these answers, and prints them."""
    for line in lines:
        name, verdict = line["contender"].removeprefix("c/"), line["verdict"]
        verdict = "none above" if verdict.startswith("none above") else verdict
        verdicts[name][verdict] += 1
        print(f"{name} seed {seed}: {verdict} ({line['reason'] or ''})", flush=True)


def ask_each(home: pathlib.Path, names: list[str], seed: int, together: int, verdicts: dict) -> None:
    """Asks about each of these alone, and about `together` at a time, each on its own processor."""
    left = queue.SimpleQueue()
    for name in names:
        left.put(name)

    def answer(cpu: int | None) -> None:
        while True:
            try:
                name = left.get_nowait()
            except queue.Empty:
                return
            noted(verdicts, ask(home, QUESTIONS["MAC"], [name], seed, cpu), seed)

    cpus = range(together) if together > 1 else [None]
    with concurrent.futures.ThreadPoolExecutor(len(cpus)) as pool:
        list(pool.map(answer, cpus))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--timed", action="store_true")
    parser.add_argument("--together", type=int, default=1)
    parser.add_argument("--only", default="", help="contenders whose names contain this")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    all = [one for one in known() if options.timed == (one[1] in ("TIMED", "SLOWER"))]
    all = [one for one in all if options.only in one[0]]
    if options.quick:
        all = all[:6]
    verdicts = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        home_in(home, {name.split("/")[0] for name, _, _ in all if "/" in name})
        for seed in range(options.first, options.first + (1 if options.quick else options.times)):
            if options.timed:
                ask_each(home, [name for name, _, _ in all], seed, options.together, verdicts)
                continue
            for kind, question in QUESTIONS.items():
                names = [name for name, _, of in all if of == kind]
                if names:
                    noted(verdicts, ask(home, question, names, seed), seed)
    sums = {"leaks": collections.Counter(), "clean": collections.Counter()}
    for name, of in verdicts.items():
        sums[title(name)[:5]] += of
    for kind, of in sums.items():
        said = ", ".join(f"{verdict} {count}" for verdict, count in of.most_common())
        print(f"{kind}: {sum(title(name)[:5] == kind for name in verdicts)} contenders; {said}")
    missed = [n for n, of in verdicts.items() if title(n)[:5] == "leaks" and of["none seen"]]
    above = [n for n, of in verdicts.items() if title(n)[:5] == "leaks" and of["none above"]]
    false = [n for n, of in verdicts.items() if title(n)[:5] == "clean" and of["leaks"]]
    # These take longer by far, or leave the work to others.
    far = {name for name, says, _ in all if says == "SLOWER" or "-in-a-" in name}
    for what, names in [("none seen, and leaks", missed), ("none above, and leaks", above), ("clean, and said to leak", false)]:
        print(f"{what}: {', '.join(names) or 'none'}")
    errors = [name for name, of in verdicts.items() if of["error"]]
    print(f"without an answer: {', '.join(errors) or 'none'}")
    return 1 if missed or false or errors or far & set(above) else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Contenders of known truth in C, half of which leak, by `cupel verify --leaks`.

Usage: scripts/evidence/leak_truth.py [--times N] [--first SEED] [--timed] [--only PART]
(`make build` first; --quick tries it out)

Asks about each contender of crates/questions/leaks/tests/fixtures/leaks/known.c N times, every time with other
secrets. None of the clean ones may be said to leak. Of those that leak, all must be found, or said to
be undecidable; none may be `none seen`. Those that can only be timed need 30 s or more each, and are
asked about with --timed.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "crates/questions/leaks/tests/fixtures/leaks/known.c"
CUPEL = pathlib.Path(os.environ.get("CUPEL", ROOT / "target/release/cupel"))
QUESTIONS = {"MAC": ["hmac-sha256", "64"], "SEAL": ["--contract", "ad=20", "aes-256-gcm", "seal", "64"]}
QUESTIONS["OPEN"] = ["aes-256-gcm", "open", "64"]


def known() -> list[tuple[str, str, str]]:
    """The name, what must be said, and the question, of each contender."""
    table = SOURCE.read_text().split("static const known all[]")[1].split("};")[0]
    all = []
    for name, says in re.findall(r'BOTH\(\w+, "([\w-]+)", (\w+|"")\)', table):
        all += [(f"leaks-{name}", says, "MAC"), (f"clean-{name}", "NONE", "MAC")]
    return all + re.findall(r'\{"([\w-]+)", (\w+), (\w+),', table)


def home_in(home: pathlib.Path) -> None:
    """A home with these contenders."""
    for name in ["crates", "kernels", "protocol", "runners", "vectors"]:
        (home / name).symlink_to(ROOT / name)
    (home / "known.c").write_text(SOURCE.read_text())
    (home / "contenders").mkdir()
    family = 'runner = "native"\nprefix = "c"\nsource = "known.c"\n'
    (home / "contenders/known.toml").write_text(family)


def ask(home: pathlib.Path, question: list[str], names: list[str], seed: int) -> list[dict]:
    """What is said of some contenders."""
    command = [CUPEL, "verify", "--leaks", *question, *(f"c/{name}" for name in names)]
    command += ["--seed", str(seed), "--patience", "20m", "--format", "json"]
    env = {**os.environ, "CUPEL_HOME": str(home), "CUPEL_STORE": str(home / "store.sqlite")}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if not done.stdout:
        sys.exit(done.stderr[-1000:])
    return json.loads(done.stdout)["leaks"]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--timed", action="store_true")
    parser.add_argument("--only", default="", help="contenders whose names contain this")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    all = [one for one in known() if options.timed or one[1] != "TIMED"]
    all = [one for one in all if options.only in one[0]]
    if options.quick:
        all = all[:6]
    verdicts = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        home_in(home)
        for seed in range(options.first, options.first + (1 if options.quick else options.times)):
            for kind, question in QUESTIONS.items():
                names = [name for name, _, of in all if of == kind]
                for line in ask(home, question, names, seed) if names else []:
                    name, verdict = line["contender"].removeprefix("c/"), line["verdict"]
                    verdict = "none above" if verdict.startswith("none above") else verdict
                    verdicts[name][verdict] += 1
                    print(f"{name} seed {seed}: {verdict} ({line['reason'] or ''})", flush=True)
    sums = {"leaks": collections.Counter(), "clean": collections.Counter()}
    for name, of in verdicts.items():
        sums[name[:5]] += of
    for kind, of in sums.items():
        said = ", ".join(f"{verdict} {count}" for verdict, count in of.most_common())
        print(f"{kind}: {sum(name[:5] == kind for name in verdicts)} contenders; {said}")
    missed = [n for n, of in verdicts.items() if n[:5] == "leaks" and of["none seen"]]
    above = [n for n, of in verdicts.items() if n[:5] == "leaks" and of["none above"]]
    false = [n for n, of in verdicts.items() if n[:5] == "clean" and of["leaks"]]
    for what, names in [("none seen, and leaks", missed), ("none above, and leaks", above), ("clean, and said to leak", false)]:
        print(f"{what}: {', '.join(names) or 'none'}")
    return 1 if missed or false else 0


if __name__ == "__main__":
    sys.exit(main())

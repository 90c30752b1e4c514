#!/usr/bin/env python3
"""Who leads, for each primitive and size, on this machine? And what does a reader miss who lacks the
leader?

Asks Cupel each question below about all contenders whose code is compiled before it runs, and keeps
the answers in record/. Each leader that is certainly ahead of every other library by 5 % or more goes
into crates/core/analyse/src/leaders.toml, with the extensions of the instruction set that the
machine has. Where such a contender is missing, an answer on a machine with the same ones names it.
A newer release that is certainly over 1.2 times as fast as the usual one goes there as well.

Run `make build` first, `cupel install` the releases to compare, and leave the machine alone.

Examples:
  scripts/evidence/leaders.py --quick    one question of 5 s
  scripts/evidence/leaders.py --save     all of them, some 40 minutes
  scripts/evidence/leaders.py --draw     only writes the table again, from record/
  scripts/evidence/leaders.py --check    fails if the table is not what record/ says
"""

import json
import lzma
import os
import re
import subprocess
import sys

import rig

TABLE = rig.ROOT / "crates/core/analyse/src/leaders.toml"
SIZES = "16,64,256,1K,4K,16K"
# At this size a fork of all contenders takes so long that few fit. So those that are near at the largest
# of SIZES get SCREENING forks, and those that are near then get all.
LARGE = "1M"
SCREENING = 3
# Near is who takes at most this many times as long as the second.
NEAR = {"before": 1.5, "after": 1.15}
QUESTIONS = [
    ["aes-256-gcm", "seal"], ["aes-256-gcm", "open"], ["aes-128-gcm", "seal"], ["aes-128-gcm", "open"],
    ["chacha20-poly1305", "seal"], ["chacha20-poly1305", "open"],
    ["sha256"], ["sha512"], ["sha3-256"], ["blake3"], ["hmac-sha256"], ["aes-cmac"], ["siphash-2-4"],
]
# Families in C and Rust. The families after the first two are measured only if they are named.
FAMILIES = ["c", "rust", "rust-asm", "rust-new", "rust-wide"]
# The newer releases, of those that are installed.
RELEASES = ["c/openssl-reused@*", "c/libsodium@*", "c/botan@*", "c/wolfssl@*"]
BUDGET_OF_RELEASES = 20
BUDGET_OF_SCREENING = 25
BUDGET_OF_LARGE = 45
# A leader by less is none that a reader would miss.
AHEAD = 1.05
# A newer release by less is not worth a word.
NEWER = 1.2
# The features by which code chooses its path: machines with equal ones have one class.
FLAGS = ["aes", "avx2", "sha_ni", "avx512f", "vaes", "vpclmulqdq"]


def main():
    parser = rig.parser(__doc__, "one question of 5 s", TABLE)
    parser.add_argument("--budget", type=rig.seconds, default=80, metavar="S", help="until the answer to a question (default: 80)")
    parser.add_argument("--draw", action="store_true", help="write the table from record/, and measure nothing")
    parser.add_argument("--check", action="store_true", help="compare the table with record/")
    asked = parser.parse_args()
    if asked.check:
        return 0 if TABLE.read_text() == table() else f"{TABLE.relative_to(rig.ROOT)} is not what record/ says: run --draw"
    if not asked.draw:
        measure(asked)
    if asked.draw or asked.save:
        TABLE.write_text(table())
    return 0


def measure(asked):
    rig.require_cupel()
    result = rig.stamp() | {"questions": []}
    questions, budget = (QUESTIONS[:1], 5) if asked.quick else (QUESTIONS, asked.budget)
    for words in questions:
        usual = [f"{family}/*" for family in FAMILIES if offers(f"{family}/*", words)]
        document = ask(words, usual, budget)
        result["flags"] = [flag for flag in FLAGS if flag in document["machine"]["flags"].get("known", [])]
        few = near(document, NEAR["before"])
        screened = ask(words, few, min(budget, BUDGET_OF_SCREENING), LARGE, SCREENING)
        large = ask(words, near(screened, NEAR["after"]), min(budget, BUDGET_OF_LARGE), LARGE)
        result["questions"] += leads(document) + leads(large)
        result["questions"] += releases_of(words, min(budget, BUDGET_OF_RELEASES))
        # One file for each kind of processor.
        rig.keep("leaders-" + re.sub("[^a-z0-9]+", "-", cpu(result["machine"]).lower()).strip("-"), result, asked.save)
        answers = document["answers"] + large["answers"]
        rig.say(f"{' '.join(words)}: " + "; ".join(answer["answer"] for answer in answers))


def releases_of(words, budget):
    """How much newer releases are ahead. Another question, so that each leader is a usual contender."""
    installed = [pattern for pattern in RELEASES if offers(pattern, words)]
    usual = [pattern.removesuffix("@*") for pattern in installed]
    return releases(ask(words, [*usual, *installed], budget)) if installed else []


def near(document, most):
    """Who takes at most `most` times as long as the second at the largest size, or is not known yet."""
    largest = max(cell["size"] for cell in document["cells"])
    cells = [cell for cell in document["cells"] if cell["size"] == largest]
    taken = {cell["contender"]: times(cell)[0] for cell in cells if cell["ns_median"]}
    fastest_first = sorted(taken, key=taken.get)
    unknown = [cell["contender"] for cell in cells if cell["contender"] not in taken]
    if len(fastest_first) < 2:
        return fastest_first + unknown
    return [name for name in fastest_first if taken[name] <= most * taken[fastest_first[1]]] + unknown


def ask(words, patterns, budget, sizes=SIZES, forks=None):
    env = {**os.environ, "CUPEL_HOME": str(rig.ROOT)}
    command = [rig.CUPEL, "--quiet", "ask", *words, sizes, *patterns, "--budget", f"{budget:.0f}s", "--format", "json"]
    command += ["--forks", str(forks)] if forks else []
    done = subprocess.run(command, stdout=subprocess.PIPE, env=env, text=True, check=False)
    if not done.stdout:
        sys.exit(f"{' '.join(command)}: status {done.returncode}")
    return json.loads(done.stdout)


def offers(pattern, words):
    """Whether a contender offers a question's primitive, and its operation if that is named."""
    env = {**os.environ, "CUPEL_HOME": str(rig.ROOT)}
    command = [rig.CUPEL, "list", pattern, "--format", "json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, env=env, text=True, check=False)
    if done.returncode and "@" not in pattern:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}")
    # No release may be installed.
    listed = json.loads(done.stdout or "[]")
    all_offers = [[offer["primitive"], offer["operation"]] for one in listed for offer in one["offers"]]
    return any(offer[: len(words)] == words for offer in all_offers)


def leads(document):
    """For each comparison, who led, and how many times as long the next library took."""
    library = {one["name"]: one["library"] for one in document["contenders"]}
    found = []
    for finding in document["findings"]:
        if finding["kind"] not in ("fastest", "tie", "open"):
            continue
        named = [finding["contender"]] if finding["kind"] == "fastest" else finding["contenders"]
        own = library.get(named[0]["name"])
        others = [one for one in finding["others"] if library.get(one["contender"]["name"]) != own]
        if not others or any(library.get(one["name"]) != own for one in named):
            continue
        nearest = min(others, key=lambda one: one["low"] or 0.0)
        work = finding["work"]
        found.append({
            "contender": named[0]["name"], "version": named[0]["version"], "primitive": work["primitive"],
            "operation": work["operation"], "contract": work["contract"], "shape": work["shape"], "size": work["size"],
            "times": round(nearest["times"], 2), "low": nearest["low"] or 0.0, "next": nearest["contender"]["name"],
        })
    return found


def releases(document):
    """How many times as long the usual release of a library took as each of the newer ones."""
    cells = [cell for cell in document["cells"] if cell["ns_median"]]
    same = ("primitive", "operation", "contract", "shape", "size")
    found = []
    for newer in cells:
        name, _, release = newer["contender"].partition("@")
        usual = [c for c in cells if c["contender"] == name and all(c[key] == newer[key] for key in same)]
        if not release or not usual or numbers(usual[0]["version"]) >= numbers(newer["version"]):
            continue
        (old, _, old_low), (new, new_high, _) = times(usual[0]), times(newer)
        found.append({
            "contender": newer["contender"], "version": newer["version"], **{key: newer[key] for key in same},
            "times": round(old / new, 2), "low": old_low / new_high, "next": name, "older": usual[0]["version"],
        })
    return found


def times(cell):
    """A cell's time, in times of the baseline's: typical, at most, and at least."""
    if cell["contender"] == cell["baseline"]:
        return 1.0, 1.0, 1.0
    known = [cell[key] for key in ("ratio", "ratio_high", "ratio_low")]
    return known if all(known) else (1.0, float("inf"), 0.0)


def numbers(version):
    return [int(number) for number in re.findall("[0-9]+", version)]


def cpu(machine):
    """A machine without the number of its processors and its system."""
    return machine.rpartition(", ")[0].rpartition(", ")[0]


def table():
    """The leaders of all machines in record/, the newest run of each machine."""
    newest = {}
    for file in sorted(rig.RECORD.glob("????-??-??-leaders-*.json.xz")):
        result = json.loads(lzma.decompress(file.read_bytes()))
        newest[result["machine"]] = result
    lines = ["# Who led, by scripts/evidence/leaders.py from the runs in record/: do not edit."]
    lines += ["", f"classes_differ_in = {json.dumps(FLAGS)}"]
    rows = []
    for machine, result in sorted(newest.items()):
        for one in result["questions"]:
            if one["low"] >= (NEWER if "older" in one else AHEAD):
                keys = ("contender", "primitive", "operation", "contract", "shape", "size", "times", "next", "older")
                fields = {key: one[key] for key in keys if key in one}
                fields |= {"flags": result["flags"], "machine": cpu(machine), "day": result["started"][:10]}
                rows.append("\n".join(["", "[[leader]]", *(f"{key} = {json.dumps(value)}" for key, value in fields.items())]))
    return "\n".join(lines + (rows or ["leader = []"])) + "\n"


if __name__ == "__main__":
    sys.exit(main())

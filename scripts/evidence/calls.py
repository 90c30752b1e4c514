#!/usr/bin/env python3
"""Which system calls do the contenders of each kind of runner make, and what does the filter of a
confined runner do with them? Traces every process of `cupel verify` by strace.

Usage: scripts/evidence/calls.py [CUPEL [PATTERN...]]     (default target/release/cupel, all kinds)

Prints a table in Markdown: the calls that the filter looks at, or refuses, with the
runners that make them and the answers they got, and then the names of all others.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "crates/support/machine/src/calls.tsv"
KINDS = ["c/*", "rust/*", "jvm/*", "go/*", "node/*", "python/*"]
# `name(arguments) = result`; a call that another thread interrupts has two lines.
CALL = re.compile(r"^(?:<\.\.\. )?(\w+)(?:\(| resumed>)(.*)$")
RESULT = re.compile(r"= (-?\d+|0x[0-9a-f]+)(?: (E\w+))?")
STARTS = {"clone", "clone3", "fork", "vfork"}


def lines_of(file: pathlib.Path):
    """The calls of a thread: name, arguments, result, error."""
    for line in file.read_text(errors="replace").splitlines():
        call = CALL.match(line)
        if call and "unfinished" not in line:
            found = RESULT.search(call[2].rsplit(")", 1)[-1]) or RESULT.search(call[2])
            yield call[1], call[2], found[1] if found else "?", found[2] if found else None


def calls_of(folder: pathlib.Path) -> collections.Counter:
    """The calls, with their errors, of all threads that a filter was set for."""
    files = {file.suffix[1:]: list(lines_of(file)) for file in folder.iterdir()}
    seen, counted = collections.Counter(), set()
    waiting = []
    for thread, calls in files.items():
        names = [name for name, *_ in calls]
        if any(n == "seccomp" and "SET_MODE_FILTER" in a for n, a, *_ in calls) and "execve" in names:
            waiting.append((thread, len(names) - names[::-1].index("seccomp")))
    while waiting:
        thread, begin = waiting.pop()
        if thread in counted:
            continue
        counted.add(thread)
        for name, _, result, error in files.get(thread, [])[begin:]:
            seen[name, error if error in ("EPERM", "ENOSYS", "EOPNOTSUPP") else None] += 1
            if name in STARTS and result.isdigit():
                waiting.append((result, 0))
    return seen


def main() -> int:
    cupel = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/cupel")
    kinds = sys.argv[2:] or KINDS
    classes = {
        line.split("\t")[0]: line.split("\t")[3] for line in TABLE.read_text().splitlines()
    }
    made = collections.defaultdict(dict)
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            command = ["strace", "-ff", "-qq", "-s", "0", "-o", f"{folder}/t", cupel, "verify", kind]
            done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
            print(f"{kind}: verify ended with {done.returncode}", file=sys.stderr)
            for (name, error), count in calls_of(pathlib.Path(folder)).items():
                made[name].setdefault(kind, collections.Counter())[error] += count
    print("| call | class | made by |\n|---|---|---|")
    for name in sorted(made):
        if classes.get(name, "absent") == "free":
            continue
        by = [
            f"`{kind}`" + "".join(f" ({error})" for error in sorted(filter(None, errors)))
            for kind, errors in made[name].items()
        ]
        print(f"| `{name}` | {classes.get(name, 'not in the table')} | {', '.join(by)} |")
    free = sorted(name for name in made if classes.get(name) == "free")
    print(f"\n{len(free)} free ones: " + ", ".join(f"`{name}`" for name in free))
    return 0


if __name__ == "__main__":
    sys.exit(main())

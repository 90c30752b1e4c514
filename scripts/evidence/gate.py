#!/usr/bin/env python3
"""The regression gate on the real clock: identical builds raise no alarm, a build slower by 5 %
does.

Usage: scripts/evidence/gate.py [RUNS [BUDGET]]
    (default 20 runs of each, 12s; `make build` first)

The contender is libcrypto's SHA256(), in its own home. The slower build transforms one block
in twenty twice. Each run is `cupel gate gate --against ...` with the default margin of 2 %; its exit
status is the answer.
"""

import collections
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

SOURCE = r"""
#define OPENSSL_SUPPRESS_DEPRECATED
#include "cupel_contender.h"

#include <openssl/sha.h>
#include <stddef.h>

static const cupel_contender self = {
    .name = "mine", .library = "OpenSSL", .version = "3", .licence = "Apache-2.0",
    .summary = "SHA256()", .offers = "sha256:digest"};

int cupel_abi(void) { return CUPEL_ABI; }

const cupel_contender *cupel_describe(size_t index) { return index == 0 ? &self : NULL; }

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    (void)index;
    state->code_path = "unknown";
    if (task->chunk_count == 0)
        return CUPEL_OK;
    state->reason = "in one call only";
    return CUPEL_UNSUPPORTED;
}

int cupel_call(cupel_state *state, cupel_io *io) {
    (void)state;
#ifdef SLOWER
    SHA256_CTX again;
    SHA256_Init(&again);
    for (size_t i = 20; i <= (io->input_len + 72) / 64; i += 20)
        SHA256_Transform(&again, io->input);
    __asm__ volatile("" : : "r"(&again) : "memory");
#endif
    SHA256(io->input, io->input_len, io->output);
    io->output_len = SHA256_DIGEST_LENGTH;
    return CUPEL_OK;
}

void cupel_close(cupel_state *state) { (void)state; }
"""

SUITE = """
question = "Is this build slower than the last?"
forks = 11
budget = "{budget}"

[[workload]]
primitive = "sha256"
sizes = [10240, 20480]
contenders = ["c/mine"]
"""

FAMILY = """
runner = "native"
prefix = "c"
source = "mine.c"
cflags = ["-O2"]
pkg_config = ["libcrypto"]
"""


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    budget = sys.argv[2] if len(sys.argv) > 2 else "12s"
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        for name in ["runners", "crates", "protocol", "vectors"]:
            (home / name).symlink_to(ROOT / name)
        for name in ["contenders", "suites"]:
            (home / name).mkdir()
        (home / "mine.c").write_text(SOURCE)
        (home / "contenders/mine.toml").write_text(FAMILY)
        (home / "suites/gate.toml").write_text(SUITE.format(budget=budget))
        env = {**os.environ, "CUPEL_HOME": folder, "CUPEL_STORE": str(home / "gate.sqlite")}
        runner = ROOT / "runners/native/target/release/cupel-runner-native"
        last = home / "last.so"
        build = ["gcc", "-O2", "-shared", "-fPIC", "-I", str(ROOT / "protocol"), "mine.c", "-o", str(last)]
        subprocess.run([*build, "-lcrypto"], cwd=home, check=True)
        against = f"{runner} {last}"
        answers = {"identical": collections.Counter(), "slower": collections.Counter()}
        longest = 0.0
        for run in range(runs):
            for kind in answers:
                # The last build is always the fast one; the home's own contender is the build under
                # test.
                text = FAMILY.replace('"-O2"', '"-O2", "-DSLOWER"') if kind == "slower" else FAMILY
                (home / "contenders/mine.toml").write_text(text)
                began = time.monotonic()
                command = [ROOT / "target/release/cupel", "--quiet", "gate", "gate", "--against", against]
                done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                longest = max(longest, time.monotonic() - began)
                answers[kind][done.returncode] += 1
                if done.returncode > 2:
                    print(done.stderr)
                    return 3
            print(f"run {run + 1}: " + ", ".join(f"{kind} {dict(counts)}" for kind, counts in answers.items()), flush=True)
    alarms, caught = answers["identical"][1], answers["slower"][1]
    print(f"identical builds: {alarms} alarms in {runs} runs, {answers['identical'][2]} could not tell")
    print(f"slower by 5 %: caught in {caught} of {runs}, {answers['slower'][2]} could not tell")
    print(f"longest run: {longest:.1f} s")
    return 0 if alarms == 0 and caught >= 0.95 * runs else 1


if __name__ == "__main__":
    sys.exit(main())

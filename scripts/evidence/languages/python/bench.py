"""The calls of Cupel's contenders in Python as plain benchmarks of pyperf, and again in the loop of
Cupel's Python runner: `loop/...`. CUPEL_PYTHON_RUNNER is that runner's folder."""

import hashlib
import hmac
import itertools
import os
import sys
from time import perf_counter

import pyperf
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

runner = pyperf.Runner()
nothing, key = bytes(32), os.urandom(32)
runner.bench_func("empty", lambda message: nothing, b"")


def digest(message):
    return hashlib.sha256(message).digest()


for size in 64, 1024, 16384:
    runner.bench_func(f"python/hashlib/sha256/digest/{size}", digest, os.urandom(size))
runner.bench_func(
    "python/hashlib/hmac-sha256/mac/64",
    lambda message: hmac.digest(key, message, "sha256"),
    os.urandom(64),
)


def rusted(message):
    state = hashes.Hash(hashes.SHA256())
    state.update(message)
    return state.finalize()


runner.bench_func("python/cryptography/sha256/digest/1024", rusted, os.urandom(1024))

cipher = AESGCM(key)
numbers = itertools.count()


def sealed_nothing(message):
    next(numbers).to_bytes(12, "big")
    return nothing


runner.bench_func("empty aes-256-gcm seal", sealed_nothing, b"")
for size in 64, 1024, 16384:

    def seal(message):
        return cipher.encrypt(next(numbers).to_bytes(12, "big"), message, None)

    runner.bench_func(f"python/cryptography/aes-256-gcm/seal/{size}", seal, os.urandom(size))


def in_the_runners_loop(cell):
    """Times the runner's own loop, which also folds every output."""
    first = 0

    def timed(loops):
        nonlocal first
        outputs = cell.outputs(first, loops)
        first += loops
        began = perf_counter()
        cell.fold(outputs)
        return perf_counter() - began

    return timed


sys.path.insert(0, os.environ["CUPEL_PYTHON_RUNNER"])
from cell import Cell  # noqa: E402
from hosts import pyca, std  # noqa: E402
from server import Task  # noqa: E402

for host, name, task, sizes in (
    (std, "hashlib", Task("sha256", "digest"), (64, 1024, 16384)),
    (std, "hashlib", Task("hmac-sha256", "mac", key, key_per_call=True), (64,)),
    (pyca, "cryptography", Task("sha256", "digest"), (1024,)),
    (pyca, "cryptography", Task("aes-256-gcm", "seal", key), (64, 1024, 16384)),
):
    for size in sizes:
        pool = min(64, max(2, 16384 // size))
        runner.bench_time_func(
            f"loop/python/{name}/{task.primitive}/{task.operation}/{size}",
            in_the_runners_loop(Cell(host, task, size, "throughput", 1000, pool, None)),
        )

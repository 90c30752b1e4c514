"""What the Python runner's loop costs in a cell that seals, in ns per call for each message size: a
call that does nothing, and the fold of an output that was just made. `empty` has no seal, and its
shorter output is cheaper to fold."""

import json
import statistics
import sys
from collections import deque
from time import perf_counter_ns

sys.path.insert(0, sys.argv[1])

from cell import Cell
from server import Task

CALLS, SLICES = 2000, 200


class Host:
    """Its seal gives an output made before, or makes a new one."""

    def __init__(self, size, fresh):
        ready, start = bytes(size + 16), bytes(size + 15)
        self.call = (lambda message, nonce: start + b"x") if fresh else (lambda message, nonce: ready)

    def prepare(self, _):
        return self.call


def median(cell, end):
    times = []
    for turn in range(SLICES):
        outputs = cell.outputs(turn * CALLS, CALLS)
        began = perf_counter_ns()
        end(cell, outputs)
        times.append((perf_counter_ns() - began) / CALLS)
    return statistics.median(times)


def fold(cell, outputs):
    cell.fold(outputs)


def drop(_, outputs):
    deque(outputs, 0)


def price(size):
    task = Task("aes-256-gcm", "seal")
    ready, fresh = (Cell(Host(size, fresh), task, size, "throughput", 1000, 2, None) for fresh in (False, True))
    return median(ready, drop) + median(fresh, fold) - median(fresh, drop)


print(json.dumps({size: price(int(size)) for size in sys.argv[2:]}))

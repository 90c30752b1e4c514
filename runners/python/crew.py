"""Slices of several threads: protocol, "Threads"."""

import threading
from queue import SimpleQueue
from time import perf_counter_ns, sleep

import noise
from cell import Run


class Hand(threading.Thread):
    """A thread in addition to the first one. It sleeps between slices."""

    def __init__(self):
        super().__init__(daemon=True)
        self.todo, self.done = SimpleQueue(), SimpleQueue()
        self.start()

    def run(self):
        while True:
            work = self.todo.get()
            self.done.put(work())


class Gate:
    """Holds threads until the first one opens it. They spin: to wake one takes longer than many a
    slice. Each look lets go of the interpreter's lock."""

    def __init__(self):
        self.arrived = []
        self.is_open = False

    def gather(self, threads):
        while len(self.arrived) < threads:
            sleep(0)

    def go_through(self):
        self.arrived.append(None)
        while not self.is_open:
            sleep(0)


class Crew:
    """The threads of the process in addition to the first one."""

    def __init__(self):
        self.hands = []

    def hire(self, needed):
        """Starts threads until there are this many."""
        while len(self.hands) < needed:
            self.hands.append(Hand())

    def numbers(self, others):
        """The system's numbers of the first thread and of this many others."""
        return [threading.get_native_id(), *(hand.native_id for hand in self.hands[:others])]

    def slice(self, cells, first, preroll, iterations, only_last):
        """Each thread makes its range of the calls with its cell. The time ends with the last."""
        together = Together(cells, first, preroll, iterations, only_last)
        hands = self.hands[: len(cells) - 1]
        collected = noise.collected_ns
        for i, hand in enumerate(hands, start=1):
            hand.todo.put(lambda i=i: together.part(i))
        parts = [together.part(0), *(hand.done.get() for hand in hands)]
        for part in parts:
            if isinstance(part, Exception):
                raise part
        return {
            "elapsed_ns": max(part.ended for part in parts) - parts[0].began,
            "fold": sum(part.run.fold() for part in parts),
            "noise": {**noise_of(parts), "gc_ns": noise.collected_ns - collected},
        }


class Part:
    """What one thread did in a slice."""

    def __init__(self, run, began, seen, awake):
        # Each thread stops its own clock between calls.
        self.run, self.began, self.ended = run, began, run.ended - run.stopped
        self.noise, self.awake = seen, awake


class Together:
    """A slice: each thread makes its range of the untimed calls, they meet, and the first one reads
    the clock and lets all of them begin at once."""

    def __init__(self, cells, first, preroll, iterations, only_last):
        self.cells, self.first, self.preroll, self.iterations = cells, first, preroll, iterations
        self.only_last = only_last
        self.warm, self.start = Gate(), Gate()

    def part(self, i):
        """What thread `i` did, or why a call of it failed. It meets the others even then: they would
        wait for it forever."""
        cell, every = self.cells[i], len(self.cells)
        failure = None
        try:
            Run(cell, *share(self.first, self.preroll, i, every), self.only_last).make().fold()
        except Exception as error:
            failure = error
        timed = Run(cell, *share(self.first + self.preroll, self.iterations, i, every), self.only_last)
        if i == 0:
            self.warm.gather(every - 1)
            self.warm.is_open = True
        else:
            self.warm.go_through()
        asleep, before = noise.slept(), noise.look()
        if i == 0:
            self.start.gather(every - 1)
            began = perf_counter_ns()
            self.start.is_open = True
        else:
            self.start.go_through()
            began = perf_counter_ns()
        try:
            if failure is None:
                timed.make()
        except Exception as error:
            failure = error
        seen = noise.between(before, noise.look(), timed.stopped)
        if failure is not None:
            return failure
        return Part(timed, began, seen, asleep is not None and noise.slept() == asleep)


def noise_of(parts):
    """Sums, and the longest time for which a thread did not run before it had made its calls. That is
    not known if a thread slept, as it does while another one has the interpreter's lock."""
    seen = {name: sum(part.noise[name] for part in parts) for name in parts[0].noise}
    if "cpu_ns" in seen and all(part.awake for part in parts):
        seen["off_ns"] = max(0, *(part.ended - part.began - part.noise["cpu_ns"] for part in parts))
    return seen


def share(first, count, i, every):
    """The first call of thread `i` of `every`, and how many it makes."""
    begin, end = count * i // every, count * (i + 1) // every
    return first + begin, end - begin

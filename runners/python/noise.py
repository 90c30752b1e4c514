"""What the system and the collector have done to this thread."""

import gc
import os
import threading
import time

try:
    import resource

    RUSAGE = getattr(resource, "RUSAGE_THREAD", None)
except ImportError:
    RUSAGE = None

# The counters of each thread that makes calls, in a file that stays open.
_own = threading.local()

collected_ns = 0
_began = 0


def _collecting(phase, _):
    global collected_ns, _began
    if phase == "start":
        _began = time.perf_counter_ns()
    else:
        collected_ns += time.perf_counter_ns() - _began


gc.callbacks.append(_collecting)


def _schedstat():
    """The thread's own file; None if the system has none."""
    try:
        return _own.schedstat
    except AttributeError:
        try:
            _own.schedstat = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        except OSError:
            _own.schedstat = None
        return _own.schedstat


def look():
    """The counters of this thread so far. One that the system does not have is left out: unknown is
    not quiet."""
    seen = {"gc_ns": collected_ns}
    if (schedstat := _schedstat()) is not None:
        seen["wait_ns"] = int(os.pread(schedstat, 128, 0).split()[1])
    if RUSAGE is not None:
        usage = resource.getrusage(RUSAGE)
        seen["involuntary"] = usage.ru_nivcsw
        seen["faults"] = usage.ru_minflt + usage.ru_majflt
    if hasattr(time, "thread_time_ns"):
        seen["cpu_ns"] = time.thread_time_ns()
    return seen


def slept():
    """How often this thread has slept; None if the system has no such figure."""
    return None if RUSAGE is None else resource.getrusage(RUSAGE).ru_nvcsw


def between(before, after, stopped):
    """The noise between two moments, in which the thread's own clock stood for `stopped` ns. What the
    thread lost then counts as if it had lost it in calls."""
    seen = {name: after[name] - before[name] for name in before}
    if "cpu_ns" in seen:
        seen["cpu_ns"] = max(0, seen["cpu_ns"] - stopped)
    return seen

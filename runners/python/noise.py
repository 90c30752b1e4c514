"""What the system and the collector have done to this thread."""

import gc
import os
import time

try:
    import resource

    RUSAGE = getattr(resource, "RUSAGE_THREAD", None)
except ImportError:
    RUSAGE = None

try:
    # Of the thread that makes the calls; the file stays open.
    SCHEDSTAT = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
except OSError:
    SCHEDSTAT = None

collected_ns = 0
_began = 0


def _collecting(phase, _):
    global collected_ns, _began
    if phase == "start":
        _began = time.perf_counter_ns()
    else:
        collected_ns += time.perf_counter_ns() - _began


gc.callbacks.append(_collecting)


def look():
    """The counters so far. One that the system does not have is left out: unknown is not quiet."""
    seen = {"gc_ns": collected_ns}
    if SCHEDSTAT is not None:
        seen["wait_ns"] = int(os.pread(SCHEDSTAT, 128, 0).split()[1])
    if RUSAGE is not None:
        usage = resource.getrusage(RUSAGE)
        seen["involuntary"] = usage.ru_nivcsw
        seen["faults"] = usage.ru_minflt + usage.ru_majflt
    if hasattr(time, "thread_time_ns"):
        seen["cpu_ns"] = time.thread_time_ns()
    return seen


def between(before, after):
    return {name: after[name] - before[name] for name in before}

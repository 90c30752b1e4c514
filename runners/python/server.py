"""Answers requests: protocol, "Requests and replies"."""

import json
import sys
import threading
from time import perf_counter_ns
from typing import NamedTuple

import noise
from cell import MOST_CALLS, MOST_CALLS_OF_THREADS, TAG, Cell, Run
from contenders import CONTENDERS
from crew import Crew
from octets import MASK, from_hex, stream
from own_pages import own_pages
from refused import NotAuthentic, Refused, failed, in_words, unsupported

# The values that this runner supports of each field of a contract. The libraries return new memory,
# which is the caller's as much as memory that it gave. Addresses are Python's own business.
KNOWN = {
    "key": ("none", "prepared", "per-call"),
    "nonce": ("none", "counter"),
    "output": ("given", "fresh"),
    "inputs": ("hot", "cold"),
    "align": ("varied", "line"),
    "lengths": ("equal",),
    # Threads have no object in common.
    "shared": ("none",),
}
# The longest message whose tag is forged after it was opened, in bytes: longer ones show nothing more.
MOST_FORGED = 4096
# As many threads as the protocol allows.
MOST_THREADS = 1024
# In bytes.
LONGEST_PREFIX = 1 << 16
# The stream that prefixes are the beginning of: `prefix` in ASCII.
PREFIX_SEED = 0x707265666978


class Task(NamedTuple):
    """What to prepare a call for."""

    primitive: str
    operation: str
    key: bytes = b""
    ad: bytes = b""
    # Whether the key schedule is inside the call.
    key_per_call: bool = False
    # The lengths in which the message is streamed, over and over; none for one piece.
    chunks: tuple = ()
    # The prefix of every message of digest: each call continues with a copy of its state.
    prefix: bytes = b""


class Server:
    """The first prepare or compute chooses the contender of the process."""

    def __init__(self):
        self.chosen = None
        # Each cell is a list of its threads' cells.
        self.cells = {}
        self.crew = Crew()
        # Whether a reply has reported that the code stays in pages which other processes share.
        self.shares_code = False

    def answer(self, line):
        """The reply to a line, and whether that was a bye."""
        number, ask = 0, None
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise failed("the line is not an object")
            number = integer(request, "id")
            ask = text(request, "ask")
            if ask not in ASKS:
                raise unsupported(f"this runner does not know the request {ask}")
            return {"id": number, "status": "ok", **ASKS[ask](self, request)}, ask == "bye"
        except Refused as refused:
            return {"id": number, **refused.reply()}, False
        except Exception as error:
            return {"id": number, "status": "failed", "reason": in_words(error)}, False

    def hello(self, request):
        protocol = integer(request, "protocol")
        if protocol != 1:
            raise Refused(
                "unsupported",
                f"this runner speaks protocol 1, not {protocol}",
                "use the runner and the tool of one release",
            )
        clock = {"name": "time.perf_counter_ns", "resolution_ns": resolution()}
        thread = {"thread": threading.get_native_id()} if sys.platform == "linux" else {}
        return {"protocol": 1, "runner": "python", "version": "0.1.0", "clock": clock, "jit": has_jit(), **thread}

    def list(self, _):
        return {"contenders": [contender.listed() for contender in CONTENDERS]}

    def choose(self, name, primitive, operation, schedule):
        """The contender of the process, if it has this name and an offer under this contract."""
        if self.chosen is None:
            self.chosen = next((c for c in CONTENDERS if c.name == name), None)
        if self.chosen is None:
            raise failed(f"there is no contender {name}")
        if self.chosen.name != name:
            raise failed(f"this process hosts {self.chosen.name} already")
        for offer in self.chosen.offers:
            if (offer["primitive"], offer["operation"]) == (primitive, operation):
                if schedule not in ("none", offer.get("key", schedule)):
                    raise unsupported(f"{name} has the key schedule only {offer['key']}")
                if missing := self.chosen.missing():
                    raise Refused("missing", missing["reason"], missing.get("remedy"))
                return self.chosen
        raise unsupported(f"{name} has no {operation} of {primitive}")

    def prepare(self, request):
        number, workload = integer(request, "cell"), table(request, "workload")
        primitive, operation = text(workload, "primitive"), text(workload, "operation")
        contract = parsed(table(workload, "contract"))
        host = self.choose(text(request, "contender"), primitive, operation, contract["key"])
        key, ad = from_hex(request.get("key", ""), "key"), from_hex(request.get("ad", ""), "ad")
        if len(ad) != contract["ad"]:
            raise failed(f"`ad` has {len(ad)} bytes, the contract {contract['ad']}")
        task = task_of(primitive, operation, contract)._replace(key=key, ad=ad)
        size, shape = integer(workload, "size"), text(workload, "shape")
        seed, pool = integer(request, "seed"), integer(request, "pool")
        drawn = lengths(request) if contract["lengths"] != "equal" else None
        threads = contract["threads"]
        if "forged" in contract and operation != "open":
            raise unsupported(f"{operation} takes no forged messages")
        most = MOST_CALLS if threads == 1 else MOST_CALLS_OF_THREADS
        self.cells[number] = [Cell(host, task, size, shape, seed, pool, drawn, most) for _ in range(threads)]
        for cell in self.cells[number] if "forged" in contract else []:
            cell.forge(contract["forged"])
        self.crew.hire(threads - 1)
        self.move_code()
        named = {"threads": self.crew.numbers(threads - 1)} if threads > 1 else {}
        return {"code_path": host.code_path, **named}

    def move_code(self):
        """Each fork is a sample of where code lies. What a cell needs has been imported by now."""
        try:
            own_pages()
        except OSError as error:
            if not self.shares_code:
                print(f"the code stays in pages that all processes share: {error}", file=sys.stderr)
            self.shares_code = True

    def compute(self, request):
        primitive, operation = text(request, "primitive"), text(request, "operation")
        contract = parsed(table(request, "contract"))
        host = self.choose(text(request, "contender"), primitive, operation, contract["key"])
        task = task_of(primitive, operation, contract)
        if not isinstance(request.get("cases"), list):
            raise failed("`cases` must be an array")
        return {"answers": [answer(host, task, case) for case in request["cases"]]}

    def slice(self, request):
        number = integer(request, "cell")
        first, preroll = integer(request, "first"), integer(request, "preroll")
        iterations = integer(request, "iterations")
        cells = self.cells.get(number)
        if cells is None:
            raise failed(f"cell {number} was not prepared")
        only_last = request.get("fold", "all") == "last"
        if len(cells) > 1:
            made = self.crew.slice(cells, first, preroll, iterations, only_last)
        else:
            made = alone(cells[0], first, preroll, iterations, only_last)
        fold = made.pop("fold") & MASK
        return {"iterations": iterations, "fold": f"{fold:016x}", **made}

    def bye(self, _):
        return {}


ASKS = {
    "hello": Server.hello,
    "list": Server.list,
    "prepare": Server.prepare,
    "compute": Server.compute,
    "slice": Server.slice,
    "bye": Server.bye,
}


def alone(cell, first, preroll, iterations, only_last):
    """A slice of the first thread."""
    Run(cell, first, preroll, only_last).make().fold()
    timed = Run(cell, first + preroll, iterations, only_last)
    before = noise.look()
    timed.make()
    seen = noise.between(before, noise.look(), timed.stopped)
    seen["gc_ns"] = timed.collected
    return {"elapsed_ns": timed.elapsed, "fold": timed.fold(), "noise": seen}


def task_of(primitive, operation, contract):
    chunks = (contract["chunk"],) if contract["chunk"] else ()
    per_call = contract["key"] == "per-call"
    if contract["prefix"] and operation != "digest":
        raise unsupported(f"{operation} has no prefix")
    prefix = stream(PREFIX_SEED, contract["prefix"])
    return Task(primitive, operation, key_per_call=per_call, chunks=chunks, prefix=prefix)


def answer(host, task, case):
    """The answer to a case, by the same call that is timed."""
    try:
        message = read(table(case, "input"))
        key, ad = from_hex(case.get("key", ""), "key"), from_hex(case.get("ad", ""), "ad")
        chunks = tuple(case.get("chunks", ())) or task.chunks
        if any(n < 1 for n in chunks):
            raise failed("a chunk of no bytes")
        call = host.prepare(task._replace(key=key, ad=ad, chunks=chunks))
        if task.operation in ("seal", "open"):
            nonce = from_hex(case.get("nonce", ""), "nonce")
            output = bytes(call(message, nonce))
            if task.operation == "open" and accepts_forged(call, message, nonce):
                raise failed("opened a message, and then the same one with a forged tag")
        else:
            # A copy that shares memory with its original is correct once.
            first = call(message) if task.prefix else None
            output = call(message)
            if first not in (None, output):
                raise failed("two digests of one message after the prefix differ")
        return {"output": output.hex()}
    except NotAuthentic:
        return {"refused": "not authentic"}
    except Refused as refused:
        if refused.args[0] == "missing":
            raise  # It is lacking for every case, and no answer to one.
        return {refused.args[0]: refused.args[1]}
    except Exception as error:
        return {"failed": in_words(error)}


def accepts_forged(call, message, nonce):
    """Whether a call that has just opened this message opens it again with another tag: a prepared
    object must not keep its approval of the message before."""
    if not 0 < len(message) <= MOST_FORGED:
        return False
    try:
        call(message[:-1] + bytes([message[-1] ^ 1]), nonce)
    except Exception:
        return False
    return True


def read(source):
    if "hex" in source:
        return from_hex(source["hex"], "hex")
    if "stream" not in source:
        raise unsupported("no such input")
    return stream(integer(source["stream"], "seed"), integer(source["stream"], "size"))


def parsed(contract):
    """A contract. An unknown field or value is refused: what is timed is never guessed."""
    for field, value in contract.items():
        if field in ("ad", "chunk"):
            integer(contract, field)
        elif field == "threads":
            if not 1 <= integer(contract, field) <= MOST_THREADS:
                raise unsupported(f"threads are 1 to {MOST_THREADS}")
        elif field == "prefix":
            if integer(contract, field) > LONGEST_PREFIX:
                raise unsupported(f"a prefix has up to {LONGEST_PREFIX} bytes")
        elif field == "forged":
            if integer(contract, field) >= TAG:
                raise unsupported(f"a tag has {TAG} bytes")
        elif field == "lengths" and isinstance(value, dict) and list(value) == ["drawn"]:
            pass
        elif value not in KNOWN.get(field, ()):
            raise unsupported(f"this runner has no `{field}` {value!r}")
    whole = {"key": "none", "ad": 0, "chunk": 0, "lengths": "equal", "threads": 1, "prefix": 0, **contract}
    if whole["threads"] > 1 and whole["lengths"] != "equal":
        raise unsupported("several threads make no calls of drawn lengths")
    if "forged" in whole and (whole["threads"] > 1 or whole["lengths"] != "equal"):
        raise unsupported("forged messages have one length and one thread")
    return whole


def has_jit():
    """Whether this Python compiles code while it runs."""
    if sys.implementation.name != "cpython":
        return True
    jit = getattr(sys, "_jit", None)
    return bool(jit and jit.is_enabled())


def resolution():
    """The smallest step between two readings of the clock, in ns."""
    readings = [perf_counter_ns() for _ in range(10000)]
    return min((b - a for a, b in zip(readings, readings[1:]) if b > a), default=1_000_000)


def integer(source, name):
    value = source.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise failed(f"`{name}` must be an integer")
    return value


def lengths(request):
    """That of each message of the pool, if lengths are drawn."""
    found, most = request.get("lengths", []), integer(table(request, "workload"), "size")
    if not isinstance(found, list) or len(found) != integer(request, "pool"):
        raise failed("`lengths` must have one for each message of the pool")
    if any(not isinstance(length, int) or not 0 <= length <= most for length in found):
        raise failed(f"each of `lengths` is from 0 to {most}")
    return found


def text(source, name):
    value = source.get(name)
    if not isinstance(value, str):
        raise failed(f"`{name}` must be a text")
    return value


def table(source, name):
    value = source.get(name)
    if not isinstance(value, dict):
        raise failed(f"`{name}` must be an object")
    return value

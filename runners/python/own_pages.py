"""Moves the code of this process to pages of its own.

In the page cache, all processes share the code of a program and its libraries, and some of these
pages make it slower for as long as the cache holds them. With pages of its own, each process is one
sample of that.
"""

import ctypes
import mmap
import os
import sys

MADV_NOHUGEPAGE = 15
MREMAP_MAYMOVE, MREMAP_FIXED = 1, 2
FAILED = ctypes.c_void_p(-1).value


def own_pages():
    """Moves all code that still lies in a file's pages, at the addresses where it is. Raises an
    OSError if the system refuses; everything works as before then."""
    if sys.platform != "linux":
        raise OSError("this system has no mremap")
    libc = ctypes.CDLL(None, use_errno=True)
    word, pointer = ctypes.c_size_t, ctypes.c_void_p
    libc.mmap.argtypes = [pointer, word, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mremap.argtypes = [pointer, word, word, ctypes.c_int, pointer]
    libc.mmap.restype = libc.mremap.restype = pointer
    libc.mprotect.argtypes = libc.madvise.argtypes = [pointer, word, ctypes.c_int]
    libc.munmap.argtypes = [pointer, word]
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        codes = [code for code in map(code_of_a_file, maps) if code]
    changed = None
    for start, size, offset, path in codes:
        if _is_changed(start, size, offset, path):
            changed = path
        else:
            _own(libc, start, size)
    if changed:
        raise OSError(f"{changed} is not in memory as it is in the file: a tracer has probes in it, or it was replaced")


def code_of_a_file(line):
    """The address and the size of a mapping, where it begins in its file, and the file's path, if it is
    code of a file."""
    words = line.rstrip("\n").split(maxsplit=5)
    if len(words) < 6 or words[1] != "r-xp" or not words[5].startswith("/"):
        return None
    start, end = (int(address, 16) for address in words[0].split("-"))
    return start, end - start, int(words[2], 16), words[5]


def _is_changed(start, size, offset, path):
    """Whether code is not what its file has. The kernel puts a breakpoint of a tracer (a uprobe) into
    the pages of a file, and knows it by its place in the file: a copy of it would end the process. A
    file that cannot be read decides nothing."""
    try:
        with open(path, "rb") as file:
            there = os.pread(file.fileno(), size, offset)
    except OSError:
        return False
    return there != ctypes.string_at(start, len(there))


def _own(libc, start, size):
    """The kernel exchanges the pages under the lock that every page fault needs, so a thread that
    runs this code waits for a moment."""
    anonymous = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    copy = libc.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, anonymous, -1, 0)
    if copy == FAILED:
        raise _error()
    # Pages of a file are small, so these shall be. A system without huge pages refuses this.
    libc.madvise(copy, size, MADV_NOHUGEPAGE)
    ctypes.memmove(copy, start, size)
    refused = libc.mprotect(copy, size, mmap.PROT_READ | mmap.PROT_EXEC) != 0
    if refused or libc.mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, start) == FAILED:
        error = _error()
        libc.munmap(copy, size)
        raise error


def _error():
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))

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
    for start, size in codes:
        _own(libc, start, size)


def code_of_a_file(line):
    """The address and the size of a mapping, if it is code of a file."""
    words = line.split()
    if len(words) < 6 or words[1] != "r-xp" or not words[5].startswith("/"):
        return None
    start, end = (int(address, 16) for address in words[0].split("-"))
    return start, end - start


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

// Moves the code of this process to its own pages.

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

const (
	madvNoHugePage = 15
	mremapMayMove  = 1
	mremapFixed    = 2
)

// ownPages moves the code of this process to pages of its own, at the addresses where it is. In the
// page cache, all processes share it, and some of these pages make it slower for as long as the
// cache holds them. It returns why code stays where it is, if the system refuses.
func ownPages() error {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return err
	}
	memory, err := os.Open("/proc/self/mem")
	if err != nil {
		return err
	}
	defer memory.Close()
	var changed error
	for _, line := range strings.Split(string(maps), "\n") {
		found, ok := codeOfFile(line)
		if !ok {
			continue
		}
		if isChanged(memory, found) {
			changed = fmt.Errorf(
				"%s is not in memory as it is in the file: a tracer has probes in it, or it was replaced", found.path)
			continue
		}
		if err := replaced(memory, found.start, found.end); err != nil {
			return err
		}
	}
	return changed
}

// code is a mapping of a file's code: its addresses, where it begins in the file, and the file.
type code struct {
	start, end, offset uint64
	path               string
}

// codeOfFile returns the mapping in a line of /proc/self/maps, if it is code of a file.
func codeOfFile(line string) (code, bool) {
	words := strings.Fields(line)
	if len(words) < 6 || words[1] != "r-xp" || !strings.HasPrefix(words[5], "/") {
		return code{}, false
	}
	from, to, found := strings.Cut(words[0], "-")
	start, err := strconv.ParseUint(from, 16, 64)
	end, worse := strconv.ParseUint(to, 16, 64)
	offset, worst := strconv.ParseUint(words[2], 16, 64)
	known := code{start, end, offset, line[strings.Index(line, "/"):]}
	return known, found && err == nil && worse == nil && worst == nil
}

// isChanged says whether code differs from its file. The kernel puts a breakpoint of a tracer (a
// uprobe) into the pages of a file, and finds it again by its place in the file: a copy of it would
// end the process. A file that cannot be read decides nothing.
func isChanged(memory io.ReaderAt, known code) bool {
	file, err := os.Open(known.path)
	if err != nil {
		return false
	}
	defer file.Close()
	there, here := make([]byte, 1<<16), make([]byte, 1<<16)
	for at := uint64(0); at < known.end-known.start; {
		most := min(uint64(len(there)), known.end-known.start-at)
		read, _ := file.ReadAt(there[:most], int64(known.offset+at))
		if read == 0 {
			return false
		}
		if _, err := memory.ReadAt(here[:read], int64(known.start+at)); err != nil {
			return false
		}
		if !bytes.Equal(there[:read], here[:read]) {
			return true
		}
		at += uint64(read)
	}
	return false
}

// replaced puts a copy in the place of some code. The kernel exchanges the pages under the lock
// that every page fault needs, so a thread that runs this code waits for a moment.
func replaced(memory *os.File, start, end uint64) error {
	size := uintptr(end - start)
	copied, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return fmt.Errorf("mmap: %w", err)
	}
	// Pages of a file are small, so these shall be. A system without huge pages refuses this.
	_ = syscall.Madvise(copied, madvNoHugePage)
	if _, err = memory.ReadAt(copied, int64(start)); err == nil {
		err = syscall.Mprotect(copied, syscall.PROT_READ|syscall.PROT_EXEC)
	}
	if err != nil {
		_ = syscall.Munmap(copied)
		return fmt.Errorf("a copy of the code: %w", err)
	}
	at := uintptr(unsafe.Pointer(&copied[0]))
	_, _, failed := syscall.Syscall6(
		syscall.SYS_MREMAP, at, size, size, mremapMayMove|mremapFixed, uintptr(start), 0)
	if failed != 0 {
		_ = syscall.Munmap(copied)
		return fmt.Errorf("mremap: %w", failed)
	}
	return nil
}

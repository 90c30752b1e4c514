package main

import (
	"fmt"
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
// page cache, all processes share it, and some of these pages make it slower for as long as the cache
// holds them. It returns why code stays where it is, if the system refuses.
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
	for _, line := range strings.Split(string(maps), "\n") {
		start, end, ok := codeOfFile(line)
		if !ok {
			continue
		}
		if err := replaced(memory, start, end); err != nil {
			return err
		}
	}
	return nil
}

// codeOfFile returns the addresses of a mapping, if it is code of a file.
func codeOfFile(line string) (start, end uint64, ok bool) {
	words := strings.Fields(line)
	if len(words) < 6 || words[1] != "r-xp" || !strings.HasPrefix(words[5], "/") {
		return 0, 0, false
	}
	from, to, found := strings.Cut(words[0], "-")
	start, err := strconv.ParseUint(from, 16, 64)
	end, worse := strconv.ParseUint(to, 16, 64)
	return start, end, found && err == nil && worse == nil
}

// replaced puts a copy in the place of some code. The kernel exchanges the pages under the lock that every
// page fault needs, so a thread that runs this code waits for a moment.
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

package main

import (
	"bytes"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

const (
	rusageThread    = 1 // RUSAGE_THREAD
	clockThreadTime = 3 // CLOCK_THREAD_CPUTIME_ID
)

// schedstat of the thread that makes the calls; nil if the system has none.
var schedstat, _ = os.Open("/proc/thread-self/schedstat")

// thread returns the number of this thread.
func thread() int { return syscall.Gettid() }

// A moment has what the system has counted of this thread so far.
type moment struct {
	cpu, waited         int64
	involuntary, faults int64
}

func look() moment {
	var at moment
	var usage syscall.Rusage
	if syscall.Getrusage(rusageThread, &usage) == nil {
		at.involuntary = int64(usage.Nivcsw)
		at.faults = int64(usage.Minflt) + int64(usage.Majflt)
	}
	at.waited = waited()
	var cpu syscall.Timespec
	syscall.RawSyscall(
		syscall.SYS_CLOCK_GETTIME, clockThreadTime, uintptr(unsafe.Pointer(&cpu)), 0)
	at.cpu = cpu.Nano()
	return at
}

// statText is where schedstat is read to: no slice allocates for it.
var statText [128]byte

// waited returns the time that the thread has waited for a processor, in ns: the second number of
// its schedstat; -1 if not known.
func waited() int64 {
	if schedstat == nil {
		return -1
	}
	n, _ := schedstat.ReadAt(statText[:], 0)
	_, rest, found := bytes.Cut(statText[:n], []byte(" "))
	if !found {
		return -1
	}
	ns := int64(0)
	for _, digit := range rest {
		if digit < '0' || digit > '9' {
			break
		}
		ns = 10*ns + int64(digit-'0')
	}
	return ns
}

// since returns the noise between two moments. The collector's time is that of its pauses: it marks
// on other threads beside the calls.
func (at moment) since(before moment, from, to *runtime.MemStats) reply {
	noise := reply{
		"cpu_ns": at.cpu - before.cpu, "involuntary": at.involuntary - before.involuntary,
		"faults": at.faults - before.faults, "gc_ns": to.PauseTotalNs - from.PauseTotalNs,
	}
	if at.waited >= 0 && before.waited >= 0 {
		noise["wait_ns"] = at.waited - before.waited
	}
	return noise
}

// Linux's disturbance of a thread during a slice: the noise of the protocol.

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

// A gauge reads the counters of its thread. No slice allocates for it.
type gauge struct {
	// schedstat is nil if the system has none.
	schedstat *os.File
	text      [128]byte
}

// newGauge returns the gauge of the calling thread.
func newGauge() *gauge {
	g := new(gauge)
	g.schedstat, _ = os.Open("/proc/thread-self/schedstat")
	return g
}

// own is the gauge of the first thread.
var own = newGauge()

// thread returns the number of this thread.
func thread() int { return syscall.Gettid() }

// A moment has the system's counts of this thread so far.
type moment struct {
	cpu, waited         int64
	involuntary, faults int64
	slept               int64
}

func (g *gauge) look() moment {
	var at moment
	var usage syscall.Rusage
	if syscall.Getrusage(rusageThread, &usage) == nil {
		at.involuntary = int64(usage.Nivcsw)
		at.slept = int64(usage.Nvcsw)
		at.faults = int64(usage.Minflt) + int64(usage.Majflt)
	}
	at.waited = g.waited()
	var cpu syscall.Timespec
	syscall.RawSyscall(
		syscall.SYS_CLOCK_GETTIME, clockThreadTime, uintptr(unsafe.Pointer(&cpu)), 0)
	at.cpu = cpu.Nano()
	return at
}

// waited returns the time that the thread has waited for a processor, in ns: the second number of
// its schedstat; -1 if not known.
func (g *gauge) waited() int64 {
	if g.schedstat == nil {
		return -1
	}
	n, _ := g.schedstat.ReadAt(g.text[:], 0)
	_, rest, found := bytes.Cut(g.text[:n], []byte(" "))
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

// since returns the noise between two moments. The collector's time has only its pauses: it marks
// on other threads at the same time as the calls.
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

// noiseOf returns the noise of threads that ran at the same time: sums, and the longest time for
// which one of them did not run before it had made its calls. That is not known if a thread slept,
// as it does at a lock.
func noiseOf(parts []part, from, to *runtime.MemStats) reply {
	var before, after moment
	off, awake := int64(0), true
	for i := range parts {
		p := &parts[i]
		ran := p.after.cpu - p.before.cpu
		off = max(off, p.took.Nanoseconds()-ran)
		awake = awake && p.after.slept == p.before.slept
		after.cpu += ran
		after.involuntary += p.after.involuntary - p.before.involuntary
		after.faults += p.after.faults - p.before.faults
		if p.before.waited < 0 || p.after.waited < 0 {
			after.waited, before.waited = -1, -1
		} else if after.waited >= 0 {
			after.waited += p.after.waited - p.before.waited
		}
	}
	noise := after.since(before, from, to)
	if awake {
		noise["off_ns"] = off
	}
	return noise
}

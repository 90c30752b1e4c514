// Slices of several threads: the threads, and the barrier from which they start.

package main

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// A crew has the threads in addition to the first one. They exist since the prepare of the first
// cell that needs them, and sleep between slices.
type crew struct {
	hands []*hand
}

// A hand is a goroutine that keeps its thread.
type hand struct {
	// number is the system's number of the thread.
	number int
	todo   chan func(*gauge)
}

// hire starts threads until there are this many in addition to the first one.
func (c *crew) hire(needed int) {
	// All of them run Go code at the same time.
	if runtime.GOMAXPROCS(0) < needed+1 {
		runtime.GOMAXPROCS(needed + 1)
	}
	for len(c.hands) < needed {
		h := &hand{todo: make(chan func(*gauge))}
		started := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			h.number = thread()
			g := newGauge()
			close(started)
			for work := range h.todo {
				work(g)
			}
		}()
		<-started
		c.hands = append(c.hands, h)
	}
}

// numbers returns the system's numbers of the first thread and of this many others.
func (c *crew) numbers(others int) []int {
	numbers := []int{thread()}
	for _, h := range c.hands[:others] {
		numbers = append(numbers, h.number)
	}
	return numbers
}

// do lets the thread do something, and waits.
func (h *hand) do(work func()) {
	done := make(chan struct{})
	h.todo <- func(*gauge) {
		work()
		close(done)
	}
	<-done
}

// A part is the work of one thread in a slice.
type part struct {
	folded        uint64
	err           error
	ended         time.Time
	took          time.Duration
	before, after moment
}

// A together is a slice of several threads. Each makes its range of the untimed calls, they meet,
// and the first thread reads the clock and lets all of them begin at once.
type together struct {
	first, preroll, iterations uint64
	parts                      []part
	warm, start                gate
	began                      time.Time
}

// play makes the calls of one thread.
func (t *together) play(i int, c *cell, g *gauge) {
	p, all := &t.parts[i], len(t.parts)
	_, p.err = c.run(share(t.first, t.preroll, i, all))
	if i == 0 {
		t.warm.waitFor(all - 1)
		t.warm.open.Store(true)
	} else {
		t.warm.pass()
	}
	first, count := share(t.first+t.preroll, t.iterations, i, all)
	p.before = g.look()
	if i == 0 {
		t.start.waitFor(all - 1)
		t.began = time.Now()
		t.start.open.Store(true)
	} else {
		t.start.pass()
	}
	began := time.Now()
	if p.err == nil {
		p.folded, p.err = c.run(first, count)
	}
	p.ended = time.Now()
	p.after = g.look()
	p.took = p.ended.Sub(began)
}

// together makes a slice of all threads of a cell. The time ends with the last of them.
func (c *cell) together(first, preroll, iterations uint64, from *crew) (reply, error) {
	t := &together{
		first: first, preroll: preroll, iterations: iterations,
		parts: make([]part, len(c.others)+1),
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	done := make(chan struct{}, len(c.others))
	for i, other := range c.others {
		i, other := i, other
		from.hands[i].todo <- func(g *gauge) {
			t.play(i+1, other, g)
			done <- struct{}{}
		}
	}
	t.play(0, c, own)
	for range c.others {
		<-done
	}
	runtime.ReadMemStats(&after)
	var folded uint64
	var elapsed time.Duration
	for i := range t.parts {
		if err := t.parts[i].err; err != nil {
			return nil, err
		}
		folded += t.parts[i].folded
		elapsed = max(elapsed, t.parts[i].ended.Sub(t.began))
	}
	answer := reply{
		"iterations": iterations, "elapsed_ns": elapsed.Nanoseconds(),
		"fold": fmt.Sprintf("%016x", folded), "noise": noiseOf(t.parts, &before, &after),
	}
	if calls := preroll + iterations; calls > 0 {
		answer["allocated_per_call"] = float64(after.TotalAlloc-before.TotalAlloc) / float64(calls)
	}
	return answer, nil
}

// A gate holds threads until the first one opens it. They spin: to wake one takes longer than many
// a slice.
type gate struct {
	arrived atomic.Int32
	open    atomic.Bool
}

// pass arrives, and waits until the gate is open.
func (g *gate) pass() {
	g.arrived.Add(1)
	for looks := 0; !g.open.Load(); looks++ {
		yield(looks)
	}
}

// waitFor waits until this many threads have arrived.
func (g *gate) waitFor(threads int) {
	for looks := 0; int(g.arrived.Load()) < threads; looks++ {
		yield(looks)
	}
}

// yield lets others run after many looks, if threads do not have processors of their own.
func yield(looks int) {
	if looks > 1<<14 {
		runtime.Gosched()
	}
}

// share returns the part of count calls from first on that thread i of all makes: its first call
// and their number.
func share(first, count uint64, i, all int) (uint64, uint64) {
	from := bound(count, uint64(i), uint64(all))
	return first + from, bound(count, uint64(i+1), uint64(all)) - from
}

// bound returns count * i / all, without a product of more than 64 bits.
func bound(count, i, all uint64) uint64 {
	return count/all*i + count%all*i/all
}

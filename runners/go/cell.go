// Cells: the pool of messages, and the timed loops over it.

package main

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"time"
)

// A cell is a contender with a workload, prepared to be timed.
type cell struct {
	call call
	// run makes calls from number first on, and folds their outputs. Each kind of workload has its own
	// loop, so that no call pays for another kind's needs.
	run    func(first, count uint64) (uint64, error)
	inputs [][]byte
	nonces [][]byte
	nonce  []byte
	// dst is where outputs go: empty, with the capacity for any, or nil if they are to be fresh.
	dst []byte
	// last is the first word of the last output of a chain, on which the next input depends.
	last   uint64
	starts []uint64
	// others are the same cell on the further threads, each with a call and buffers of its own.
	others []*cell
}

// newCell creates the pool, and seals it for open. A further thread also gets the cell of the
// first.
func newCell(host *contender, w *workload, terms contract, r *request, first *cell) (*cell, error) {
	size, latency := *w.Size, *w.Shape == "latency"
	if !latency && *w.Shape != "throughput" {
		return nil, unsupported("this runner has no shape %q", *w.Shape)
	}
	opening := *w.Operation == "open"
	if terms.Forged != nil && !opening {
		return nil, unsupported("%s takes no forged messages", *w.Operation)
	}
	if latency && (opening || size == 0) {
		return nil, unsupported("latency is not defined for open, nor for size 0")
	}
	t := task{
		primitive: *w.Primitive, operation: *w.Operation, key: r.Key, ad: r.AD,
		keyPerCall: terms.Key == "per-call", chunks: terms.chunks(), prefix: terms.prefix(),
	}
	made, err := host.prepared(t)
	if err != nil {
		return nil, err
	}
	c := &cell{call: made, nonce: make([]byte, nonceLength(t.primitive))}
	if terms.Output != "fresh" {
		c.dst = aligned(size+line, r.Offset)[:0]
	}
	if terms.drawn {
		// Each is the beginning of one message.
		message := aligned(size, r.Offset)
		stream(*r.Seed, message)
		for _, length := range r.Lengths {
			c.inputs = append(c.inputs, message[:length:length])
		}
	} else {
		for j := 0; j < *r.Pool; j++ {
			message := aligned(size, r.Offset)
			stream(*r.Seed+uint64(j), message)
			c.inputs = append(c.inputs, message)
			c.starts = append(c.starts, start(message))
		}
	}
	switch {
	case opening && first != nil:
		// No nonce is used twice: the first thread has sealed the pool.
		c.run = c.open
		for j, sealed := range first.inputs {
			c.inputs[j] = aligned(len(sealed), r.Offset)
			copy(c.inputs[j], sealed)
		}
		c.nonces = first.nonces
	case opening:
		c.run = c.open
		t.operation = "seal"
		err = c.seal(host, t, r.Offset, terms.drawn)
		if err == nil && terms.Forged != nil {
			c.forge(*terms.Forged)
		}
	case latency:
		c.run = c.latency
	case t.operation == "seal":
		c.run = c.sealing
	default:
		c.run = c.throughput
	}
	return c, err
}

// seal replaces message j of the pool by its ciphertext with nonce j. If lengths are drawn,
// messages of one length are one message, which is sealed once.
func (c *cell) seal(host *contender, t task, offset int, drawn bool) error {
	sealer, err := host.prepared(t)
	if err != nil {
		return err
	}
	known := map[int]int{}
	for j, message := range c.inputs {
		if before, sealed := known[len(message)]; drawn && sealed {
			c.inputs[j] = c.inputs[before]
			c.nonces = append(c.nonces, c.nonces[before])
			continue
		}
		known[len(message)] = j
		nonce := make([]byte, len(c.nonce))
		putNonce(nonce, uint64(j))
		sealed, err := sealer(nil, nonce, message)
		if err != nil {
			return err
		}
		c.inputs[j] = aligned(len(sealed), offset)
		copy(c.inputs[j], sealed)
		c.nonces = append(c.nonces, nonce)
	}
	return nil
}

// forge changes a byte of the tag of each message, which every call must then refuse: it has no
// output.
func (c *cell) forge(which int) {
	for _, sealed := range c.inputs {
		sealed[len(sealed)-tagLength+which] ^= 1
	}
	open := c.call
	c.call = func(dst, nonce, input []byte) ([]byte, error) {
		_, err := open(dst, nonce, input)
		switch err {
		case errRefused:
			return nil, nil
		case nil:
			return nil, failed("a forged message was accepted")
		default:
			return nil, err
		}
	}
}

func (c *cell) throughput(first, count uint64) (folded uint64, err error) {
	mask := uint64(len(c.inputs) - 1)
	for i := first; i < first+count; i++ {
		output, err := c.call(c.dst, c.nonce, c.inputs[i&mask])
		if err != nil {
			return 0, err
		}
		folded += fold(output)
	}
	return folded, nil
}

func (c *cell) sealing(first, count uint64) (folded uint64, err error) {
	mask := uint64(len(c.inputs) - 1)
	for i := first; i < first+count; i++ {
		putNonce(c.nonce, i)
		output, err := c.call(c.dst, c.nonce, c.inputs[i&mask])
		if err != nil {
			return 0, err
		}
		folded += fold(output)
	}
	return folded, nil
}

func (c *cell) open(first, count uint64) (folded uint64, err error) {
	mask := uint64(len(c.inputs) - 1)
	for i := first; i < first+count; i++ {
		output, err := c.call(c.dst, c.nonces[i&mask], c.inputs[i&mask])
		if err != nil {
			return 0, err
		}
		folded += fold(output)
	}
	return folded, nil
}

func (c *cell) latency(first, count uint64) (folded uint64, err error) {
	mask := uint64(len(c.inputs) - 1)
	for i := first; i < first+count; i++ {
		putNonce(c.nonce, i)
		input := c.inputs[i&mask]
		chain(input, c.starts[i&mask]^c.last)
		output, err := c.call(c.dst, c.nonce, input)
		if err != nil {
			return 0, err
		}
		folded += fold(output)
		c.last = start(output)
	}
	return folded, nil
}

// chain writes the first bytes of an input.
func chain(input []byte, word uint64) {
	if len(input) >= 8 {
		binary.LittleEndian.PutUint64(input, word)
		return
	}
	for i := range input {
		input[i] = byte(word >> (8 * i))
	}
}

// slice makes the pre-roll and then times the calls.
func (c *cell) slice(first, preroll, iterations uint64, from *crew) (reply, error) {
	if len(c.others) > 0 {
		return c.together(first, preroll, iterations, from)
	}
	c.last = 0
	var before, after runtime.MemStats
	// Bytes are counted over the pre-roll too: reading them stops all threads, which must not
	// happen between it and the timed calls.
	runtime.ReadMemStats(&before)
	if _, err := c.run(first, preroll); err != nil {
		return nil, err
	}
	quiet := own.look()
	began := time.Now()
	folded, err := c.run(first+preroll, iterations)
	elapsed := time.Since(began)
	disturbed := own.look()
	if err != nil {
		return nil, err
	}
	runtime.ReadMemStats(&after)
	answer := reply{
		"iterations": iterations, "elapsed_ns": elapsed.Nanoseconds(),
		"fold": fmt.Sprintf("%016x", folded), "noise": disturbed.since(quiet, &before, &after),
	}
	if calls := preroll + iterations; calls > 0 {
		answer["allocated_per_call"] = float64(after.TotalAlloc-before.TotalAlloc) / float64(calls)
	}
	return answer, nil
}

// The runner's needs of a contender: a call, made for a task; and hashes as calls.

package main

import (
	"errors"
	"hash"
	"io"
)

// A call computes one output. It appends to dst and returns the result, as Go's libraries do: with
// a dst of enough capacity the output is where the caller wants it, with nil it is fresh memory.
type call func(dst, nonce, input []byte) ([]byte, error)

// A task says what to prepare a call for.
type task struct {
	primitive, operation string
	key, ad              []byte
	// keyPerCall says that the key schedule is inside the call.
	keyPerCall bool
	// chunks are the lengths in which the message is streamed, over and over; none for one piece.
	chunks []int
	// prefix comes before every message of digest: each call continues with a copy of its state.
	prefix []byte
}

var (
	// errRefused says that the input of open is not authentic.
	errRefused = errors.New("not authentic")
	// errNonce says that a contender takes nonces of another length.
	errNonce = unsupported("only nonces of NonceSize() bytes")
)

// offers lists pairs of primitive and operation.
type offer struct {
	Primitive string `json:"primitive"`
	Operation string `json:"operation"`
}

// A contender is a library, called in one way.
type contender struct {
	name, library, version, licence, summary string
	offers                                   []offer
	// copies says that prepare takes prefixes.
	copies bool
	// prepare is asked only for listed offers.
	prepare func(task) (call, error)
}

// prepared is the call for a task, if the contender takes its prefix.
func (c *contender) prepared(t task) (call, error) {
	if len(t.prefix) > 0 && (t.operation != "digest" || !c.copies) {
		return nil, unsupported("%s copies no state of %s", c.name, t.operation)
	}
	return c.prepare(t)
}

func (c *contender) has(primitive, operation string) bool {
	for _, o := range c.offers {
		if o.Primitive == primitive && o.Operation == operation {
			return true
		}
	}
	return false
}

// pieces writes a message to a state in chunks. A hash returns no errors.
func pieces(to io.Writer, message []byte, chunks []int) {
	if len(chunks) == 0 {
		to.Write(message)
		return
	}
	for i := 0; len(message) > 0; i++ {
		n := min(chunks[i%len(chunks)], len(message))
		to.Write(message[:n])
		message = message[n:]
	}
}

// fresh makes a state in each call.
func fresh(make func() hash.Hash, chunks []int) call {
	return func(dst, _, input []byte) ([]byte, error) {
		state := make()
		pieces(state, input, chunks)
		return state.Sum(dst), nil
	}
}

// kept resets one state in each call.
func kept(state hash.Hash, chunks []int) call {
	return func(dst, _, input []byte) ([]byte, error) {
		state.Reset()
		pieces(state, input, chunks)
		return state.Sum(dst), nil
	}
}

// Answers compute: single outputs, which the tool compares with its reference.

package main

import (
	"bytes"
	"encoding/hex"
	"errors"
)

// A case is one question of compute.
type oneCase struct {
	Input struct {
		Hex    *text `json:"hex"`
		Stream *struct {
			Seed uint64 `json:"seed"`
			Size int    `json:"size"`
		} `json:"stream"`
	} `json:"input"`
	Key    text  `json:"key"`
	Nonce  text  `json:"nonce"`
	AD     text  `json:"ad"`
	Offset int   `json:"offset"`
	Chunks []int `json:"chunks"`
}

// room is how many bytes an output buffer is longer than its input.
const room = 192

// filling is in every output buffer before the call.
const filling = 0xa5

func (s *server) compute(r *request) (reply, error) {
	if r.Contender == nil || r.Primitive == nil || r.Operation == nil || r.Cases == nil {
		return nil, failed("compute has `contender`, `primitive`, `operation` and `cases`")
	}
	host, err := s.choose(*r.Contender, *r.Primitive, *r.Operation)
	if err != nil {
		return nil, err
	}
	terms, err := parseContract(r.Contract)
	if err != nil {
		return nil, err
	}
	answers := []reply{}
	for i := range *r.Cases {
		output, err := one(host, *r.Primitive, *r.Operation, terms, &(*r.Cases)[i])
		switch {
		case err == nil:
			answers = append(answers, reply{"output": hex.EncodeToString(output)})
		case errors.Is(err, errRefused):
			answers = append(answers, reply{"refused": err.Error()})
		default:
			why := refused(err)
			if why.status == "missing" {
				return nil, why // It is lacking for every case, and no answer to one.
			}
			answers = append(answers, reply{why.status: why.reason})
		}
	}
	return reply{"answers": answers}, nil
}

// one computes the output of a case by the same call that is timed.
func one(
	host *contender, primitive, operation string, terms contract, c *oneCase,
) ([]byte, error) {
	t := task{
		primitive: primitive, operation: operation, key: c.Key, ad: c.AD,
		keyPerCall: terms.Key == "per-call", chunks: terms.chunks(), prefix: terms.prefix(),
	}
	if len(c.Chunks) > 0 {
		t.chunks = c.Chunks
	}
	for _, n := range t.chunks {
		if n < 1 {
			return nil, failed("a chunk of %d bytes", n)
		}
	}
	if c.Offset < 0 || c.Offset >= line {
		return nil, failed("an offset of %d bytes", c.Offset)
	}
	var message []byte
	switch {
	case c.Input.Hex != nil:
		message = *c.Input.Hex
	case c.Input.Stream != nil && c.Input.Stream.Size >= 0:
		message = make([]byte, c.Input.Stream.Size)
		stream(c.Input.Stream.Seed, message)
	default:
		return nil, unsupported("no such input")
	}
	input := aligned(len(message), c.Offset)
	copy(input, message)
	made, err := host.prepared(t)
	if err != nil {
		return nil, err
	}
	var dst []byte
	if terms.Output != "fresh" {
		dst = aligned(len(input)+room, c.Offset)
		for i := range dst {
			dst[i] = filling
		}
	}
	var first []byte
	if len(t.prefix) > 0 {
		// A copy that shares memory with its original is correct once.
		if first, err = made(nil, c.Nonce, input); err != nil {
			return nil, err
		}
	}
	output, err := made(dst[:0], c.Nonce, input)
	if first != nil && err == nil && !bytes.Equal(first, output) {
		return nil, failed("two digests of one message after the prefix differ")
	}
	if !bytes.Equal(input, message) {
		return nil, failed("the call changed its input")
	}
	if errors.Is(err, errRefused) && plaintext(dst) {
		return nil, failed("refused, but the output buffer has been written")
	}
	if err != nil {
		return nil, err
	}
	if len(dst) > 0 && len(output) > 0 && &output[0] != &dst[0] {
		return nil, failed("the output is not in the given buffer")
	}
	if operation == "open" && acceptsForged(made, c.Nonce, input) {
		return nil, failed("opened a message, and then the same one with a forged tag")
	}
	return output, nil
}

// mostForged is the longest input whose tag is forged after it was opened: longer ones show
// nothing more.
const mostForged = 4096

// acceptsForged says whether a call that has just opened this input opens it again with another
// tag: a prepared object must not keep its approval of the message before.
func acceptsForged(made call, nonce, input []byte) bool {
	if len(input) == 0 || len(input) > mostForged {
		return false
	}
	forged := bytes.Clone(input)
	forged[len(forged)-1] ^= 1
	_, err := made(make([]byte, 0, len(forged)+room), nonce, forged)
	return err == nil
}

// plaintext says whether a buffer has other bytes than it had, and than zeros.
func plaintext(buffer []byte) bool {
	for _, b := range buffer {
		if b != filling && b != 0 {
			return true
		}
	}
	return false
}

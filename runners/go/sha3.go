//go:build go1.24

// SHA-3 of the standard library, which has it from Go 1.24 on.

package main

import (
	"crypto/sha3"
	"hash"
)

// shakeLength is how many bytes of SHAKE128's output are taken.
const shakeLength = 32

func stdSHA3(t task) (call, error) {
	whole := len(t.chunks) == 0
	switch {
	case t.primitive == "sha3-256" && whole:
		return func(dst, _, input []byte) ([]byte, error) {
			sum := sha3.Sum256(input)
			return append(dst, sum[:]...), nil
		}, nil
	case t.primitive == "sha3-256":
		return fresh(newSHA3, t.chunks), nil
	case whole:
		return func(dst, _, input []byte) ([]byte, error) {
			return append(dst, sha3.SumSHAKE128(input, shakeLength)...), nil
		}, nil
	default:
		return func(dst, _, input []byte) ([]byte, error) {
			return squeeze(sha3.NewSHAKE128(), t.chunks, dst, input)
		}, nil
	}
}

func stdSHA3Reused(t task) (call, error) {
	if t.primitive == "sha3-256" {
		return kept(newSHA3(), t.chunks), nil
	}
	state := sha3.NewSHAKE128()
	return func(dst, _, input []byte) ([]byte, error) {
		state.Reset()
		return squeeze(state, t.chunks, dst, input)
	}, nil
}

func newSHA3() hash.Hash { return sha3.New256() }

// squeeze appends the output of a message to dst.
func squeeze(state *sha3.SHAKE, chunks []int, dst, input []byte) ([]byte, error) {
	pieces(state, input, chunks)
	at := len(dst)
	dst = append(dst, make([]byte, shakeLength)...)
	_, err := state.Read(dst[at:])
	return dst, err
}

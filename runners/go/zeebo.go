// go/zeebo-blake3: BLAKE3 of github.com/zeebo/blake3.

package main

import (
	"hash"

	"github.com/zeebo/blake3"
)

func zeebo(t task) (call, error) {
	if t.primitive == "blake3-keyed" {
		return zeeboKeyed(t)
	}
	if len(t.chunks) > 0 {
		return fresh(func() hash.Hash { return blake3.New() }, t.chunks), nil
	}
	return func(dst, _, input []byte) ([]byte, error) {
		sum := blake3.Sum256(input)
		return append(dst, sum[:]...), nil
	}, nil
}

func zeeboKeyed(t task) (call, error) {
	state, err := blake3.NewKeyed(t.key)
	if err != nil || !t.keyPerCall {
		return kept(state, t.chunks), err
	}
	return func(dst, _, input []byte) ([]byte, error) {
		state, err := blake3.NewKeyed(t.key)
		if err != nil {
			return nil, err
		}
		pieces(state, input, t.chunks)
		return state.Sum(dst), nil
	}, nil
}

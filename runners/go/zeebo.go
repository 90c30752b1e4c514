package main

import (
	"hash"

	"github.com/zeebo/blake3"
)

func zeebo(t task) (call, error) {
	if len(t.chunks) > 0 {
		return anew(func() hash.Hash { return blake3.New() }, t.chunks), nil
	}
	return func(dst, _, input []byte) ([]byte, error) {
		sum := blake3.Sum256(input)
		return append(dst, sum[:]...), nil
	}, nil
}

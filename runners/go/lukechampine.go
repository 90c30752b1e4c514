// go/lukechampine-blake3: BLAKE3 of lukechampine.com/blake3.

package main

import (
	"hash"

	"lukechampine.com/blake3"
)

func lukechampine(t task) (call, error) {
	const length = 32
	if t.primitive == "blake3-keyed" {
		if len(t.key) != length {
			return nil, failed("the key has %d bytes, not %d", len(t.key), length) // New would panic
		}
		if t.keyPerCall {
			return fresh(func() hash.Hash { return blake3.New(length, t.key) }, t.chunks), nil
		}
		return kept(blake3.New(length, t.key), t.chunks), nil
	}
	if len(t.chunks) > 0 {
		return fresh(func() hash.Hash { return blake3.New(length, nil) }, t.chunks), nil
	}
	return func(dst, _, input []byte) ([]byte, error) {
		sum := blake3.Sum256(input)
		return append(dst, sum[:]...), nil
	}, nil
}

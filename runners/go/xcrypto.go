// go/x-crypto: golang.org/x/crypto.

package main

import (
	"hash"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"
	"golang.org/x/crypto/chacha20poly1305"
)

func xcrypto(t task) (call, error) {
	switch t.primitive {
	case "chacha20-poly1305":
		return aead(t, chacha20poly1305.New)
	case "xchacha20-poly1305":
		return aead(t, chacha20poly1305.NewX)
	case "blake2b":
		if len(t.chunks) > 0 {
			return keyless(blake2b.New512, t.chunks)
		}
		return func(dst, _, input []byte) ([]byte, error) {
			sum := blake2b.Sum512(input)
			return append(dst, sum[:]...), nil
		}, nil
	default:
		if len(t.chunks) > 0 {
			return keyless(blake2s.New256, t.chunks)
		}
		return func(dst, _, input []byte) ([]byte, error) {
			sum := blake2s.Sum256(input)
			return append(dst, sum[:]...), nil
		}, nil
	}
}

// keyless makes a state without a key in each call.
func keyless(make func(key []byte) (hash.Hash, error), chunks []int) (call, error) {
	return func(dst, _, input []byte) ([]byte, error) {
		state, err := make(nil)
		if err != nil {
			return nil, err
		}
		pieces(state, input, chunks)
		return state.Sum(dst), nil
	}, nil
}

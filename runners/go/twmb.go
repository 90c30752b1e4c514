// go/twmb-murmur3: MurmurHash3 of github.com/twmb/murmur3.

package main

import (
	"encoding/binary"

	"github.com/twmb/murmur3"
)

func twmb(t task) (call, error) {
	if len(t.chunks) > 0 {
		// Its hash.Hash has another price, and a mark is one call.
		return nil, unsupported("twmb-murmur3 takes a message in one piece")
	}
	if t.primitive == "murmur3-32" {
		return func(dst, _, input []byte) ([]byte, error) {
			return binary.LittleEndian.AppendUint32(dst, murmur3.Sum32(input)), nil
		}, nil
	}
	return func(dst, _, input []byte) ([]byte, error) {
		first, second := murmur3.Sum128(input)
		dst = binary.LittleEndian.AppendUint64(dst, first)
		return binary.LittleEndian.AppendUint64(dst, second), nil
	}, nil
}

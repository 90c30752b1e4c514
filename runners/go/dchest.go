// go/dchest-siphash: SipHash of github.com/dchest/siphash.

package main

import (
	"encoding/binary"
	"fmt"
	"hash"

	"github.com/dchest/siphash"
)

func dchest(t task) (call, error) {
	if len(t.key) != 16 {
		return nil, fmt.Errorf("the key has %d bytes, not 16", len(t.key))
	}
	wide := t.primitive == "siphash-2-4-128"
	if len(t.chunks) > 0 {
		return fresh(func() hash.Hash {
			if wide {
				return siphash.New128(t.key)
			}
			return siphash.New(t.key)
		}, t.chunks), nil
	}
	halves := func() (uint64, uint64) {
		return binary.LittleEndian.Uint64(t.key), binary.LittleEndian.Uint64(t.key[8:])
	}
	k0, k1 := halves()
	if wide {
		return func(dst, _, input []byte) ([]byte, error) {
			if t.keyPerCall {
				k0, k1 = halves()
			}
			low, high := siphash.Hash128(k0, k1, input)
			dst = binary.LittleEndian.AppendUint64(dst, low)
			return binary.LittleEndian.AppendUint64(dst, high), nil
		}, nil
	}
	return func(dst, _, input []byte) ([]byte, error) {
		if t.keyPerCall {
			k0, k1 = halves()
		}
		return binary.LittleEndian.AppendUint64(dst, siphash.Hash(k0, k1, input)), nil
	}, nil
}

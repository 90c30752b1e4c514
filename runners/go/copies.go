//go:build go1.25

// Copies of states by hash.Cloner, which the standard library has from Go 1.25 on.

package main

import "hash"

// copied continues with a copy of the prefix's state in each call.
func copied(t task) (call, error) {
	made, known := hashes[t.primitive]
	if t.primitive == "sha3-256" {
		made, known = newSHA3, true
	}
	if !known {
		return nil, unsupported("%s has no hash.Cloner", t.primitive)
	}
	first, copies := made().(hash.Cloner)
	if !copies {
		return nil, unsupported("%s has no hash.Cloner", t.primitive)
	}
	first.Write(t.prefix)
	return func(dst, _, input []byte) ([]byte, error) {
		state, err := first.Clone()
		if err != nil {
			return nil, err
		}
		pieces(state, input, t.chunks)
		return state.Sum(dst), nil
	}, nil
}

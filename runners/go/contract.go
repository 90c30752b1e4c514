// Reads the contract of a workload, and refuses one that this runner does not support.

package main

import (
	"bytes"
	"encoding/json"
)

// A contract describes the timed call: protocol, "The contract".
type contract struct {
	Key    string `json:"key"`
	Nonce  string `json:"nonce"`
	AD     int    `json:"ad"`
	Chunk  int    `json:"chunk"`
	Output string `json:"output"`
	Inputs string `json:"inputs"`
	Align  string `json:"align"`
	// Threads is how many threads make the calls of a slice.
	Threads int    `json:"threads"`
	Shared  string `json:"shared"`
	// Lengths is "equal", or {"drawn": ...}: prepare then has a length for each message.
	Lengths json.RawMessage `json:"lengths"`
	drawn   bool
	// Forged is the byte of its tag that is changed in each message of open; nil if they are valid.
	Forged *int `json:"forged"`
	// Prefix is how many bytes come before every message of digest.
	Prefix int `json:"prefix"`
}

// longestPrefix is in bytes.
const longestPrefix = 1 << 16

// prefixSeed is the stream that prefixes are the beginning of: "prefix" in ASCII.
const prefixSeed = 0x707265666978

// parseContract refuses unknown fields and values: the timed work is never guessed.
func parseContract(text json.RawMessage) (contract, error) {
	c := contract{
		Key: "none", Nonce: "none", Output: "given", Inputs: "hot", Align: "varied",
		Threads: 1, Shared: "none",
	}
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.DisallowUnknownFields()
	if err := reader.Decode(&c); err != nil {
		return c, unsupported("this runner does not know this contract: %v", err)
	}
	for _, field := range []struct {
		name, value string
		known       []string
	}{
		{"key", c.Key, []string{"none", "prepared", "per-call"}},
		{"nonce", c.Nonce, []string{"none", "counter"}},
		{"output", c.Output, []string{"given", "fresh"}},
		{"inputs", c.Inputs, []string{"hot", "cold"}},
		{"align", c.Align, []string{"varied", "line"}},
		{"shared", c.Shared, []string{"none"}},
	} {
		if !contains(field.known, field.value) {
			return c, unsupported("this runner has no %s %q", field.name, field.value)
		}
	}
	if err := c.parseLengths(); err != nil {
		return c, err
	}
	if c.Threads < 1 || c.Threads > 1024 {
		return c, unsupported("%d threads: there are 1 to 1024", c.Threads)
	}
	if c.Forged != nil && (*c.Forged < 0 || *c.Forged >= tagLength || c.drawn || c.Threads > 1) {
		return c, unsupported("forged tags have 16 bytes, and messages of one length and thread")
	}
	if c.Prefix < 0 || c.Prefix > longestPrefix {
		return c, unsupported("a prefix has up to %d bytes, not %d", longestPrefix, c.Prefix)
	}
	if c.AD < 0 || c.Chunk < 0 {
		return c, failed("`ad` and `chunk` must not be negative")
	}
	return c, nil
}

// parseLengths tells lengths that are drawn from those that are equal.
func (c *contract) parseLengths() error {
	if c.Lengths == nil || string(c.Lengths) == `"equal"` {
		return nil
	}
	var drawn struct {
		Drawn *[][2]uint64 `json:"drawn"`
	}
	reader := json.NewDecoder(bytes.NewReader(c.Lengths))
	reader.DisallowUnknownFields()
	if err := reader.Decode(&drawn); err != nil || drawn.Drawn == nil {
		return unsupported("this runner has no lengths %s", c.Lengths)
	}
	c.drawn = true
	return nil
}

// prefix returns the bytes before every message; mostly nothing.
func (c contract) prefix() []byte {
	bytes := make([]byte, c.Prefix)
	stream(prefixSeed, bytes)
	return bytes
}

func contains(known []string, value string) bool {
	for _, k := range known {
		if k == value {
			return true
		}
	}
	return false
}

// chunks returns the lengths in which the contract streams a message.
func (c contract) chunks() []int {
	if c.Chunk == 0 {
		return nil
	}
	return []int{c.Chunk}
}

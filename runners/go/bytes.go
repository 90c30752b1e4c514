// The bytes of the protocol: the byte stream, nonces, the fold, and aligned memory.

package main

import (
	"encoding/binary"
	"unsafe"
)

// line is the length of a cache line in bytes.
const line = 64

// stream fills a message from a seed: protocol, "The byte stream".
func stream(seed uint64, out []byte) {
	state := seed
	var word [8]byte
	for len(out) > 0 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		binary.LittleEndian.PutUint64(word[:], z^z>>31)
		out = out[copy(out, word[:]):]
	}
}

// nonceLength is how many bytes a primitive's nonces have.
func nonceLength(primitive string) int {
	if primitive == "xchacha20-poly1305" {
		return 24
	}
	return 12
}

// putNonce sets a nonce of zeros to number i: protocol, "Keys and nonces".
func putNonce(nonce []byte, i uint64) {
	binary.BigEndian.PutUint64(nonce[len(nonce)-8:], i)
}

// start returns up to eight bytes as a little-endian number, zero-padded.
func start(bytes []byte) uint64 {
	if len(bytes) >= 8 {
		return binary.LittleEndian.Uint64(bytes)
	}
	var word [8]byte
	copy(word[:], bytes)
	return binary.LittleEndian.Uint64(word[:])
}

// fold returns the word of an output: protocol, "The fold".
func fold(output []byte) uint64 {
	if n := len(output); n >= 8 {
		return binary.LittleEndian.Uint64(output) + binary.LittleEndian.Uint64(output[n-8:])
	}
	return 2 * start(output)
}

// aligned allocates size bytes at a distance from the start of a cache line. Go's collector does
// not move them.
func aligned(size, offset int) []byte {
	all := make([]byte, size+2*line)
	skip := (line - int(uintptr(unsafe.Pointer(&all[0]))%line)) % line
	from := skip + offset
	return all[from : from+size : from+size]
}

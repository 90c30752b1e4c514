// go/std, go/std-reused and go/std-fips: the standard library.

package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"os"
	"strings"
)

// hashes are the standard library's, by primitive. The hashes of crypto/sha3 are not among them:
// see sha3.go.
var hashes = map[string]func() hash.Hash{
	"sha1": sha1.New, "sha256": sha256.New, "sha512": sha512.New, "sha512-256": sha512.New512_256,
}

// macs are the hashes of the standard library's MACs, by primitive.
var macs = map[string]func() hash.Hash{"hmac-sha256": sha256.New, "hmac-sha512": sha512.New}

// codePath returns the mode of the standard library, which is all that Go reports of its code.
func codePath() string {
	if isFIPS() {
		return "FIPS 140-3 mode"
	}
	return "unknown"
}

func std(t task) (call, error) {
	// A Go that does not know the variable would run other code than go/std-fips says.
	if strings.Contains(os.Getenv("GODEBUG"), "fips140=on") && !isFIPS() {
		return nil, missing("Go has its FIPS 140-3 module from version 1.24 on", aNewerGo)
	}
	if made, isMac := macs[t.primitive]; isMac {
		if t.keyPerCall {
			return fresh(func() hash.Hash { return hmac.New(made, t.key) }, t.chunks), nil
		}
		return kept(hmac.New(made, t.key), t.chunks), nil
	}
	switch t.primitive {
	case "aes-128-gcm", "aes-256-gcm":
		return aead(t, newGCM)
	case "sha3-256", "shake128":
		return stdSHA3(t)
	}
	if len(t.chunks) > 0 {
		return fresh(hashes[t.primitive], t.chunks), nil
	}
	switch t.primitive {
	case "sha1":
		return func(dst, _, input []byte) ([]byte, error) {
			sum := sha1.Sum(input)
			return append(dst, sum[:]...), nil
		}, nil
	case "sha512":
		return func(dst, _, input []byte) ([]byte, error) {
			sum := sha512.Sum512(input)
			return append(dst, sum[:]...), nil
		}, nil
	case "sha512-256":
		return func(dst, _, input []byte) ([]byte, error) {
			sum := sha512.Sum512_256(input)
			return append(dst, sum[:]...), nil
		}, nil
	default:
		return func(dst, _, input []byte) ([]byte, error) {
			sum := sha256.Sum256(input)
			return append(dst, sum[:]...), nil
		}, nil
	}
}

func stdReused(t task) (call, error) {
	if len(t.prefix) > 0 {
		return copied(t)
	}
	if t.primitive == "sha3-256" || t.primitive == "shake128" {
		return stdSHA3Reused(t)
	}
	return kept(hashes[t.primitive](), t.chunks), nil
}

func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

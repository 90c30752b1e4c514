package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
)

// hashes are the standard library's, by primitive.
var hashes = map[string]func() hash.Hash{
	"sha1": sha1.New, "sha256": sha256.New, "sha512": sha512.New,
}

func std(t task) (call, error) {
	switch {
	case t.primitive == "hmac-sha256" && t.keyPerCall:
		return anew(func() hash.Hash { return hmac.New(sha256.New, t.key) }, t.chunks), nil
	case t.primitive == "hmac-sha256":
		return kept(hmac.New(sha256.New, t.key), t.chunks), nil
	case t.primitive == "aes-256-gcm":
		return gcm(t)
	case len(t.chunks) > 0:
		return anew(hashes[t.primitive], t.chunks), nil
	case t.primitive == "sha1":
		return func(dst, _, input []byte) ([]byte, error) {
			sum := sha1.Sum(input)
			return append(dst, sum[:]...), nil
		}, nil
	case t.primitive == "sha512":
		return func(dst, _, input []byte) ([]byte, error) {
			sum := sha512.Sum512(input)
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
	return kept(hashes[t.primitive](), t.chunks), nil
}

// gcm seals or opens with the whole message at once.
func gcm(t task) (call, error) {
	if len(t.chunks) > 0 {
		return nil, unsupported("cipher.AEAD takes whole messages")
	}
	use := seal
	if t.operation == "open" {
		use = open
	}
	if t.keyPerCall {
		return func(dst, nonce, input []byte) ([]byte, error) {
			aead, err := newGCM(t.key)
			if err != nil {
				return nil, err
			}
			return use(aead, dst, nonce, input, t.ad)
		}, nil
	}
	aead, err := newGCM(t.key)
	return func(dst, nonce, input []byte) ([]byte, error) {
		return use(aead, dst, nonce, input, t.ad)
	}, err
}

func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func seal(aead cipher.AEAD, dst, nonce, input, ad []byte) ([]byte, error) {
	if len(nonce) != aead.NonceSize() {
		return nil, errNonce // Seal would panic
	}
	return aead.Seal(dst, nonce, input, ad), nil
}

func open(aead cipher.AEAD, dst, nonce, input, ad []byte) ([]byte, error) {
	if len(nonce) != aead.NonceSize() {
		return nil, errNonce // Open would panic
	}
	output, err := aead.Open(dst, nonce, input, ad)
	if err != nil {
		return nil, errRefused
	}
	return output, nil
}

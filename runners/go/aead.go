// Contenders that seal and open: everything behind Go's interface cipher.AEAD.

package main

import "crypto/cipher"

// tagLength is the length of a tag in bytes.
const tagLength = 16

// aead seals or opens with the whole message at once.
func aead(t task, make func(key []byte) (cipher.AEAD, error)) (call, error) {
	if len(t.chunks) > 0 {
		return nil, unsupported("cipher.AEAD takes whole messages")
	}
	use := seal
	if t.operation == "open" {
		use = open
	}
	if t.keyPerCall {
		return func(dst, nonce, input []byte) ([]byte, error) {
			made, err := make(t.key)
			if err != nil {
				return nil, err
			}
			return use(made, dst, nonce, input, t.ad)
		}, nil
	}
	made, err := make(t.key)
	return func(dst, nonce, input []byte) ([]byte, error) {
		return use(made, dst, nonce, input, t.ad)
	}, err
}

func seal(made cipher.AEAD, dst, nonce, input, ad []byte) ([]byte, error) {
	if len(nonce) != made.NonceSize() {
		return nil, errNonce // Seal would panic
	}
	return made.Seal(dst, nonce, input, ad), nil
}

func open(made cipher.AEAD, dst, nonce, input, ad []byte) ([]byte, error) {
	if len(nonce) != made.NonceSize() {
		return nil, errNonce // Open would panic
	}
	output, err := made.Open(dst, nonce, input, ad)
	if err != nil {
		return nil, errRefused
	}
	return output, nil
}

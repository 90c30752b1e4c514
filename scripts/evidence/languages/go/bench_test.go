// Package evidence has the calls of Cupel's go/std as plain benchmarks.
package evidence

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"fmt"
	"testing"
)

var sink byte

// digest returns a benchmark of a function from a message to a digest.
func digest[D [32]byte | [64]byte](name string, size int, sum func([]byte) D, b *testing.B) {
	message := make([]byte, size)
	b.Run(fmt.Sprintf("%s/digest/%d", name, size), func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			out := sum(message)
			sink ^= out[0]
		}
	})
}

func Benchmark(b *testing.B) {
	b.Run("go/std", func(b *testing.B) {
		for _, size := range []int{16, 64, 1024, 16384} {
			digest("sha256", size, sha256.Sum256, b)
		}
		digest("sha512", 1024, sha512.Sum512, b)
		b.Run("hmac-sha256/mac/64", func(b *testing.B) {
			key, message := make([]byte, 32), make([]byte, 64)
			out := make([]byte, 0, 32)
			for i := 0; i < b.N; i++ {
				mac := hmac.New(sha256.New, key)
				mac.Write(message)
				sink ^= mac.Sum(out)[0]
			}
		})
		for _, size := range []int{16, 64, 1024, 16384} {
			b.Run(fmt.Sprintf("aes-256-gcm/seal/%d", size), func(b *testing.B) {
				block, _ := aes.NewCipher(make([]byte, 32))
				gcm, _ := cipher.NewGCM(block)
				message, nonce := make([]byte, size), make([]byte, 12)
				out := make([]byte, 0, size+16)
				for i := 0; i < b.N; i++ {
					binary.BigEndian.PutUint64(nonce[4:], uint64(i))
					sink ^= gcm.Seal(out, nonce, message, nil)[0]
				}
			})
		}
	})
}

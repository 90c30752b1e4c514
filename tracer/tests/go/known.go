// known makes calls that are known, for the tests of `cupel trace`. With an argument it first waits for
// a line on standard input.
package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"os"
	"sync"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// deep makes a digest so deep in a stack that it may have to grow there: then a function begins twice.
// Its frame is smaller than that of the digest, so that one depth out of a few meets that.
func deep(depth int, data []byte) byte {
	var frame [8]byte
	frame[depth%8] = data[0]
	if depth == 0 {
		sum := sha256.Sum256(data[:17])
		return sum[0]
	}
	return deep(depth-1, data) ^ frame[0]
}

func main() {
	if len(os.Args) > 1 {
		_, err := os.Stdin.Read(make([]byte, 1))
		check(err)
	}
	data := make([]byte, 4096)
	for i := 0; i < 500; i++ {
		sum := sha256.Sum256(data[:64])
		data[0] ^= sum[0]
	}
	for i := 0; i < 7; i++ {
		sum := sha512.Sum512(data[:100])
		data[0] ^= sum[0]
	}
	sum224, sum384 := sha256.Sum224(data[:5]), sha512.Sum384(data[:5])
	sum1, sum256 := sha1.Sum(data[:65]), sha512.Sum512_256(data[:66])
	data[0] ^= sum224[0] ^ sum384[0] ^ sum1[0] ^ sum256[0]

	digest := sha256.New()
	for i := 0; i < 3; i++ {
		digest.Reset()
		digest.Write(data[:10])
		digest.Write(data[:20])
		data[0] ^= digest.Sum(nil)[0]
	}
	for i := 0; i < 4; i++ {
		digest.Reset()
		digest.Write(data[:33])
		data[0] ^= digest.Sum(nil)[0]
	}

	mac := hmac.New(sha256.New, data[:32])
	for i := 0; i < 3; i++ {
		mac.Write(data[:40])
		data[0] ^= mac.Sum(nil)[0]
		mac.Reset()
	}
	mac.Write(data[:64])
	mac.Write(data[:64])
	data[0] ^= mac.Sum(nil)[0]
	long := hmac.New(sha512.New, data[:200])
	long.Write(data[:50])
	data[0] ^= long.Sum(nil)[0]
	old := hmac.New(sha1.New, data[:20])
	old.Write(data[:50])
	data[0] ^= old.Sum(nil)[0]

	block, err := aes.NewCipher(data[:32])
	check(err)
	aead, err := cipher.NewGCM(block)
	check(err)
	nonce := make([]byte, 16)
	for i := 0; i < 3; i++ {
		sealed := aead.Seal(nil, nonce[:12], data[:1000], data[:13])
		_, err := aead.Open(nil, nonce[:12], sealed, data[:13])
		check(err)
	}
	block, err = aes.NewCipher(data[:16])
	check(err)
	aead, err = cipher.NewGCM(block)
	check(err)
	aead.Seal(nil, nonce[:12], nil, nil)
	aead, err = cipher.NewGCMWithNonceSize(block, 16)
	check(err)
	aead.Seal(nil, nonce, data[:500], nil)

	// New stacks that grow, many at a time.
	var all sync.WaitGroup
	for i := 0; i < 2000; i++ {
		all.Add(1)
		go func(depth int) {
			defer all.Done()
			deep(depth, []byte("some seventeen bytes"))
		}(i % 100)
	}
	all.Wait()

	// What the library calls itself.
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	_, err = ecdsa.SignASN1(rand.Reader, key, data[:32])
	check(err)
}

module cupel/runner

go 1.21

require (
	github.com/dchest/siphash v1.2.3
	github.com/minio/sha256-simd v1.0.1
	github.com/twmb/murmur3 v1.1.8
	github.com/zeebo/blake3 v0.2.4
	github.com/zeebo/xxh3 v1.0.2
	golang.org/x/crypto v0.33.0
	lukechampine.com/blake3 v1.3.0
)

require (
	github.com/klauspost/cpuid/v2 v2.2.3 // indirect
	golang.org/x/sys v0.30.0 // indirect
)

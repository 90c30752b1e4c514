module cupel/runner

go 1.21

require (
	github.com/dchest/siphash v1.2.3
	github.com/minio/sha256-simd v1.0.1
	github.com/zeebo/blake3 v0.2.4
)

require (
	github.com/klauspost/cpuid/v2 v2.2.3 // indirect
	golang.org/x/sys v0.0.0-20220704084225-05e143d24a9e // indirect
)

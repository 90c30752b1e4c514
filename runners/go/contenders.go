// The table of contenders, with the offers of each and the function that prepares it.

package main

import (
	"runtime"
	"runtime/debug"
)

// contenders returns all that this runner hosts, in the order of contenders/go.toml.
func contenders() []contender {
	return []contender{
		{
			name: "std", library: "Go's standard library", version: runtime.Version(),
			licence: "BSD-3-Clause",
			summary: "sha256.Sum256 and its like, New where streamed; hmac kept and Reset; NewGCM kept",
			offers: []offer{
				{"sha1", "digest"}, {"sha256", "digest"}, {"sha512", "digest"},
				{"sha512-256", "digest"}, {"sha3-256", "digest"}, {"shake128", "digest"},
				{"hmac-sha256", "mac"}, {"hmac-sha512", "mac"},
				{"aes-128-gcm", "seal"}, {"aes-128-gcm", "open"},
				{"aes-256-gcm", "seal"}, {"aes-256-gcm", "open"},
			},
			prepare: std,
		},
		{
			name: "std-reused", library: "Go's standard library", version: runtime.Version(),
			licence: "BSD-3-Clause", summary: "one hash.Hash, Reset, Write, Sum", copies: true,
			offers: []offer{
				{"sha1", "digest"}, {"sha256", "digest"}, {"sha512", "digest"},
				{"sha512-256", "digest"}, {"sha3-256", "digest"}, {"shake128", "digest"},
			},
			prepare: stdReused,
		},
		{
			name: "minio-sha256-simd", library: "minio/sha256-simd",
			version: of("github.com/minio/sha256-simd"), licence: "Apache-2.0",
			summary: "Sum256, New where streamed",
			offers:  []offer{{"sha256", "digest"}}, prepare: minio,
		},
		{
			name: "dchest-siphash", library: "dchest/siphash",
			version: of("github.com/dchest/siphash"), licence: "CC0-1.0",
			summary: "Hash and Hash128, New where streamed; output little-endian",
			offers:  []offer{{"siphash-2-4", "mac"}, {"siphash-2-4-128", "mac"}}, prepare: dchest,
		},
		{
			name: "zeebo-blake3", library: "zeebo/blake3", version: of("github.com/zeebo/blake3"),
			licence: "CC0-1.0", summary: "Sum256, New where streamed; NewKeyed kept and Reset",
			offers: []offer{{"blake3", "digest"}, {"blake3-keyed", "mac"}}, prepare: zeebo,
		},
		{
			name: "zeebo-xxh3", library: "zeebo/xxh3", version: of("github.com/zeebo/xxh3"),
			licence: "BSD-2-Clause", summary: "Hash; output little-endian",
			offers: []offer{{"xxh3-64", "digest"}}, prepare: xxh3Mark,
		},
		{
			name: "twmb-murmur3", library: "twmb/murmur3", version: of("github.com/twmb/murmur3"),
			licence: "BSD-3-Clause", summary: "Sum32 and Sum128; output little-endian",
			offers: []offer{{"murmur3-32", "digest"}, {"murmur3-128", "digest"}}, prepare: twmb,
		},
		{
			name: "lukechampine-blake3", library: "lukechampine/blake3",
			version: of("lukechampine.com/blake3"), licence: "MIT",
			summary: "Sum256, New where streamed; New with a key kept and Reset",
			offers:  []offer{{"blake3", "digest"}, {"blake3-keyed", "mac"}}, prepare: lukechampine,
		},
		{
			name: "x-crypto", library: "golang.org/x/crypto", version: of("golang.org/x/crypto"),
			licence: "BSD-3-Clause",
			summary: "Sum512 and Sum256, New where streamed; chacha20poly1305.New and NewX kept",
			offers: []offer{
				{"blake2b", "digest"}, {"blake2s", "digest"},
				{"chacha20-poly1305", "seal"}, {"chacha20-poly1305", "open"},
				{"xchacha20-poly1305", "seal"}, {"xchacha20-poly1305", "open"},
			},
			prepare: xcrypto,
		},
		{
			name: "empty", library: "cupel", version: runtime.Version(),
			licence: "MIT OR Apache-2.0",
			summary: "nothing, through the same indirect call: what the harness itself costs",
			offers:  []offer{{"empty", "digest"}},
			prepare: func(task) (call, error) {
				return func(dst, _, _ []byte) ([]byte, error) { return dst, nil }, nil
			},
		},
	}
}

// of returns the version of a module in this program, with the version of Go, which compiled it.
func of(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if dependency.Path == module {
				return dependency.Version + " (" + runtime.Version() + ")"
			}
		}
	}
	return "unknown (" + runtime.Version() + ")"
}

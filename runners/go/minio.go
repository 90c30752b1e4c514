// go/minio-sha256-simd: SHA-256 of github.com/minio/sha256-simd.

package main

import simd "github.com/minio/sha256-simd"

func minio(t task) (call, error) {
	if len(t.chunks) > 0 {
		return fresh(simd.New, t.chunks), nil
	}
	return func(dst, _, input []byte) ([]byte, error) {
		sum := simd.Sum256(input)
		return append(dst, sum[:]...), nil
	}, nil
}

//go:build !go1.24

// Go before 1.24 has no FIPS 140-3 module.

package main

func isFIPS() bool { return false }

//go:build go1.24

// Whether Go's FIPS 140-3 module is on.

package main

import "crypto/fips140"

func isFIPS() bool { return fips140.Enabled() }

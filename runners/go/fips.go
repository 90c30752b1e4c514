//go:build go1.24

package main

import "crypto/fips140"

func isFIPS() bool { return fips140.Enabled() }

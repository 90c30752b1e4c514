//go:build go1.24

package main

import "crypto/fips140"

// stdFIPS is std in a process whose GODEBUG has fips140=on.
func stdFIPS(t task) (call, error) {
	if !fips140.Enabled() {
		return nil, failed("FIPS 140-3 mode is off in this process: GODEBUG has no fips140=on")
	}
	return std(t)
}

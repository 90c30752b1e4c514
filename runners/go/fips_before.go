//go:build !go1.24

package main

func stdFIPS(task) (call, error) {
	return nil, unsupported("Go has its FIPS 140-3 module from version 1.24 on")
}

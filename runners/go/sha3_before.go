//go:build !go1.24

// Go before 1.24 has no SHA-3.

package main

var errSHA3 = missing("Go has crypto/sha3 from version 1.24 on", aNewerGo)

func stdSHA3(task) (call, error)       { return nil, errSHA3 }
func stdSHA3Reused(task) (call, error) { return nil, errSHA3 }

//go:build !go1.24

package main

func isFIPS() bool { return false }

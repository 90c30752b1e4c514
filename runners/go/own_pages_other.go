//go:build !linux

// Code stays in the pages of its file.

package main

import "errors"

// ownPages moves nothing: this is done on Linux only.
func ownPages() error { return errors.New("this system has no mremap") }

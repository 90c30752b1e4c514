//go:build !go1.25

// Before Go 1.25, a hash.Hash has no Clone.

package main

func copied(task) (call, error) {
	return nil, missing("Go has hash.Cloner from version 1.25 on", aNewerGo)
}

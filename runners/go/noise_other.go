//go:build !linux

// Other systems have none of these counters, so a slice reports only Go's own figures.

package main

import "runtime"

// thread returns 0: not known here.
func thread() int { return 0 }

// A moment has nothing here.
type moment struct{}

// A gauge reads nothing here.
type gauge struct{}

func newGauge() *gauge { return nil }

var own = newGauge()

func (*gauge) look() moment { return moment{} }

// noiseOf returns the known noise of several threads.
func noiseOf(_ []part, from, to *runtime.MemStats) reply {
	return moment{}.since(moment{}, from, to)
}

// since returns the known noise: the time of the collector's pauses.
func (moment) since(_ moment, from, to *runtime.MemStats) reply {
	return reply{"gc_ns": to.PauseTotalNs - from.PauseTotalNs}
}

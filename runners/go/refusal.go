// Replies whose status is not ok, as Go's errors.

package main

import (
	"errors"
	"fmt"
)

// A refusal is a reply's status other than ok, and its reason.
type refusal struct {
	status, reason, remedy string
}

func (r *refusal) Error() string { return r.reason }

func failed(format string, values ...any) error {
	return &refusal{status: "failed", reason: fmt.Sprintf(format, values...)}
}

func unsupported(format string, values ...any) error {
	return &refusal{status: "unsupported", reason: fmt.Sprintf(format, values...)}
}

// missing says that the contender needs a part that this machine lacks, which is not a wrong
// answer.
func missing(reason, remedy string) error {
	return &refusal{"missing", reason, remedy}
}

// aNewerGo is the remedy where Go is too old.
const aNewerGo = "cupel install go 1.27, then name the contender with @go-1.27"

// refused returns an error as a refusal; an error of a library is a failure.
func refused(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	return &refusal{status: "failed", reason: err.Error()}
}

// The runner hosts contenders written in Go and speaks the protocol of protocol/SPEC.md on standard
// input and output.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
)

// longestLine is the limit of the protocol, "Transport", in bytes.
const longestLine = 48 << 20

func init() {
	// One thread makes all calls, and the tool holds that thread to the measuring processor. In
	// init this is the process's first thread.
	runtime.LockOSThread()
}

func main() {
	if err := talk(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// talk answers requests until `bye` or the end of the input.
func talk() error {
	// Replies get a descriptor that no library has. The output of a library goes to the log.
	replies := bufio.NewWriterSize(os.Stdout, 1<<16)
	os.Stdout = os.Stderr
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<16), longestLine+1)
	var server server
	for lines.Scan() {
		reply, bye := server.answer(lines.Bytes())
		text, err := json.Marshal(reply)
		if err != nil {
			return err
		}
		// A reply that cannot be written has no reader: the tool has gone.
		replies.Write(text)
		replies.WriteByte('\n')
		if err := replies.Flush(); err != nil {
			return err
		}
		if bye {
			return nil
		}
	}
	return lines.Err()
}

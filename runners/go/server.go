// Reads requests and writes replies: the protocol, without the work of a cell or a call.

package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
)

// A request has the fields of all requests: protocol, "Requests and replies".
type request struct {
	Protocol   *uint64         `json:"protocol"`
	Contender  *string         `json:"contender"`
	Primitive  *string         `json:"primitive"`
	Operation  *string         `json:"operation"`
	Contract   json.RawMessage `json:"contract"`
	Cases      *[]oneCase      `json:"cases"`
	Cell       *uint32         `json:"cell"`
	Workload   *workload       `json:"workload"`
	Seed       *uint64         `json:"seed"`
	Pool       *int            `json:"pool"`
	Lengths    []int           `json:"lengths"`
	Offset     int             `json:"offset"`
	Key        text            `json:"key"`
	AD         text            `json:"ad"`
	First      *uint64         `json:"first"`
	Preroll    *uint64         `json:"preroll"`
	Iterations *uint64         `json:"iterations"`
}

type workload struct {
	Primitive *string         `json:"primitive"`
	Operation *string         `json:"operation"`
	Size      *int            `json:"size"`
	Contract  json.RawMessage `json:"contract"`
	Shape     *string         `json:"shape"`
}

// text is bytes in hex.
type text []byte

func (t *text) UnmarshalJSON(from []byte) error {
	var digits string
	err := json.Unmarshal(from, &digits)
	if err == nil {
		*t, err = hex.DecodeString(digits)
	}
	return err
}

type reply map[string]any

// A server answers requests. The first prepare or compute chooses the contender of the process.
type server struct {
	chosen *contender
	cells  map[uint32]*cell
	crew   crew
}

// answer returns the reply to a line, and whether it was a bye.
func (s *server) answer(line []byte) (reply, bool) {
	var head struct {
		ID  *uint64 `json:"id"`
		Ask *string `json:"ask"`
	}
	err := json.Unmarshal(line, &head)
	id := uint64(0)
	if head.ID != nil {
		id = *head.ID
	}
	var answer reply
	switch {
	case err != nil:
		err = failed("the line is not a request: %v", err)
	case head.ID == nil || head.Ask == nil:
		err = failed("a request has `id` and `ask`")
	default:
		answer, err = s.dispatch(*head.Ask, line)
	}
	if err != nil {
		r := refused(err)
		answer = reply{"status": r.status, "reason": r.reason}
		if r.remedy != "" {
			answer["remedy"] = r.remedy
		}
	} else {
		answer["status"] = "ok"
	}
	answer["id"] = id
	return answer, err == nil && *head.Ask == "bye"
}

func (s *server) dispatch(ask string, line []byte) (reply, error) {
	asks := map[string]func(*request) (reply, error){
		"hello": s.hello, "list": s.list, "compute": s.compute, "prepare": s.prepare,
		"slice": s.slice, "bye": func(*request) (reply, error) { return reply{}, nil },
	}
	act, known := asks[ask]
	if !known {
		return nil, unsupported("this runner does not know the request %q", ask)
	}
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, failed("%s: %v", ask, err)
	}
	return act(&r)
}

func (s *server) hello(r *request) (reply, error) {
	if r.Protocol == nil {
		return nil, failed("`protocol` is missing")
	}
	if *r.Protocol != 1 {
		return nil, &refusal{
			"unsupported", "this runner speaks protocol 1, not " + strconv.FormatUint(*r.Protocol, 10),
			"use the runner and the tool of one release",
		}
	}
	answer := reply{
		"protocol": 1, "runner": "go", "version": "0.1.0", "jit": false,
		"clock": reply{"name": "time.Now (monotonic)", "resolution_ns": resolution()},
	}
	if id := thread(); id != 0 {
		answer["thread"] = id
	}
	return answer, nil
}

// resolution returns the smallest step between two readings of the clock, in ns.
func resolution() int64 {
	least := int64(time.Millisecond)
	last := time.Now()
	for i := 0; i < 20_000; i++ {
		now := time.Now()
		if step := now.Sub(last).Nanoseconds(); step > 0 {
			least = min(least, step)
		}
		last = now
	}
	return least
}

func (s *server) list(*request) (reply, error) {
	var listed []reply
	for _, c := range contenders() {
		listed = append(listed, reply{
			"name": c.name, "library": c.library, "version": c.version, "licence": c.licence,
			"summary": c.summary, "offers": c.offers,
		})
	}
	return reply{"contenders": listed}, nil
}

// choose returns the contender of the process, if it has this name and this offer.
func (s *server) choose(name, primitive, operation string) (*contender, error) {
	if s.chosen == nil {
		for _, c := range contenders() {
			if c.name == name {
				s.chosen = &c
				// So that each fork is a sample of where code lies.
				if err := ownPages(); err != nil {
					fmt.Fprintln(os.Stderr, "the code stays in pages that all processes share:", err)
				}
				break
			}
		}
	}
	if s.chosen == nil {
		return nil, failed("there is no contender %s", name)
	}
	if s.chosen.name != name {
		return nil, failed("this process hosts %s already", s.chosen.name)
	}
	if !s.chosen.has(primitive, operation) {
		return nil, unsupported("%s has no %s of %s", name, operation, primitive)
	}
	return s.chosen, nil
}

// checkLengths checks that each message of the pool has a length, if lengths are drawn.
func checkLengths(r *request, w *workload, terms contract) error {
	if !terms.drawn {
		return nil
	}
	if *w.Shape == "latency" || terms.Threads > 1 {
		return unsupported("lengths are drawn for the throughput of one thread")
	}
	if len(r.Lengths) != *r.Pool {
		return failed("%d lengths for a pool of %d", len(r.Lengths), *r.Pool)
	}
	for _, length := range r.Lengths {
		if length < 0 || length > *w.Size {
			return failed("length %d is not from 0 to %d", length, *w.Size)
		}
	}
	return nil
}

func (s *server) prepare(r *request) (reply, error) {
	w := r.Workload
	if r.Cell == nil || r.Contender == nil || w == nil || r.Seed == nil || r.Pool == nil ||
		w.Primitive == nil || w.Operation == nil || w.Size == nil || w.Shape == nil {
		return nil, failed("prepare has `cell`, `contender`, `workload`, `seed` and `pool`")
	}
	host, err := s.choose(*r.Contender, *w.Primitive, *w.Operation)
	if err != nil {
		return nil, err
	}
	terms, err := parseContract(w.Contract)
	if err != nil {
		return nil, err
	}
	if *r.Pool < 1 || *r.Pool&(*r.Pool-1) != 0 {
		return nil, failed("the pool %d is not a power of two", *r.Pool)
	}
	if *w.Size < 0 || r.Offset < 0 || r.Offset >= line {
		return nil, failed("`size` or `offset` is out of range")
	}
	if err := checkLengths(r, w, terms); err != nil {
		return nil, err
	}
	if len(r.AD) != terms.AD {
		return nil, failed("`ad` has %d bytes, the contract %d", len(r.AD), terms.AD)
	}
	prepared, err := newCell(host, w, terms, r, nil)
	if err != nil {
		return nil, err
	}
	answer := reply{"code_path": codePath()}
	if terms.Threads > 1 {
		if *w.Shape == "latency" {
			return nil, unsupported("latency is that of one thread")
		}
		s.crew.hire(terms.Threads - 1)
		for _, hand := range s.crew.hands[:terms.Threads-1] {
			var other *cell
			var err error
			// On its own thread, which then has the memory at hand.
			hand.do(func() { other, err = newCell(host, w, terms, r, prepared) })
			if err != nil {
				return nil, err
			}
			prepared.others = append(prepared.others, other)
		}
		answer["threads"] = s.crew.numbers(terms.Threads - 1)
	}
	if s.cells == nil {
		s.cells = map[uint32]*cell{}
	}
	s.cells[*r.Cell] = prepared
	// The pool's garbage is collected now, not while calls are timed.
	runtime.GC()
	return answer, nil
}

func (s *server) slice(r *request) (reply, error) {
	if r.Cell == nil || r.First == nil || r.Preroll == nil || r.Iterations == nil {
		return nil, failed("slice has `cell`, `first`, `preroll` and `iterations`")
	}
	c := s.cells[*r.Cell]
	if c == nil {
		return nil, failed("cell %d was not prepared", *r.Cell)
	}
	return c.slice(*r.First, *r.Preroll, *r.Iterations, &s.crew)
}

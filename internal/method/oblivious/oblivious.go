// Package oblivious is the method static/oblivious: where no input reaches anything that time depends on, all runs of a
// simulated machine take the same time, and one run tells it (docs/methods/oblivious.md has the argument).
//
// It must not import what runs or follows anything, nor other methods.
package oblivious

import (
	"fmt"
	"strings"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/premise"
)

// ID is the name of the estimate.
const ID = "static/oblivious"

// Method is the method static/oblivious.
type Method struct{}

// Names implements method.Method.
func (Method) Names() []method.Name {
	return []method.Name{{ID: ID, Explain: "one run, exact for all inputs: none reaches a branch, an address, or whatever else time depends on"}}
}

// Applies implements method.Method: runs of all machines are deterministic.
func (Method) Applies(*machine.Machine) error { return nil }

// SinkError is the error of a run in which inputs reach what its time depends on.
type SinkError struct{ Sink *estimate.Sink }

// Error says where, and by which way.
func (e *SinkError) Error() string {
	const shown = 3 // links, and the input
	var way []string
	for i, l := range e.Sink.SourceChain {
		switch left := len(e.Sink.SourceChain) - 1 - shown; {
		case i < shown || left <= 1 || i == len(e.Sink.SourceChain)-1:
			way = append(way, fmt.Sprintf("%s (%s)", l.Text, l.Pos))
		case i == shown:
			way = append(way, fmt.Sprintf("%d further instructions", left))
		}
	}
	text := fmt.Sprintf("%s: %s can change %s", e.Sink.Pos, e.Sink.By.Phrase(), e.Sink.What)
	if way != nil {
		text += ", by way of " + strings.Join(way, ", ")
	}
	return text
}

// Conclude implements method.Followed: the time of every run is that of the one. The detail of the estimate is an
// *estimate.Oblivious. Errors are *SinkError, and that of a read of memory that nothing has written.
func (Method) Conclude(r *method.Run) (*method.Answer, error) {
	if r.Reached != nil {
		return nil, &SinkError{r.Reached}
	}
	if u := r.Unwritten; u != nil {
		return nil, diag.Errorf(u.Pos, "the kernel reads memory that nothing has written, of which nobody knows what it holds: %s; let the kernel write it first, or give the buffer contents", u.Text)
	}
	e := estimate.Estimate{
		Method: ID, Cycles: r.Cycles, Evidence: estimate.Proven, Assumptions: assumptions(r), Detail: &estimate.Oblivious{Executions: r.Executions},
		ByLine: r.ByLine,
	}
	return &method.Answer{Estimates: []estimate.Estimate{e}}, nil
}

// assumptions are what the time rests on besides the model.
func assumptions(r *method.Run) []string {
	list := []string{
		premise.Timing,
		premise.Alone,
		premise.NoHost,
		premise.RunAddresses,
		premise.Zeros,
	}
	if r.Machine.WarmCopies() {
		list = append(list, premise.WarmCopies)
	} else {
		list = append(list, premise.Cold)
	}
	if r.CPU {
		list = append(list, premise.CPU)
	}
	if r.Machine.Chance() {
		list = append(list, premise.Seed)
	}
	return list
}

package llc

import (
	"context"
	"errors"
	"fmt"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method"
)

// Method is one of the two ways to classify the accesses to the shared cache; it is the name of its
// estimate.
type Method string

// The methods.
const (
	Simple   Method = "static/llc-simple"   // every access of every other core may come between
	Interval Method = "static/llc-interval" // only those of the access intervals between
)

// ErrMachine is the error of a machine that is not of this kind.
var ErrMachine error = &diag.UnsupportedError{Methods: []string{string(Simple), string(Interval)}, Err: errors.New("static/llc-simple and static/llc-interval need a machine whose SMs share a cache with a CPU, such as integrated-fermi")}

// ErrUnregulated is the error of Interval on a machine without access intervals.
var ErrUnregulated error = &diag.UnsupportedError{Methods: []string{string(Interval)}, Err: errors.New(string(Interval) + " needs regulated accesses to the shared cache: without intervals nothing is known of what comes between two accesses; turn the regulator on, or use " + string(Simple))}

// ErrOverflow is the error of a bound that does not fit into 63 bits.
var ErrOverflow error = &diag.OverflowError{Err: errors.New("the bound exceeds 2^63-1 cycles")}

// ID returns the name of the estimate.
func (m Method) ID() string { return string(m) }

// Names implements method.Method.
func (m Method) Names() []method.Name {
	explain := "static, all inputs: any access of another core may come between two of an SM to the shared cache"
	if m == Interval {
		explain = "static, all inputs: between two accesses of an SM to the shared cache come only those of the access intervals between"
	}
	return []method.Name{{ID: m.ID(), Explain: explain}}
}

// Applies implements method.Method: SMs must share a cache with a CPU, and for Interval their accesses
// must be regulated.
func (m Method) Applies(on *machine.Machine) error {
	switch {
	case on.Core != machine.Integrated:
		return fmt.Errorf("%s: %w", on.Name, ErrMachine)
	case m == Interval && !on.Regulated():
		return fmt.Errorf("%s: %w", on.Name, ErrUnregulated)
	}
	return nil
}

// Bound implements method.Static: it bounds the misses in the shared cache and the time of every run of
// the launch, whatever the contents of its inputs and of its buffers but the fixed ones
// (method.Tightest). The detail of the estimate is an *estimate.LLC. Errors are ErrMachine, ErrUnregulated,
// ErrOverflow and those of absexec.Executor.Warp.
func (m Method) Bound(ctx context.Context, p *method.Problem) (*method.Answer, error) {
	if err := m.Applies(p.Machine); err != nil {
		return nil, err
	}
	exact := func(e *estimate.Estimate) bool { return e.Detail.(*estimate.LLC).Exact }
	return method.Tightest(ctx, p, exact, func(p *method.Problem) (*method.Answer, error) { return m.bound(ctx, p) })
}

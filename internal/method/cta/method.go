package cta

import (
	"context"
	"errors"
	"fmt"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method"
)

// ID is the name of the estimate.
const ID = "static/cta"

// ErrMachine is the error of a machine whose times do not compose.
var ErrMachine error = &diag.UnsupportedError{Methods: []string{ID}, Err: errors.New(ID + " needs a machine with barrel cores, such as predictable-rr: on others a locally shorter time can make a run longer (docs/methods/cta.md)")}

// ErrOverflow is the error of a bound that does not fit into 63 bits.
var ErrOverflow error = &diag.OverflowError{Err: errors.New(ID + ": the bound exceeds 2^63-1 cycles")}

// Method is the method static/cta.
type Method struct{}

// Names implements method.Method.
func (Method) Names() []method.Name {
	return []method.Name{{ID: ID, Explain: "static, all inputs: issue time of each warp, and an upper bound of the time in which all warps stall"}}
}

// Applies implements method.Method: the machine must have barrel cores.
func (Method) Applies(m *machine.Machine) error {
	if m.Core != machine.Barrel {
		return fmt.Errorf("%s: %w", m.Name, ErrMachine)
	}
	return nil
}

// Bound implements method.Static: it bounds the time of every run of the launch, whatever the contents
// of its inputs and of its buffers but the fixed ones (method.Tightest). The detail of the estimate is an
// *estimate.CTA. Errors are ErrMachine, ErrOverflow and those of absexec.Executor.Warp.
func (m Method) Bound(ctx context.Context, p *method.Problem) (*method.Answer, error) {
	if err := m.Applies(p.Machine); err != nil {
		return nil, err
	}
	return method.Tightest(ctx, p, (*estimate.Estimate).Exact, func(p *method.Problem) (*method.Answer, error) { return bound(ctx, p) })
}

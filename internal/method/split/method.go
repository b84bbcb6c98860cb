package split

import (
	"context"
	"errors"
	"fmt"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/machine"
	"warpbound/internal/method"
)

// Method bounds launches on machines that split wavefronts in its mode: none, dws or pws.
type Method machine.SplitMode

// ErrMachine is the error of a machine without split cores.
var ErrMachine error = &diag.UnsupportedError{Methods: []string{"split/none", "split/dws", "split/pws"}, Err: errors.New("split/none, split/dws and split/pws need a machine with split cores, such as gcn3-split (docs/methods/split.md)")}

// ID returns the name of the estimate.
func (m Method) ID() string { return "split/" + string(m) }

// Names implements method.Method.
func (m Method) Names() []method.Name {
	explain := "static, all inputs: "
	switch machine.SplitMode(m) {
	case machine.SplitNone:
		explain += "wavefronts execute one path of a branch after the other"
	case machine.DWS:
		explain += "the hardware splits wavefronts where they diverge, on the SIMD that they have"
	case machine.PWS:
		explain += "wavefronts split at split instructions, onto SIMDs of their own"
	}
	return []method.Name{{ID: m.ID(), Explain: explain}}
}

// Applies implements method.Method: the machine must have split cores. In another mode than the
// method's, launches on it have a bound in the method's mode.
func (m Method) Applies(on *machine.Machine) error { return applies(on) }

func applies(on *machine.Machine) error {
	if on.Core != machine.Splitting {
		return fmt.Errorf("%s: %w", on.Name, ErrMachine)
	}
	return nil
}

// Bound implements method.Static: it bounds the time of every run of the launch, whatever the
// contents of its inputs and of its buffers but the fixed ones (method.Tightest). The bounds
// hold for programs whose results do not depend on the order in which the paths of a divergent
// branch execute. The detail of the estimate is an *estimate.Split. The machine of the problem
// must be in the method's mode.
//
// Errors are ErrMachine, ErrOverflow, that of absexec.Unfollowed, an *absexec.UnboundedLoop, those of bsb.New and that of ctx.
func (m Method) Bound(ctx context.Context, p *method.Problem) (*method.Answer, error) {
	if err := m.Applies(p.Machine); err != nil {
		return nil, err
	}
	if mode := p.Machine.Split.Mode.Value; mode != machine.SplitMode(m) {
		return nil, fmt.Errorf("%s: wavefronts split in mode %s, not as %s bounds", p.Machine.Name, mode, m.ID())
	}
	if err := absexec.Unfollowed(p.Graph); err != nil {
		return nil, err
	}
	c, err := newConfig(ctx, p)
	if err != nil {
		return nil, err
	}
	return method.Tightest(ctx, p, (*estimate.Estimate).Exact, func(p *method.Problem) (*method.Answer, error) { return bound(ctx, c.with(p)) })
}

// bound bounds the launch with what its fixed buffers hold.
func bound(ctx context.Context, c *config) (*method.Answer, error) {
	a, err := newAnalysis(ctx, c)
	if err != nil {
		return nil, err
	}
	e, err := a.estimate()
	if err != nil {
		return nil, err
	}
	answer := &method.Answer{Estimates: []estimate.Estimate{*e}, Warnings: a.warnings}
	if a.gaveUp != nil {
		answer.Warnings = append(answer.Warnings, c.GaveUp("no-abstract-execution", "wavefronts are bounded by paths of the flow graph alone", a.gaveUp))
	}
	return answer, nil
}

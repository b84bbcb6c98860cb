package greedy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/premise"
	"warpbound/internal/saturating"
)

// ID is the name of the estimate.
const ID = "static/greedy"

// ErrMachine is the error of a machine that is not of this kind.
var ErrMachine error = &diag.UnsupportedError{Methods: []string{ID}, Err: errors.New(ID + " needs a machine with scoreboards, such as fermi-c2050")}

// ErrWaits is the error of a policy that lets a scheduler wait while a warp could issue.
var ErrWaits error = &diag.UnsupportedError{Methods: []string{ID}, Err: errors.New(ID + " needs a work-conserving policy, and rr waits for a warp whose turn it is while others could issue")}

// ErrBackground is the error of a DRAM that others share.
var ErrBackground error = &diag.UnsupportedError{Methods: []string{ID}, Err: errors.New(ID + " does not bound what others than the kernel do in the DRAM (dram.background)")}

// ErrOverflow is the error of a bound that does not fit into 63 bits.
var ErrOverflow error = &diag.OverflowError{Err: errors.New(ID + ": the bound exceeds 2^63-1 cycles")}

// Method is the method static/greedy.
type Method struct{}

// Names implements method.Method.
func (Method) Names() []method.Name {
	return []method.Name{{ID: ID, Explain: "static, all inputs, every work-conserving schedule and every order of memory service: the longest chain of causes, and all that can delay it"}}
}

// Applies implements method.Method.
func (Method) Applies(m *machine.Machine) error {
	var err error
	switch {
	case m.Core != machine.Scoreboard:
		err = ErrMachine
	case m.SM.Policy.Value == machine.RR:
		err = ErrWaits
	case m.SharesDRAM():
		err = ErrBackground
	default:
		return nil
	}
	return fmt.Errorf("%s: %w", m.Name, err)
}

// Bound implements method.Static: it bounds the time of every run of the launch, whatever the contents of its inputs and of its buffers but
// the fixed ones (method.Tightest). The detail of the estimate is an *estimate.Greedy. Errors are those of Applies, ErrOverflow, those of
// absexec.Executor.Warp, and loops whose bound is stated where threads are scheduled independently.
func (m Method) Bound(ctx context.Context, p *method.Problem) (*method.Answer, error) {
	if err := m.Applies(p.Machine); err != nil {
		return nil, err
	}
	return method.Tightest(ctx, p, nil, func(p *method.Problem) (*method.Answer, error) { return bound(ctx, p) })
}

func bound(ctx context.Context, p *method.Problem) (*method.Answer, error) {
	a, err := newAnalysis(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := a.execute(ctx, p); err != nil {
		return nil, err
	}
	classes, of, err := a.classes()
	if err != nil {
		return nil, err
	}
	e := estimate.Estimate{Method: ID, Evidence: p.Evidence(), Assumptions: append(p.Assumptions(), premise.LaunchAddresses)}
	for l, f := range a.loops {
		header := a.graph.Loops().Loops[l].Header
		if _, evidence, _ := p.LoopBound(header); !f.Forced || evidence != estimate.Annotated {
			continue
		}
		if a.IndependentThreads() {
			return nil, diag.Errorf(a.graph.Blocks[header].Pos, "kernel %s: the bound of the loop at %s is stated and not proven, so that lanes may wait there for others of their warp: %s does not bound how often paths take turns then",
				a.graph.Kernel.Readable(), a.graph.Name(header), ID)
		}
		e.Evidence = estimate.Weakest(e.Evidence, estimate.Annotated)
		e.Assumptions = append(e.Assumptions, premise.Loop(a.graph.Name(header), int64(f.Iterations)))
	}
	if err := a.turns(); err != nil {
		return nil, err
	}
	for _, find := range []func(){func() { a.findL1(classes, of) }, a.findFootprint} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		find()
	}
	t := a.compose(classes, of)
	cycles := t.sum()
	if cycles == saturating.Max {
		return nil, ErrOverflow
	}
	e.Cycles, e.Detail, e.Breakdown, e.ByLine = cycles.Int64(), t.detail(), t.shares(), a.byLine(t)
	return &method.Answer{Estimates: []estimate.Estimate{e}, Warnings: a.warnings}, nil
}

// shares says where the cycles of a bound go.
func (t *terms) shares() []estimate.Share {
	counts := [causes]saturating.Int{stalled: t.waits, crossing: t.requests, tagging: t.requests, fetching: t.fetches}
	var all []estimate.Share
	for of, cycles := range t.cycles {
		if cycles > 0 {
			all = append(all, estimate.Share{Name: causeNames[of], Count: counts[of].Int64(), Cycles: cycles.Int64()})
		}
	}
	slices.SortStableFunc(all, func(s, t estimate.Share) int { return cmp.Compare(t.Cycles, s.Cycles) })
	return all
}

// turns returns an error if paths of a diverged warp may take turns.
func (a *analysis) turns() error {
	if !a.IndependentThreads() {
		return nil
	}
	path, wait := a.Turns()
	for _, results := range a.warps {
		for i := range results {
			p := &results[i].Visitor.(*recorder).path
			if p.waits != nil {
				return diag.Errorf(p.waits.Pos, "kernel %s: some threads of a warp may wait at %s for others, which have gone another way: "+
					"%s does not bound how often what follows is executed then",
					a.graph.Kernel.Readable(), a.graph.Kernel.Format(p.waits), ID)
			}
			if p.diverged && p.sums[branches] >= saturating.Of(min(path, wait)) {
				return diag.Errorf(a.graph.Kernel.Pos, "kernel %s: a warp whose threads diverge may execute %d branches, and paths take turns after %d: %s does not bound what warps execute then",
					a.graph.Kernel.Readable(), p.sums[branches].Int64(), min(path, wait), ID)
			}
		}
	}
	return nil
}

package hybrid

import (
	"context"
	"fmt"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/trace"
)

// The names of the estimates.
const (
	Warp    = "hybrid/warp"
	Dynamic = "hybrid/dynamic"
	Waves   = "hybrid/waves"
)

// Method is the hybrid method.
type Method struct{}

// Names implements method.Method.
func (Method) Names() []method.Name {
	return []method.Name{
		{ID: Warp, Explain: "longest path of one warp, from dispatch to retirement; not a bound of the kernel", Part: "warp"},
		{ID: Dynamic, Explain: "longest path of one warp after the latest observed start of any warp (Eq. 1)"},
		{ID: Waves, Explain: "waves of warps, each warp delayed by the largest observed delay (Eq. 2, completed)"},
	}
}

// Applies implements method.Method: warps must be at one place at a time.
func (Method) Applies(m *machine.Machine) error {
	if m.Core != machine.Splitting || m.Split.Mode.Value == machine.SplitNone {
		return nil
	}
	return fmt.Errorf("the hybrid method needs warps that are at one place at a time, but wavefronts split in mode %s: set mode = \"none\" in the job's [split] table",
		m.Split.Mode.Value)
}

// Record implements method.Measured. It is an error if the kernel's flow graph cannot be extended by
// the edges that divergence adds, or if a fact is about a block without Ipoint. The sinks of
// the recording are Profiles.
func (m Method) Record(p *method.Problem, at method.Placement) (method.Recording, error) {
	if err := together(p); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", p.Graph.Kernel.Readable(), err)
	}
	program, err := m.program(p)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", p.Graph.Kernel.Readable(), err)
	}
	ipg, err := NewIPG(program, at)
	if err != nil {
		return nil, err
	}
	r := &recording{ipg: ipg, kernel: p.Graph.Kernel.Readable(), copies: p.Machine != nil && p.Machine.WarmCopies(), bounds: Bounds{}}
	for _, b := range p.Bounds {
		r.bound(p, b)
	}
	return r, nil
}

// together returns an error if paths of a branch may take turns: then a warp goes from a block of one to any block of another,
// which the edges that divergence adds do not cover. They are those of paths executed one after the other.
func together(p *method.Problem) error {
	if p.Machine == nil || !p.Machine.IndependentThreads() {
		return nil
	}
	for b := range p.Graph.Blocks {
		if len(p.Graph.Succ(b)) > 1 && (p.Uniform == nil || !p.Uniform(b)) {
			return diag.Errorf(p.Graph.Last(b).Pos, "lanes of a warp may diverge here, and %s schedules threads independently (sm.independent_threads), so that paths take turns; "+
				"the hybrid method assumes that a warp executes one path after the other, up to the immediate post-dominator. "+
				"Use a machine without independent threads to bound the kernel under that assumption", p.Machine.Name)
		}
	}
	return nil
}

// program is the kernel as the method sees it.
func (m Method) program(p *method.Problem) (*Program, error) {
	edges := cfg.PublishedDivergentEdges(p.Graph.Flow)
	if !p.PublishedEdges {
		var err error
		if edges, err = cfg.DivergentEdges(p.Graph.Flow, nil); err != nil {
			return nil, err
		}
	}
	program := NewProgram(p.Graph, p.Graph.WithEdges(edges))
	program.Facts = p.Facts
	return program, nil
}

// recording is a placement of Ipoints, with what the job says of the kernel.
type recording struct {
	ipg      *IPG
	kernel   string
	copies   bool // the machine's L2 holds what the host has copied
	bounds   Bounds
	warnings []diag.Warning
}

// bound adds a stated bound. If no transition surely shows the iterations of the loop it can neither be
// used nor checked, which is a warning.
func (r *recording) bound(p *method.Problem, b method.LoopBound) {
	for i := range r.ipg.Loops {
		loop := &r.ipg.Loops[i]
		switch {
		case loop.Header != b.Header:
		case len(loop.Iter) == 0:
			r.warnings = append(r.warnings, diag.Warning{Pos: b.Pos, ID: "unused-loop-bound", Text: fmt.Sprintf(
				"the bound of loop %s has no effect and was not checked: with these Ipoints, no edge proves that a back edge of the loop was taken",
				loop.Name)})
		default:
			maximum, _ := p.Annotated(b.Header)
			r.bounds[b.Header] = LoopBound{Max: maximum, Evidence: estimate.Annotated}
		}
	}
}

func (r *recording) Ipoints() []trace.IpointInfo { return r.ipg.Ipoints }
func (r *recording) OfBlock() []trace.Ipoint     { return r.ipg.OfBlock }

func (r *recording) Follows(from, to trace.Ipoint) bool { return r.ipg.Follows(from, to) }

// Sink returns a *Profile. Where multiprocessors count from an origin of their own, traces come of code in
// the kernel, which may show transitions that the graph does not have.
func (r *recording) Sink(clocks trace.Clocks) trace.Sink {
	return NewProfileOf(r.ipg, Options{Clocks: clocks, Unknown: clocks == trace.PerSM, Copies: r.copies && clocks == trace.Common})
}

func (r *recording) Bound(ctx context.Context, sinks []trace.Sink) (*method.Answer, error) {
	var all *Profile
	for i, s := range sinks {
		p, ok := s.(*Profile)
		switch {
		case !ok:
			return nil, fmt.Errorf("sink %d is no profile of the kernel", i)
		case all == nil:
			all = p
		default:
			if err := all.Merge(p); err != nil {
				return nil, err
			}
		}
	}
	if all == nil {
		all = NewProfile(r.ipg)
	}
	result, err := Analyze(ctx, all, r.bounds)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", r.kernel, err)
	}
	return &method.Answer{
		Estimates: result.Estimates(), Warnings: r.warnings, Runs: all.Runs(), Observed: all.Observed(),
		Model: result.Model, Certificate: result.Solution.Certificate,
	}, nil
}

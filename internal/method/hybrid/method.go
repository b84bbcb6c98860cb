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
	List    = "hybrid/list"
)

// Method is the hybrid method.
type Method struct{}

// Names implements method.Method.
func (Method) Names() []method.Name {
	return []method.Name{
		{ID: Warp, Explain: "longest path of one warp, from dispatch to retirement; not a bound of the kernel", Part: "warp"},
		{ID: Dynamic, Explain: "longest path of one warp after the latest observed start of any warp (Eq. 1)"},
		{ID: Waves, Explain: "waves of warps, each warp delayed by the largest observed delay (Eq. 2, completed)"},
		{ID: List, Explain: "longest path of one warp after CTAs of the longest observed times have taken all slots in turn (list scheduling)"},
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

// Reads implements method.Measured: differences on one clock are enough.
func (Method) Reads(trace.Clocks) error { return nil }

// Record implements method.Measured. It is an error if the kernel's flow graph cannot be extended by
// the edges that divergence adds, or if a fact is about a block without Ipoint. The sinks of
// the recording are Profiles.
func (Method) Record(p *method.Problem, at method.Placement) (method.Recording, error) {
	r, err := record(p, at)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// record makes a recording.
func record(p *method.Problem, at method.Placement) (*recording, error) {
	program, err := programOf(p)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", p.Graph.Kernel.Readable(), err)
	}
	ipg, err := NewIPG(program, at)
	if err != nil {
		return nil, err
	}
	r := &recording{ipg: ipg, graph: p.Graph, points: pointsOf(p, ipg), turns: turns(p), kernel: p.Graph.Kernel.Readable(), copies: p.Machine != nil && p.Machine.WarmCopies(), bounds: Bounds{}, launch: launchOf(p)}
	for _, b := range p.Bounds {
		r.bound(p, b)
	}
	return r, nil
}

// turns reports whether paths of a branch may take turns. Then a warp can go from a block of one to any block of another,
// and the edges that divergence adds, which are those of paths executed one after the other, are not all.
func turns(p *method.Problem) bool {
	if p.Machine == nil || !p.Machine.IndependentThreads() {
		return false
	}
	for b := range p.Graph.Blocks {
		if len(p.Graph.Succ(b)) > 1 && (p.Uniform == nil || !p.Uniform(b)) {
			return true
		}
	}
	return false
}

// launchOf is the geometry of a launch.
func launchOf(p *method.Problem) Launch {
	l := Launch{CTAs: p.CTAs, Warps: p.Warps, Resident: p.Resident}
	if p.Machine != nil {
		l.SMs = int(p.Machine.SM.Count.Value)
	}
	return l
}

// programOf is the kernel as the method sees it.
func programOf(p *method.Problem) (*Program, error) {
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

// pointsOf returns the Ipoints of instructions: those of the blocks that they begin.
func pointsOf(p *method.Problem, g *IPG) []trace.Ipoint {
	points := make([]trace.Ipoint, len(p.Graph.Kernel.Instrs))
	for i := range points {
		points[i] = trace.None
	}
	for b, at := range g.OfBlock {
		points[p.Graph.Blocks[b].Start] = at
	}
	return points
}

// recording is a placement of Ipoints, with what the job says of the kernel.
type recording struct {
	ipg      *IPG
	graph    *cfg.Graph
	points   []trace.Ipoint // by instruction
	kernel   string
	turns    bool // lanes may diverge on a machine that schedules threads independently
	turned   bool // and paths took turns in a run
	copies   bool // the machine's L2 holds what the host has copied
	launch   Launch
	bounds   Bounds
	warnings []diag.Warning
}

// bound adds a stated bound, or what is proven of the loop if that is less. If no transition surely
// shows the iterations of the loop it can neither be used nor checked, which is a warning.
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
			r.bounds[b.Header] = LoopBound{Max: maximum, Evidence: estimate.Annotated, Pos: b.Pos}
			if counted, ok := p.Counted[b.Header]; ok && counted < maximum {
				r.bounds[b.Header] = LoopBound{Max: counted, Evidence: estimate.Proven, Pos: b.Pos}
			}
		}
	}
}

func (r *recording) Ipoints() []trace.IpointInfo { return r.ipg.Ipoints }
func (r *recording) Points() []trace.Ipoint      { return r.points }

func (r *recording) Follows(from, to trace.Ipoint) bool { return r.ipg.Follows(from, to) }

// Interleaved implements method.Recording.
func (r *recording) Interleaved() { r.turned = true }

// Invariant implements method.Recording: what is observed of one run is all the same observed.
func (r *recording) Invariant() {}

// Sink returns a *Profile. Where multiprocessors count from an origin of their own, traces come of code in
// the kernel, which may show transitions that the graph does not have.
func (r *recording) Sink(clocks trace.Clocks) trace.Sink {
	return NewProfileOf(r.ipg, Options{
		Clocks: clocks, Unknown: clocks == trace.PerSM || r.turns, Turns: r.turns, Copies: r.copies && clocks == trace.Common, Launch: r.launch,
	})
}

func (r *recording) Bound(ctx context.Context, sinks []trace.Sink) (*method.Answer, error) {
	all, result, err := r.analyze(ctx, sinks)
	if err != nil {
		return nil, err
	}
	return &method.Answer{
		Estimates: result.Estimates(), Warnings: r.warnings, Runs: all.Runs(), Observed: all.Observed(), Coverage: all.coverage(r.graph),
		Model: result.Model, Certificate: result.Solution.Certificate,
	}, nil
}

// analyze bounds the time of the launch from what profiles took.
func (r *recording) analyze(ctx context.Context, sinks []trace.Sink) (*Profile, *Result, error) {
	all := NewProfile(r.ipg)
	for i, s := range sinks {
		p, ok := s.(*Profile)
		if !ok {
			return nil, nil, fmt.Errorf("sink %d is no profile of the kernel", i)
		}
		if i == 0 {
			all = NewProfileOf(r.ipg, p.options)
		}
		if err := all.Merge(p); err != nil {
			return nil, nil, err
		}
	}
	all.interleaved = r.turned
	result, err := Analyze(ctx, all, r.bounds)
	if err != nil {
		return nil, nil, fmt.Errorf("kernel %s: %w", r.kernel, err)
	}
	return all, result, nil
}

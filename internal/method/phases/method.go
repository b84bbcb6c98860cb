package phases

import (
	"context"
	"errors"
	"fmt"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/graph"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/trace"
)

// ID is the name of the estimate.
const ID = "hybrid/phases"

// ErrOverflow is the error of an estimate that does not fit into 63 bits.
var ErrOverflow error = &diag.OverflowError{Err: errors.New(ID + ": the longest path exceeds 2^63-1 cycles")}

// Method is the hybrid method with phases and contexts. The zero Method has all ingredients.
type Method struct{ Without Ingredients }

// Ingredients are what contexts and windows are made of, each of which can be left out to see what it is worth.
type Ingredients struct {
	CTAs       bool // each CTA has contexts of its own
	Barriers   bool // barriers end phases, and waiting is not charged
	Iterations bool // back edges are counted
	Milestones bool // blocks outside of loops are told apart
	Windows    bool // the size of windows is chosen; without, it is 1
}

// ID is the name of the estimate, which tells what is left out.
func (m Method) ID() string {
	name := ID
	for _, left := range []struct {
		out  bool
		what string
	}{
		{m.Without.CTAs, "CTAs"}, {m.Without.Barriers, "barriers"}, {m.Without.Iterations, "iterations"},
		{m.Without.Milestones, "milestones"}, {m.Without.Windows, "windows"},
	} {
		if left.out {
			name += " without " + left.what
		}
	}
	return name
}

// Names implements method.Method.
func (m Method) Names() []method.Name {
	return []method.Name{{ID: m.ID(), Explain: "longest path over CTAs, phases between barriers, and iterations, with windows that other runs do not refute"}}
}

// Applies implements method.Method: warps must be at one place at a time.
func (Method) Applies(m *machine.Machine) error {
	if m.Core != machine.Splitting || m.Split.Mode.Value == machine.SplitNone {
		return nil
	}
	return fmt.Errorf("%s needs warps that are at one place at a time, but wavefronts split in mode %s: set mode = \"none\" in the job's [split] table",
		ID, m.Split.Mode.Value)
}

const (
	// finest is the largest number of contexts that iterations of a phase of one class of CTAs have before they are thinned out, and
	// contextBudget that of all classes together.
	finest        = 2048
	contextBudget = 1 << 17
	// maxClasses is how many classes of CTAs have contexts of their own, at most. CTAs with consecutive numbers, which start
	// at about the same time, are in one.
	maxClasses = 256
)

// Reads implements method.Measured: runs count from their launch.
func (Method) Reads(clocks trace.Clocks) error {
	if clocks != trace.Common {
		return fmt.Errorf("%s needs cycles that count from the launch, and the clocks of a device's multiprocessors have no common origin", ID)
	}
	return nil
}

// Record implements method.Measured. It is an error if at fails.
func (m Method) Record(p *method.Problem, at method.Placement) (method.Recording, error) {
	sites := method.SitesOf(p.Graph)
	places, err := at(sites)
	if err != nil {
		return nil, err
	}
	r := &recording{
		id: m.ID(), points: findPoints(p.Graph, places, sites), loops: p.Graph.Loops().Loops, without: m.Without, kernel: p.Graph.Kernel.Readable(),
		copies: p.Machine != nil && p.Machine.WarmCopies(), varies: p.Varies, at: make([]trace.Ipoint, len(p.Graph.Kernel.Instrs)),
	}
	ctas := max(1, p.CTAs)
	if r.together = (ctas + maxClasses - 1) / maxClasses; m.Without.CTAs {
		r.together = ctas
	}
	r.fine = int32(min(finest, contextBudget/((ctas+r.together-1)/r.together)))
	for i := range r.at {
		r.at[i] = trace.None
	}
	for i := range r.points {
		r.at[r.points[i].instr] = trace.Ipoint(i)
	}
	return r, nil
}

// recording is what is recorded of a launch.
type recording struct {
	id       string
	points   []point
	at       []trace.Ipoint // by instruction
	loops    []graph.Loop
	without  Ingredients
	kernel   string
	copies   bool
	varies   bool  // runs may take different times
	together int   // CTAs with consecutive numbers that share contexts
	fine     int32 // see spacing
	reserve  int64 // how far above the longest run an estimate is to be, in thousandths
	alike    bool  // or several runs are to take as long as that
}

// class is which contexts a CTA has.
func (r *recording) class(cta int32) int32 { return cta / int32(r.together) }

func (r *recording) Ipoints() []trace.IpointInfo {
	infos := make([]trace.IpointInfo, len(r.points))
	for i := range infos {
		infos[i] = r.points[i].IpointInfo
	}
	return infos
}

func (r *recording) Points() []trace.Ipoint { return r.at }

// Follows implements method.Recording: whatever order warps pass points in is one.
func (r *recording) Follows(_, _ trace.Ipoint) bool { return true }

// Interleaved implements method.Recording: contexts are those that warps show.
func (r *recording) Interleaved() {}

// Reserve implements method.Reserving.
func (r *recording) Reserve(thousandths int64, alike bool) { r.reserve, r.alike = thousandths, alike }

// Invariant implements method.Recording: all runs are alike.
func (r *recording) Invariant() { r.varies = false }

// Sink returns a *profile.
func (r *recording) Sink(trace.Clocks) trace.Sink { return newProfile(r) }

func (r *recording) Bound(ctx context.Context, sinks []trace.Sink) (*method.Answer, error) {
	all := newProfile(r)
	for i, s := range sinks {
		if err := all.Absorb(s); err != nil {
			return nil, fmt.Errorf("sink %d: %w", i, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if all.runs == 0 {
		return nil, fmt.Errorf("kernel %s: no run was observed", r.kernel)
	}
	e, err := all.estimate()
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", r.kernel, err)
	}
	return &method.Answer{Estimates: []estimate.Estimate{*e}, Runs: int(all.runs), Observed: all.observed()}, nil
}

package value

import (
	"context"
	"fmt"
	"strings"

	"warpbound/diag"
	"warpbound/internal/budget"
	"warpbound/internal/cfg"
	"warpbound/internal/constraint"
	"warpbound/internal/flow/access"
	"warpbound/internal/flow/agreement"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/loopbound"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// Result is what is known of the values in a kernel.
type Result struct {
	Graph  *cfg.Graph
	Launch launchfacts.Launch
	Kept   []bool // of Launch.Buffers: it was taken into account what they hold, since the kernel does not write to them

	solution *fixpoint.Solution
	agreed   *agreement.Result
	bounds   []loopbound.Bound // of the loops, in the order of the forest; nil until they are asked for

	divergedOps map[isa.Op]bool // of which lanes execute some apart from others that take part
}

// Analyze finds the values of the registers of a kernel. If ctx ends, the error is that of ctx.
func Analyze(ctx context.Context, g *cfg.Graph, launch launchfacts.Launch) (*Result, error) {
	r, err := analyzeContents(ctx, g, launch)
	if err != nil {
		return nil, err
	}
	bounds, err := r.findBounds(ctx)
	if err != nil {
		return nil, err
	}
	doubted := func() (*fixpoint.Solution, error) { return findDoubted(ctx, g, launch) }
	if err := loopbound.FindRanges(ctx, r.solution, bounds, doubted); err != nil {
		return nil, err
	}
	loopbound.DropCounters(bounds)
	return r, nil
}

// analyzeContents finds the values if instructions load what the buffers of the launch hold, as far as
// the kernel does not write to them.
func analyzeContents(ctx context.Context, g *cfg.Graph, launch launchfacts.Launch) (*Result, error) {
	r, err := analyze(ctx, g, launch, nil)
	if err != nil || len(launch.Buffers) == 0 {
		return r, err
	}
	return withContents(ctx, r)
}

// findBounds returns the bounds of the loops.
func (r *Result) findBounds(ctx context.Context) (bounds []loopbound.Bound, err error) {
	if r.bounds == nil {
		r.bounds, err = loopbound.FindBounds(ctx, r.solution, r.agreed)
	}
	return r.bounds, err
}

// ByWarp returns for each warp of a CTA the bounds that hold for it, as Loops does, but not whether
// they are of use. The launch must be known. The error is that of ctx.
func ByWarp(ctx context.Context, g *cfg.Graph, launch launchfacts.Launch) ([][]loopbound.Bound, error) {
	all := make([][]loopbound.Bound, launch.Warps())
	for w := range all {
		one := launch
		one.OneWarp, one.Warp = true, w
		r, err := analyzeContents(ctx, g, one)
		if err != nil {
			return nil, err
		}
		if all[w], err = r.findBounds(ctx); err != nil {
			return nil, err
		}
		loopbound.DropCounters(all[w])
	}
	return all, nil
}

// analyze finds the values of registers if instructions load what is given.
//
// It supposes at first that lanes of a warp which take part in a shuffle, a vote or a reduction
// execute the same instruction. That holds unless lanes come apart to an operation of the same
// kind, which follows from the result: up to the first execution to which they do, everything is as
// it says.
func analyze(
	ctx context.Context, g *cfg.Graph, launch launchfacts.Launch, known transfer.Loads,
) (*Result, error) {
	divergedOps := make(map[isa.Op]bool)
	for {
		s, err := solve(ctx, g, launch, known, divergedOps, nil)
		if err != nil {
			return nil, err
		}
		agreed, err := agreement.Find(ctx, s, nil)
		if err != nil {
			return nil, err
		}
		news := false
		for op := range agreed.FindDivergedOps() {
			news = news || !divergedOps[op]
			divergedOps[op] = true
		}
		if !news {
			return &Result{Graph: g, Launch: launch, solution: s, agreed: agreed, divergedOps: divergedOps}, nil
		}
	}
}

// TraceAnalysis traces how Analyze finds what registers hold where ways join, and the words of
// symbols; and then what lanes of a warp that execute an instruction together do not agree on.
// Where Analyze begins again, since something that it supposed does not hold, it traces the last
// analysis. The error is that of ctx.
func TraceAnalysis(
	ctx context.Context, g *cfg.Graph, launch launchfacts.Launch, trace constraint.Trace,
) error {
	r, err := analyzeContents(ctx, g, launch)
	if err != nil {
		return err
	}
	s, err := solve(ctx, g, launch, r.solution.Machine.Loads, r.divergedOps, trace)
	if err != nil {
		return err
	}
	_, err = agreement.Find(ctx, s, trace)
	return err
}

// limitedCounters limits how often limits of counters are looked for: once for each loop of a nest
// that the loops inside depend on.
var limitedCounters = budget.Limit{What: "rounds over loops whose counters others limit", At: 4}

// solve is analyze if lanes execute some operations apart from others that take part. What follows
// of counters from the bounds of their loops narrows the solution: what is then known of the loops
// inside gives limits of their counters in turn. trace may be nil.
func solve(
	ctx context.Context, g *cfg.Graph, launch launchfacts.Launch, known transfer.Loads, divergedOps map[isa.Op]bool,
	trace constraint.Trace,
) (*fixpoint.Solution, error) {
	s := fixpoint.NewSolver(g, launch, known, divergedOps)
	s.SetTrace(trace)
	if err := s.Solve(ctx); err != nil {
		return nil, err
	}
	for n := int64(1); ; n++ {
		limits, err := loopbound.FindLimits(ctx, s.Solution)
		if err != nil {
			return nil, err
		}
		if len(limits) == 0 || !s.Machine.Work.Allows(limitedCounters, n) {
			break
		}
		if err := s.NarrowTo(ctx, limits); err != nil {
			return nil, err
		}
	}
	return s.Finish(), nil
}

// findDoubted returns the solution of other numbers: all words of which nothing is stated, and all
// results that can be anything, are taken to be less than a fraction of what their type holds. This
// need not be true. What then is different rests on the range of a type.
func findDoubted(ctx context.Context, g *cfg.Graph, launch launchfacts.Launch) (*fixpoint.Solution, error) {
	launch.Doubted = true
	r, err := analyzeContents(ctx, g, launch)
	if err != nil {
		return nil, err
	}
	return r.solution, nil
}

// Loops returns the bounds of the loops of the flow graph, in the order of its forest.
func (r *Result) Loops() []loopbound.Bound { return r.bounds }

// Accesses describes the accesses to global and shared memory, and those whose addresses
// tell the space, in the order of the instructions. Those that are never executed are
// left out. The error is that of ctx.
func (r *Result) Accesses(ctx context.Context, mem access.Memory) ([]access.Pattern, error) {
	return access.FindPatterns(ctx, r.solution, r.agreed, mem)
}

// Addresses returns what the threads of a launch access: by loads, stores and atomic operations on
// global, shared and generic addresses, in the order of the instructions. Those that are never
// executed are left out.
//
// Counters of loops that change by a constant are replaced by what they begin with, plus that
// constant times a number of iterations. The error is that of ctx.
func (r *Result) Addresses(ctx context.Context) ([]access.Address, error) {
	return access.FindAddresses(ctx, r.solution, r.bounds)
}

// Offsets returns the offsets of accesses that control comes to, in the order of the instructions.
// of has the number of a variable for each instruction that it asks for. The error is that of ctx.
func (r *Result) Offsets(ctx context.Context, of map[int]int32) ([]access.Offset, error) {
	return access.FindOffsets(ctx, r.solution, of)
}

// At returns what a register can hold whenever a thread comes to a block; false if nothing is
// known, or if control never comes there.
func (r *Result) At(block int, reg isa.Reg) (strided.Interval, bool) {
	return r.solution.WordsAt(block, reg)
}

// Infeasible returns the edges of the flow graph along which control never passes, although it may
// come to the block where they begin.
func (r *Result) Infeasible() map[graph.Edge]bool { return r.solution.FindInfeasible() }

// Entering returns what a register can hold whenever a thread enters a loop of the flow graph's
// forest; false if nothing is known, or if control never comes there.
func (r *Result) Entering(loop int, reg isa.Reg) (strided.Interval, bool) {
	return r.solution.WordsEntering(loop, reg)
}

// Work is the work that analyses of the values may do. It keeps the limits at which they gave up.
func (r *Result) Work() *budget.Work { return r.solution.Machine.Work }

// Limited warns of the limits at which analyses of the values gave up until now; nil if there are none.
func (r *Result) Limited() []diag.Warning {
	reached := r.Work().Reached()
	if reached == nil {
		return nil
	}
	return []diag.Warning{{Pos: r.Graph.Kernel.Pos, ID: "facts-limited", Text: fmt.Sprintf(
		"kernel %s was analysed up to limits of work, so that bounds of loops, ranges of addresses and the verdict on "+
			"data races may say less than they could: %s; a greater --effort lifts them",
		r.Graph.Kernel.Readable(), strings.Join(reached, ", "))}}
}

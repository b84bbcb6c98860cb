package workload

import (
	"context"
	"strings"

	"warpbound/internal/cfg"
	"warpbound/internal/constraint"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/gated"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/promote"
	"warpbound/internal/flow/value"
	"warpbound/internal/job"
)

// found keeps what analyses have found of a kernel, of its variants in other modes of splitting, and of both with parts of
// their inputs, for the next method that asks. One goroutine may use it. Of parts it keeps no more than maxKept instructions together.
type found struct {
	of    map[subject]*facts
	parts map[part]*job.Bound
	kept  int // instructions of the kernels of all parts
}

const maxKept = 1 << 16

// KeepFacts returns a workload that keeps what analyses find of it. They change what they keep, so that only one goroutine may
// analyse it at a time; the workload itself keeps nothing, and several may.
func KeepFacts(w *Workload) *Workload {
	all := make([]*found, len(w.Kernels))
	for i := range all {
		all[i] = newFound()
	}
	keeping := func(w *Workload) *Workload {
		own := *w
		own.Kernels = make([]*Kernel, len(w.Kernels))
		for i, k := range w.Kernels {
			kernel := *k
			kernel.found = all[i]
			own.Kernels[i] = &kernel
		}
		return &own
	}
	own := keeping(w)
	if w.whole != nil {
		own.whole = keeping(w.whole)
	}
	return own
}

func newFound() *found {
	return &found{of: make(map[subject]*facts), parts: make(map[part]*job.Bound)}
}

// subject is what the facts that do not depend on times depend on.
type subject struct {
	bound *job.Bound
	graph *cfg.Graph
	width int
	kept  string // Kernel.Kept
	trust bool
}

// part is a part of the inputs of a kernel.
type part struct {
	of          *job.Bound
	param       int
	first, last uint64
}

// facts are what flow analyses find of a subject, each when it is first asked for. What an analysis
// has not found since its context ended is asked for anew.
type facts struct {
	kernel *Kernel
	launch launchfacts.Launch

	promoted *cfg.Graph    // with places of local memory as registers; nil until it is asked for
	values   *value.Result // nil until they are asked for
	verdicts *verdicts     // likewise
	ranks    *Ranks        // likewise
}

// verdicts are which values and branches of a kernel are uniform, or why that is not known.
type verdicts struct {
	*divergence.Result
	err error
}

// factsOf returns what is known of a kernel, if it is taken for granted or not that runs write to no buffer that is read-only.
func factsOf(k *Kernel, trust bool) *facts {
	if k.found == nil {
		return newFacts(k, trust)
	}
	var kept strings.Builder
	for _, yes := range k.Kept {
		if yes {
			kept.WriteByte('1')
		} else {
			kept.WriteByte('0')
		}
	}
	about := subject{k.Bound, k.Graph, k.width(), kept.String(), trust}
	f := k.found.of[about]
	if f == nil {
		f = newFacts(k, trust)
		k.found.of[about] = f
	}
	return f
}

func newFacts(k *Kernel, trust bool) *facts { return &facts{kernel: k, launch: k.launch(trust)} }

// promote returns the graph of the kernel with places of local memory as registers, as far as they can be.
func (f *facts) promote(ctx context.Context) (g *cfg.Graph, err error) {
	if f.promoted == nil {
		f.promoted, f.values, err = promote.Slots(ctx, f.kernel.Graph, f.launch)
	}
	return f.promoted, err
}

// analyzeValues returns what registers hold.
func (f *facts) analyzeValues(ctx context.Context) (*value.Result, error) {
	g, err := f.promote(ctx)
	if err == nil && f.values == nil { // promotion did not take them
		f.values, err = value.Analyze(ctx, g, f.launch)
	}
	return f.values, err
}

// judgeBranches returns which values and branches are uniform.
func (f *facts) judgeBranches(ctx context.Context) (*divergence.Result, error) {
	if f.verdicts == nil {
		g, err := f.promote(ctx)
		if err != nil {
			return nil, err
		}
		found, err := findVerdicts(ctx, g, shapeOf(f.kernel), nil)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		f.verdicts = &verdicts{found, err}
	}
	return f.verdicts.Result, f.verdicts.err
}

// findVerdicts finds which values and branches of a kernel are uniform. trace may be nil.
func findVerdicts(
	ctx context.Context, g *cfg.Graph, shape divergence.Launch, trace constraint.Trace,
) (*divergence.Result, error) {
	form, err := gated.New(ctx, g, shape.Effort)
	if err != nil {
		return nil, err
	}
	return divergence.TraceAnalysis(ctx, form, shape, trace)
}

// shapeOf returns the shape of the launch of a kernel, or without a job what the kernel itself says
// of it.
func shapeOf(k *Kernel) divergence.Launch {
	if k.Bound == nil {
		return divergence.Launch{Block: k.Graph.Kernel.Bounds.ReqNtid}
	}
	spec := k.Bound.Job
	return divergence.Launch{Grid: spec.Grid, Block: spec.Block, Width: k.width(), Effort: spec.Effort}
}

// restricted returns what a kernel is bound to if its inputs are a part of those that they are, with what keeps the facts
// about that: the same whenever it is asked for, as long as the part is kept.
func (f *found) restricted(p part, instructions int, restrict func() *job.Bound) (*job.Bound, *found) {
	if f == nil {
		return restrict(), nil
	}
	if b := f.parts[p]; b != nil {
		return b, f
	}
	b := restrict()
	if f.kept += instructions; f.kept > maxKept {
		return b, newFound()
	}
	f.parts[p] = b
	return b, f
}

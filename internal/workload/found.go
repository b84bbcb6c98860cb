package workload

import (
	"strings"
	"sync"

	"warpbound/internal/cfg"
	"warpbound/internal/constraint"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/gated"
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

// facts are what flow analyses find of a subject, each when it is first asked for.
type facts struct {
	promoted func() (*cfg.Graph, *value.Result) // and perhaps its values
	values   func() *value.Result
	verdicts func() (*divergence.Result, error)
	ranks    *Ranks // nil until they are asked for
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

func newFacts(k *Kernel, trust bool) *facts {
	f, launch := &facts{}, k.launch(trust)
	f.promoted = sync.OnceValues(func() (*cfg.Graph, *value.Result) { return promote.Slots(k.Graph, launch) })
	f.values = sync.OnceValue(func() *value.Result {
		g, values := f.promoted()
		if values != nil {
			return values
		}
		return value.Analyze(g, launch)
	})
	f.verdicts = sync.OnceValues(func() (*divergence.Result, error) {
		g, _ := f.promoted()
		return findVerdicts(g, shapeOf(k), nil)
	})
	return f
}

// findVerdicts finds which values and branches of a kernel are uniform. trace may be nil.
func findVerdicts(g *cfg.Graph, shape divergence.Launch, trace constraint.Trace) (*divergence.Result, error) {
	form, err := gated.New(g)
	if err != nil {
		return nil, err
	}
	return divergence.TraceAnalysis(form, shape, trace)
}

// shapeOf returns the shape of the launch of a kernel, or without a job what the kernel itself says
// of it.
func shapeOf(k *Kernel) divergence.Launch {
	if k.Bound == nil {
		return divergence.Launch{Block: k.Graph.Kernel.Bounds.ReqNtid}
	}
	return divergence.Launch{Grid: k.Bound.Job.Grid, Block: k.Bound.Job.Block, Width: k.width()}
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

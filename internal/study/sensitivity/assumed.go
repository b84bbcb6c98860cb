package sensitivity

import (
	"cmp"
	"context"
	"math"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/workload"
)

// decisive is the part of a bound by which an assumed number has to move it.
const decisive = 0.1

// varyAssumed finds out which of the numbers that the machine assumes decide the least bound that a
// has with evidence that is annotated at least: it asks the method for the bound on machines on
// which one of them is another, words first, on at most so many. It returns nil if there is no such
// bound, or nothing to vary. The error is that of ctx; what was found until then is returned with it.
func (opts *Options) varyAssumed(ctx context.Context, w *workload.Workload, a *estimate.Analysis, limit int) (*estimate.AssumedNumbers, error) {
	bound := a.Strong(estimate.Annotated)
	if bound == nil {
		return nil, nil
	}
	all := workload.Alternatives(w.Machine, w.Kernels...)
	if len(all) == 0 {
		return nil, nil
	}
	out := &estimate.AssumedNumbers{Method: bound.Method, Possible: len(all), Decisive: []estimate.AssumedNumber{}}
	for _, other := range all[:min(limit, len(all))] {
		n := estimate.AssumedNumber{Number: other.Path, Value: other.Value, Other: other.Other}
		if p, w, err := opts.On(other.Machine); err == nil { // else the launch does not fit, for example
			then, _, err := analysis.Static(ctx, p, w, analysis.Request{Methods: []string{bound.Method}, Refusals: true})
			if ctx.Err() != nil {
				break
			}
			if err == nil {
				if e := then.Strong(estimate.Annotated); e != nil {
					n.Cycles = e.Cycles
				}
			}
		}
		out.Varied++
		if n.Cycles == 0 || movement(n.Cycles, bound.Cycles) > decisive {
			out.Decisive = append(out.Decisive, n)
		}
	}
	slices.SortStableFunc(out.Decisive, func(a, b estimate.AssumedNumber) int {
		return cmp.Compare(movement(b.Cycles, bound.Cycles), movement(a.Cycles, bound.Cycles))
	})
	return out, ctx.Err()
}

// movement returns by which part of it a bound moves if it becomes another one. One that is no
// longer there, which is 0, has not moved.
func movement(other, bound int64) float64 {
	if other == 0 {
		return 0
	}
	return math.Abs(float64(other-bound)) / float64(bound)
}

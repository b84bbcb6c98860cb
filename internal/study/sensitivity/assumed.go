package sensitivity

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// maxVaried is on how many machines at most a bound is asked again.
const maxVaried = 16

// decisive is the part of a bound by which an assumed number has to move it.
const decisive = 0.1

// alternative is a number or word that is assumed, and how to have the job ready with another one.
type alternative struct {
	estimate.AssumedNumber
	ready func() (runner.Platform, *workload.Workload, error)
}

// listAlternatives returns the fewest and the most registers of a thread where the job leaves these to
// ptxas, and what may be another than the job's machine assumes.
func (opts *Options) listAlternatives(w *workload.Workload) []alternative {
	var all []alternative
	if counts, err := workload.RegisterCounts(w); err == nil && len(counts) > 1 { // those of several launches have to be stated
		for _, n := range []int{counts[0], counts[len(counts)-1]} {
			all = append(all, alternative{
				estimate.AssumedNumber{Number: "registers of a thread", Value: strconv.Itoa(w.First().Registers), Other: strconv.Itoa(n)},
				func() (runner.Platform, *workload.Workload, error) {
					return opts.With(func(spec *job.Job) { spec.Registers = n })
				}})
		}
	}
	for _, a := range workload.Alternatives(w.Machine, w.Kernels...) {
		all = append(all, alternative{
			estimate.AssumedNumber{Number: a.Path, Value: a.Value, Other: a.Other},
			func() (runner.Platform, *workload.Workload, error) { return opts.On(a.Machine) }})
	}
	return all
}

// varyAssumed finds out which of the numbers that are assumed decide the least bound that a has with
// evidence that is annotated at least: it asks the method for the bound with one of them another, on
// at most so many machines. It returns nil if there is no such bound, or nothing to vary. The error
// is that of ctx; what was found until then is returned with it.
func (opts *Options) varyAssumed(ctx context.Context, w *workload.Workload, a *estimate.Analysis, limit int) (*estimate.AssumedNumbers, error) {
	bound := a.Strong(estimate.Annotated)
	if bound == nil {
		return nil, nil
	}
	all := opts.listAlternatives(w)
	if len(all) == 0 {
		return nil, nil
	}
	out := &estimate.AssumedNumbers{Method: bound.Method, Possible: len(all), Decisive: []estimate.AssumedNumber{}}
	for _, other := range all[:min(limit, len(all))] {
		n := other.AssumedNumber
		p, w, err := other.ready()
		if err != nil {
			continue // such as a launch that does not fit
		}
		then, _, err := analysis.Static(ctx, p, w, analysis.Request{Methods: []string{bound.Method}, Refusals: true})
		if ctx.Err() != nil {
			break
		}
		if err == nil {
			if e := then.Strong(estimate.Annotated); e != nil {
				n.Cycles = e.Cycles
			}
		}
		out.Varied++
		if n.Cycles == 0 || movementOf(n.Cycles, bound.Cycles) > decisive {
			out.Decisive = append(out.Decisive, n)
		}
	}
	slices.SortStableFunc(out.Decisive, func(a, b estimate.AssumedNumber) int {
		return cmp.Compare(movementOf(b.Cycles, bound.Cycles), movementOf(a.Cycles, bound.Cycles))
	})
	return out, ctx.Err()
}

// movementOf returns by which part of it a bound moves if it becomes another one. One that is no
// longer there, which is 0, has not moved.
func movementOf(other, bound int64) float64 {
	if other == 0 {
		return 0
	}
	return math.Abs(float64(other-bound)) / float64(bound)
}

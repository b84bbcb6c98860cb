package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/method"
	"warpbound/internal/partition"
	"warpbound/internal/workload"
)

// The ranges of integer arguments are cut until the bound exceeds the one for some numbers by one part in tolerance at
// most. No more bounds are asked after maxBounded of them, or when abstract execution has executed maxExecuted instructions.
const (
	tolerance   = 100
	maxBounded  = 256
	maxExecuted = 1 << 22
)

// partitioned is what a static method answers of a workload as it is: for parts of the ranges of integer arguments if that
// is less than for all numbers at once. found is what launches before may have left in caches, nil for nothing.
func partitioned(ctx context.Context, w *workload.Workload, m method.Static, found *method.Warm) (*method.Answer, error) {
	effort := int64(0)
	executed := func(n int64) { effort += n }
	whole, err := boundWatched(ctx, w, m, found, executed)
	ranged := workload.RangedArguments(w)
	if err != nil || len(ranged) == 0 {
		return whole, err
	}
	box := make(partition.Box, len(ranged))
	for i := range ranged {
		box[i].Last = ranged[i].Last()
	}
	bounded, allowed := 1, w.First().Bound.Job.Effort
	parts, err := partition.Greatest(part(box, whole), tolerance, func(box partition.Box) (int64, *method.Answer, error) {
		if bounded++; int64(bounded) > allowed.Of(maxBounded) || effort > allowed.Of(maxExecuted) {
			return 0, nil, partition.ErrLimit
		}
		one := w
		for i := range ranged {
			one = ranged[i].Restrict(one, box[i].First, box[i].Last)
		}
		a, err := boundWatched(ctx, one, m, found, executed)
		if err != nil {
			return 0, nil, err
		}
		return a.Estimates[0].Cycles, a, nil
	})
	if err != nil {
		return whole, ctx.Err() // a part for which the method fails says nothing against the bound of the whole
	}
	return ofParts(ranged, &parts), nil
}

func part(box partition.Box, a *method.Answer) partition.Part[*method.Answer] {
	return partition.Part[*method.Answer]{Box: box, Bound: a.Estimates[0].Cycles, Value: a}
}

// ofParts is the answer of the part with the greatest bound, which rests on what all of them rest on.
func ofParts(ranged []workload.Ranged, found *partition.Result[*method.Answer]) *method.Answer {
	answer := *found.Greatest.Value
	if found.Limited {
		answer.Warnings = append(slices.Clone(answer.Warnings), partitionLimit(ranged, found))
	}
	if len(found.Parts) == 1 {
		return &answer
	}
	answer.Estimates = slices.Clone(answer.Estimates)
	e := &answer.Estimates[0]
	split := &estimate.Partition{Parts: len(found.Parts), Bounded: found.Bounded}
	for _, p := range found.Parts {
		own := &p.Value.Estimates[0]
		if d, ok := own.Detail.(*estimate.LLC); ok {
			split.Misses, split.AllMisses = max(split.Misses, d.Misses), max(split.AllMisses, d.AllMisses)
		}
		e.Evidence = estimate.Weakest(e.Evidence, own.Evidence)
		for _, text := range own.Assumptions {
			if !slices.Contains(e.Assumptions, text) {
				e.Assumptions = append(slices.Clone(e.Assumptions), text)
			}
		}
	}
	var conditions []string
	for i := range ranged {
		of := found.Greatest.Box[i]
		conditions = append(conditions, ranged[i].Text(of.First, of.Last))
	}
	split.Inputs = strings.Join(conditions, ", ")
	e.Partition = split
	return &answer
}

// partitionLimit is the warning that more parts could have a lesser bound.
func partitionLimit(ranged []workload.Ranged, found *partition.Result[*method.Answer]) diag.Warning {
	var names []string
	for _, r := range ranged {
		names = append(names, r.Name())
	}
	return diag.Warning{Pos: ranged[0].Pos(), ID: "partition-limit", Text: fmt.Sprintf(
		"%s: after bounds for %d parts of the range of %s no more were asked: the bound may be greater than it need be; state a smaller range, or give a greater --effort",
		found.Greatest.Value.Estimates[0].Method, found.Bounded, strings.Join(names, ", "))}
}

package inspect

import (
	"context"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/access"
	"warpbound/internal/flow/loopbound"
	"warpbound/internal/flow/value"
	"warpbound/internal/graph"
)

// addValues adds to a kernel what the values in it tell of its loops, accesses and data races. It returns what of these it
// does not know, since ctx has ended, and warnings
// of limits of work.
func addValues(
	ctx context.Context, k *estimate.Kernel, j judgement,
) (missing []estimate.Inspected, limited []diag.Warning) {
	r, err := analyzeValues(ctx, j)
	if err != nil {
		return []estimate.Inspected{estimate.InspectedLoops, estimate.InspectedAccesses, estimate.InspectedRaces}, nil
	}
	if err := boundLoops(ctx, k, r); err != nil {
		missing = append(missing, estimate.InspectedLoops)
	}
	if k.Accesses, err = describeAccesses(ctx, r); err != nil {
		missing = append(missing, estimate.InspectedAccesses)
	}
	if k.Races, err = Races(ctx, r, j.verdicts, true); err != nil {
		missing = append(missing, estimate.InspectedRaces)
	}
	return missing, r.Limited()
}

// analyzeValues returns the values in a kernel. The error is that of ctx.
func analyzeValues(ctx context.Context, j judgement) (*value.Result, error) {
	if err := ctx.Err(); err != nil || j.values != nil {
		return j.values, err
	}
	return value.Analyze(ctx, j.promoted, j.launch)
}

// boundLoops adds bounds to the loops of a kernel. The error is that of ctx.
func boundLoops(ctx context.Context, k *estimate.Kernel, r *value.Result) error {
	bounds := r.Loops()
	var byWarp [][]loopbound.Bound
	if r.Launch.Known() && len(bounds) > 0 {
		var err error
		if byWarp, err = value.ByWarp(ctx, r.Graph, r.Launch); err != nil {
			return err
		}
	}
	for i := range k.Loops {
		bounded(&k.Loops[i], &bounds[i], warps(byWarp, i), r.Launch.Lanes())
	}
	return nil
}

// describeAccesses describes the accesses of a kernel. The error is that of ctx, and then there are none.
func describeAccesses(ctx context.Context, r *value.Result) ([]estimate.Access, error) {
	all := []estimate.Access{}
	patterns, err := r.Accesses(ctx, access.DefaultMemory)
	for _, a := range patterns {
		found := estimate.Access{
			Instr: a.Instr, Pos: place(r.Graph, a.Instr), Kind: a.Kind, Space: a.Space.String(), Bytes: a.Bytes,
			Address: a.Address, Unit: a.Unit(), Min: a.Min, Max: a.Max, Reason: a.Reason,
		}
		if a.HasStride {
			found.Stride = &a.Stride
		}
		all = append(all, found)
	}
	return all, err
}

// warps returns the iterations of a loop for each warp of a CTA; nil if they are the same
// for all of them or not known for one.
func warps(bounds [][]loopbound.Bound, loop int) []int64 {
	var n []int64
	for _, b := range bounds {
		if !b[loop].Known {
			return nil
		}
		n = append(n, b[loop].Iterations)
	}
	if n == nil || slices.Min(n) == slices.Max(n) {
		return nil
	}
	return n
}

// bounded fills in what is known of a loop's iterations.
func bounded(l *estimate.Loop, b *loopbound.Bound, warps []int64, lanes int) {
	l.Reason = b.Reason
	if !b.Known {
		l.Bound += "; " + b.Reason
		return
	}
	if b.Range != "" {
		l.Formula = b.Formula
		l.Bound = "no useful bound: limited only by the range of " + b.Range
		if b.Formula != "" {
			l.Bound += fmt.Sprintf(" (%s iterations)", b.Formula)
		}
		return
	}
	n := b.Iterations
	l.Iterations, l.Evidence, l.Formula, l.Warps = &n, "proven", b.Formula, warps
	if maximum, ok := b.Warp(lanes); ok {
		l.PerWarp = &maximum
	}
	l.Bound = fmt.Sprintf("at most %d iterations", n)
	if b.Formula != "" {
		l.Bound += " (" + b.Formula + ")"
	}
	if warps != nil {
		l.Bound += fmt.Sprintf(", by warp %v", warps)
	}
	l.Bound += ", proven: " + b.Reason
	if !b.Together {
		l.Bound += "; for each thread, since lanes may be in different iterations"
	}
}

// loops describes the loops of a kernel but for their bounds.
func loops(g *cfg.Graph) []estimate.Loop {
	out := []estimate.Loop{}
	for _, l := range g.Loops().Loops {
		out = append(out, loop(g, &l))
	}
	return out
}

func loop(g *cfg.Graph, l *graph.Loop) estimate.Loop {
	found := estimate.Loop{
		Header: g.Name(l.Header), Pos: g.Blocks[l.Header].Source().String(), Depth: l.Depth,
		Back:  names(g, l.Back),
		Bound: "not known: measured, or annotate it in the job's [loop] table",
	}
	for _, b := range l.Body {
		found.Blocks = append(found.Blocks, g.Name(b))
	}
	return found
}

package search

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/cfg"
	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// prove finds the least proven bound that needs no runs, at which searches end. Why there is none is told when what was found is
// compared.
func (s *searching) prove(ctx context.Context) {
	b := s.opts.Bounds
	if b == nil {
		return
	}
	a, _, err := analysis.Static(ctx, s.platform, s.Workload, analysis.Request{Methods: b.Methods, MaxCycles: b.MaxCycles, Refusals: b.Refusals})
	if err != nil {
		return
	}
	if e := minProven(a); e != nil {
		s.enough = e.Cycles
	}
}

// minProven returns the least of the proven bounds of the kernel, nil if there is none.
func minProven(a *estimate.Analysis) *estimate.Estimate {
	var minimum *estimate.Estimate
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if _, other := a.OtherMode(e); e.Evidence == estimate.Proven && e.Bounds() && !other && (minimum == nil || e.Cycles < minimum.Cycles) {
			minimum = e
		}
	}
	return minimum
}

// gap tells how far the longest time is below a bound, and what holds that.
func (s *searching) gap(ctx context.Context, e *estimate.Estimate) (*estimate.SearchGap, error) {
	g := &estimate.SearchGap{
		Bound: e.Cycles, Method: e.Method, Cycles: e.Cycles - s.best, Share: float64(e.Cycles-s.best) / float64(e.Cycles), Parts: []estimate.GapPart{},
	}
	if g.Cycles <= 0 || s.Several() {
		return g, nil
	}
	switch chain, err := chainOf(ctx, s.platform, s.Workload, s.inputs.Inputs, s.opts.MaxCycles); {
	case errors.Is(err, runner.ErrChain): // a device has none
	case err != nil:
		return g, err
	default:
		g.Parts = gapParts(s.First().Graph, e.Breakdown, chain)
	}
	return g, nil
}

// chainOf runs inputs and finds the chain of causes.
func chainOf(ctx context.Context, p runner.Platform, w *workload.Workload, in *job.Inputs, maxCycles int64) (_ *estimate.Chain, err error) {
	r, err := p.Open(w, runner.Options{MaxCycles: maxCycles, Repeats: 1, Chain: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	out, err := r.Run(ctx, in, nil)
	if err != nil {
		return nil, err
	}
	return out.Statistics.Chain(), nil
}

// gapParts sets what a bound consists of beside what blocks take in the chain of causes of a run.
func gapParts(g *cfg.Graph, bound []estimate.Share, chain *estimate.Chain) []estimate.GapPart {
	blocks := make(map[string]int) // by position of an instruction
	for b := range g.Blocks {
		for pc := g.Blocks[b].Start; pc < g.Blocks[b].End; pc++ {
			blocks[g.Kernel.Instrs[pc].Pos.String()] = b
		}
	}
	runs := make([]int64, len(g.Blocks))
	for _, x := range chain.Segments {
		if b, ok := blocks[x.Pos]; ok {
			runs[b] += x.To - x.From
		}
	}
	parts, known := []estimate.GapPart{}, make([]bool, len(g.Blocks))
	for _, share := range bound {
		part := estimate.GapPart{Name: share.Name, Pos: share.Pos, Bound: new(share.Cycles)}
		if b := slices.IndexFunc(g.Blocks, func(b cfg.Block) bool { return b.Name == share.Name && b.Source().String() == share.Pos }); b >= 0 {
			part.Run, known[b] = new(runs[b]), true
		}
		parts = append(parts, part)
	}
	for b, cycles := range runs {
		if cycles > 0 && !known[b] {
			parts = append(parts, estimate.GapPart{Name: g.Blocks[b].Name, Pos: g.Blocks[b].Source().String(), Run: new(cycles)})
		}
	}
	slices.SortStableFunc(parts, func(p, q estimate.GapPart) int { return cmp.Compare(q.Weight(), p.Weight()) })
	return parts
}

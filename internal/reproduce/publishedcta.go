package reproduce

import (
	"context"
	"slices"

	"warpbound/internal/analysis"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/method/cta"
	"warpbound/internal/method/cta/published"
	"warpbound/internal/workload"
)

// publishedCTA is what the published rules of abstract CTA simulation make of a job. It is
// there to be compared with the paper, and no bound: docs/methods/cta.md says where they fail.
type publishedCTA struct {
	Warp     published.Warp
	Result   *published.Result // of the warps of an SM that are resident together
	Waves    int64             // of the SM that has most
	Cycles   int64             // of all of them
	Branches []publishedBranch
}

// publishedBranch is the verdict on a branch.
type publishedBranch struct {
	Name      string // of the branch if it has a label, else of its block
	Divergent bool   // the lanes of a warp may part there
}

// applyPublishedCTA applies the published rules of abstract CTA simulation. The machine must
// have barrel cores, and the kernel must be structured.
func applyPublishedCTA(ctx context.Context, w *workload.Workload) (*publishedCTA, error) {
	if err := w.OneLaunch("the published rules are about"); err != nil {
		return nil, err
	}
	problem, err := analysis.Problem(ctx, w)
	if err != nil {
		return nil, err
	}
	counts, err := cta.Iterations(ctx, problem)
	if err != nil {
		return nil, err
	}
	verdicts, err := w.First().Divergence(ctx)
	if err != nil {
		return nil, err
	}
	divergent := func(block int) bool { return verdicts.Branch(block) == divergence.Divergent }
	p, g := &publishedCTA{}, w.First().Graph
	for b := range g.Len() {
		if len(g.Succ(b)) > 1 {
			p.Branches = append(p.Branches, publishedBranch{branchName(g, b), divergent(b)})
		}
	}
	if p.Warp, err = published.Construct(g, w.Machine, divergent); err != nil {
		return nil, err
	}
	ctas := 1
	for _, n := range w.First().Bound.Job.Grid {
		ctas *= n
	}
	sms := int(w.Machine.SM.Count.Value)
	each := (ctas + sms - 1) / sms // CTAs of the SM that has most
	resident := min(each, problem.Resident)
	p.Waves = int64((each + problem.Resident - 1) / problem.Resident)
	p.Result = published.Simulate(p.Warp, resident*problem.Launch.Warps(), func(loop int) []int {
		return slices.Repeat(counts[loop], resident)
	})
	p.Cycles = p.Waves * p.Result.Cycles
	return p, nil
}

// branchName names the branch at the end of a block.
func branchName(g *cfg.Graph, block int) string {
	for _, l := range g.Kernel.Labels {
		if l.Index == g.Blocks[block].End-1 {
			return l.Name
		}
	}
	return g.Name(block)
}

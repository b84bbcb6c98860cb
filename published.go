package warpbound

import (
	"context"
	"slices"

	"warpbound/internal/flow/divergence"
	"warpbound/internal/method/cta"
	"warpbound/internal/method/cta/published"
)

// PublishedCTA is what the published rules of abstract CTA simulation make of a job. It is
// there to be compared with the paper, and no bound: docs/methods/cta.md says where they fail.
type PublishedCTA struct {
	Warp     published.Warp
	Result   *published.Result // of the warps of an SM that are resident together
	Waves    int64             // of the SM that has most
	Cycles   int64             // of all of them
	Branches []PublishedBranch
}

// PublishedBranch is the verdict on a branch.
type PublishedBranch struct {
	Name      string // of the branch if it has a label, else of its block
	Divergent bool   // the lanes of a warp may part there
}

// PublishedCTA applies the published rules of abstract CTA simulation. The machine must
// have barrel cores, and the kernel must be structured.
func (j *Job) PublishedCTA(ctx context.Context) (*PublishedCTA, error) {
	if err := j.oneLaunch("the published rules are about"); err != nil {
		return nil, err
	}
	problem, err := j.problem()
	if err != nil {
		return nil, err
	}
	counts, err := cta.Iterations(ctx, problem)
	if err != nil {
		return nil, err
	}
	verdicts, err := j.divergence()
	if err != nil {
		return nil, err
	}
	divergent := func(block int) bool { return verdicts.Branch(block) == divergence.Divergent }
	p := &PublishedCTA{}
	for b := range j.graph.Len() {
		if len(j.graph.Succ(b)) > 1 {
			p.Branches = append(p.Branches, PublishedBranch{j.branchName(b), divergent(b)})
		}
	}
	if p.Warp, err = published.Construct(j.graph, j.machine, divergent); err != nil {
		return nil, err
	}
	ctas := 1
	for _, n := range j.bound.Job.Grid {
		ctas *= n
	}
	sms := int(j.machine.SM.Count.Value)
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
func (j *Job) branchName(block int) string {
	for _, l := range j.graph.Kernel.Labels {
		if l.Index == j.graph.Blocks[block].End-1 {
			return l.Name
		}
	}
	return j.graph.Name(block)
}

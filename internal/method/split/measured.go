package split

import (
	"context"
	"fmt"

	"warpbound/estimate"
	"warpbound/internal/method"
	"warpbound/internal/saturating"
)

// Times are what was seen in runs, in cycles.
type Times struct {
	Blocks []int64 // the longest execution of each block of the flow graph; -1 of those that were not seen
	Delay  int64   // the longest from the dispatch of a workgroup to the first instruction of a wavefront
	Runs   int
}

// Measured composes measured times to an estimate as the paper does (Section 7): the longest
// path of a wavefront whose blocks take their longest times, DS times. DS is counted for each
// CU (see Method.Bound). Inputs that were not run may exceed it. Errors are those of Method.Bound.
func Measured(ctx context.Context, p *method.Problem, times Times) (*estimate.Estimate, *estimate.SplitMeasured, error) {
	if err := applies(p.Machine); err != nil {
		return nil, nil, err
	}
	c, err := newConfig(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	a, err := method.Assuming(p, func(p *method.Problem) (*analysis, error) { return newAnalysis(ctx, c.with(p)) })
	if err != nil {
		return nil, nil, err
	}
	d := &estimate.SplitMeasured{Delay: times.Delay, Rounds: a.resident.rounds().Int64(), Blocks: []estimate.BlockTime{}}
	blocks := make([]saturating.Int, len(times.Blocks))
	for b, n := range times.Blocks {
		if n >= 0 {
			blocks[b] = saturating.Of(n)
			d.Blocks = append(d.Blocks, estimate.BlockTime{Name: a.Graph.Name(b), Pos: a.Graph.Blocks[b].Source().String(), Cycles: n})
		}
	}
	k, err := a.kind(a.joint)
	if err != nil {
		return nil, nil, err
	}
	path, err := a.path(k, blocks)
	if err != nil {
		return nil, nil, err
	}
	d.Wavefront = path.Cycles.Int64()
	cycles := path.Cycles.Add(saturating.Of(times.Delay)).Mul(a.resident.rounds())
	if cycles == saturating.Max {
		return nil, nil, ErrOverflow
	}
	e := &estimate.Estimate{
		Method: Method(p.Machine.Split.Mode.Value).ID(), Cycles: cycles.Int64(), Evidence: estimate.Observed, Detail: d,
		Assumptions: []string{
			fmt.Sprintf("no block takes longer than its longest execution in %d runs (observed)", times.Runs),
			fmt.Sprintf("no wavefront begins more than %d cycles after its workgroup is dispatched (observed)", times.Delay),
			fmt.Sprintf("%d of %d blocks were not covered and are assumed infeasible (observed)", len(blocks)-len(d.Blocks), len(blocks)),
		},
	}
	return e, d, nil
}

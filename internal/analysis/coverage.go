package analysis

import (
	"context"

	"warpbound/estimate"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// possible adds to what runs have exercised how often loops can iterate, as far as that is known.
func possible(ctx context.Context, p runner.Platform, w *workload.Workload, c *estimate.Coverage) {
	if c == nil || p.Described() != nil || p.Clocks() != trace.Common {
		return
	}
	problem, err := Problem(ctx, w)
	if err != nil {
		return // then static methods have said why, or ctx has ended
	}
	loops := problem.Graph.Loops().Loops
	for i := range c.Loops {
		if maximum, evidence, ok := problem.LoopBound(loops[i].Header); ok {
			c.Loops[i].Possible, c.Loops[i].Evidence = new(int64(maximum)), evidence
		}
	}
}

package analysis

import (
	"warpbound/estimate"
	"warpbound/internal/workload"
)

// possible adds to what runs have exercised how often loops can iterate, as far as that is known.
func possible(w *workload.Workload, c *estimate.Coverage) {
	if c == nil {
		return
	}
	p, err := Problem(w)
	if err != nil {
		return // then static methods have said why
	}
	loops := p.Graph.Loops().Loops
	for i := range c.Loops {
		if maximum, evidence, ok := p.LoopBound(loops[i].Header); ok {
			c.Loops[i].Possible, c.Loops[i].Evidence = new(int64(maximum)), evidence
		}
	}
}

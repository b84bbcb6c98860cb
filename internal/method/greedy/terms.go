package greedy

import (
	"warpbound/estimate"
	"warpbound/internal/saturating"
)

// terms are what a bound is the sum of, as estimate.Greedy explains them.
type terms struct {
	chain, dispatch, issue, pipelines, unit, stalls, crossbar, caches, tags, blocked, dram saturating.Int

	waits, requests, fetches saturating.Int
}

// cycles is the bound.
func (t *terms) cycles() saturating.Int {
	return saturating.Sum(
		t.chain, t.dispatch, t.issue, t.pipelines, t.unit, t.stalls, t.crossbar, t.caches, t.tags, t.blocked, t.dram)
}

// detail is what is told of them, if the bound fits.
func (t *terms) detail() *estimate.Greedy {
	return &estimate.Greedy{
		Chain: t.chain.Int64(), Dispatch: t.dispatch.Int64(), Issue: t.issue.Int64(), Pipelines: t.pipelines.Int64(),
		Unit: t.unit.Int64(), Stalls: t.stalls.Int64(), Crossbar: t.crossbar.Int64(), Caches: t.caches.Int64(),
		Tags: t.tags.Int64(), Blocked: t.blocked.Int64(), DRAM: t.dram.Int64(),
		Waits: t.waits.Int64(), Requests: t.requests.Int64(), Fetches: t.fetches.Int64(),
	}
}

// Package outside embeds Warpbound as another module does: it can name what the public packages
// export, and nothing else. The tests of Warpbound's own module vet and test it.
package outside

import (
	"fmt"

	"warpbound/estimate"
)

// Details renders what a method says beside its cycles. The error is that of a type which is
// not known here.
func Details(detail estimate.Detail) (string, error) {
	switch d := detail.(type) {
	case nil:
		return "nothing", nil
	case *estimate.HybridWarp:
		return fmt.Sprintf("%d edges, %d loops, %d unobserved, by %s", len(d.Edges), len(d.Loops), d.Unobserved, d.Solver), nil
	case *estimate.HybridDynamic:
		return fmt.Sprintf("warp %d, jitter %d, %d SMs, published %d", d.Warp, d.Jitter, len(d.SMs), d.Published.Cycles), nil
	case *estimate.HybridWaves:
		return fmt.Sprintf("%d waves of %d warps, gap %d", d.Waves, d.WarpsPerWave, d.Gap), nil
	case *estimate.HybridList:
		return fmt.Sprintf("%d CTAs take %d slots, gap %d", d.CTAs, d.Slots, d.Gap), nil
	case *estimate.HybridPlacements:
		return fmt.Sprintf("warp %d, jitter %d, of %d placements: %s", d.Warp, d.Jitter, len(d.Placements), d.Placement), nil
	case *estimate.HybridPhases:
		return fmt.Sprintf("%d contexts, %d transitions, %d sampled runs", d.Contexts, d.Transitions, d.Sampled), nil
	case *estimate.Oblivious:
		return fmt.Sprintf("%d launches executed", d.Executions), nil
	case *estimate.CTA:
		return fmt.Sprintf("issue %d, stall %d, dispatch %d, %d waves, %d loops", d.Issue, d.Stall, d.Dispatch, len(d.Waves), len(d.Loops)), nil
	case *estimate.Greedy:
		return fmt.Sprintf("chain %d, %d requests, %d fetches", d.Chain, d.Requests, d.Fetches), nil
	case *estimate.LLC:
		return fmt.Sprintf("issue %d, stall %d, %d of %d accesses miss, %d cores", d.Issue, d.Stall, d.Misses, d.Accesses, len(d.Cores)), nil
	case *estimate.Split:
		return fmt.Sprintf("%d split SIMDs, %d branches, %d rounds, bounds %v", d.SplitSIMDs, len(d.Splits), d.Rounds, d.Bounds), nil
	case *estimate.SplitMeasured:
		return fmt.Sprintf("wavefront %d, %d rounds, %d blocks", d.Wavefront, d.Rounds, len(d.Blocks)), nil
	case *estimate.Search:
		return fmt.Sprintf("best of %d strategies: %s", len(d.Strategies), d.Best), nil
	case *estimate.Sum:
		return fmt.Sprintf("%d launches", len(d.Launches)), nil
	case *estimate.Figures:
		return fmt.Sprint(d.Figures), nil
	}
	return "", fmt.Errorf("a detail of type %T", detail)
}

// Covered returns how many cycles a chain of causes covers.
func Covered(c *estimate.Chain) (cycles int64) {
	for _, k := range c.ByKind {
		cycles += k.Cycles
	}
	return cycles
}

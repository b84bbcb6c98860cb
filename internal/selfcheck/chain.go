package selfcheck

import (
	"context"
	"reflect"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/platform"
)

// chain makes a run again and asks for its chain of causes. It holds that against the run, all else of which must be the same.
func chain(ctx context.Context, j *platform.Job, name string, vector int, run *analysis.Run) *violation {
	again, err := analysis.Simulate(ctx, j.Platform, j.Workload, analysis.SimulateRequest{Vector: vector, MaxCycles: maxCycles, Chain: true})
	if err != nil {
		return failure("finding the chain of causes of", name, vector, err)
	}
	c := again.Chain
	again.Chain = nil
	if !reflect.DeepEqual(run, again) {
		return result(name, vector, "with its chain of causes test vector %d of %s takes %d cycles, without it %d, or its figures or buffers differ",
			vector, name, again.Cycles, run.Cycles)
	}
	return holdChain(c, name, vector, run.Cycles)
}

// holdChain says where a chain of causes does not tile a run of so many cycles, or explains less than 99 % of it.
func holdChain(c *estimate.Chain, name string, vector int, cycles int64) *violation {
	at, other := int64(0), int64(0)
	for _, s := range c.Segments {
		if s.From != at || s.To <= s.From {
			return result(name, vector, "in the chain of causes of test vector %d of %s a segment from %d to %d follows cycle %d", vector, name, s.From, s.To, at)
		}
		at = s.To
		if s.Kind == "other" {
			other += s.To - s.From
		}
	}
	if at != cycles || 100*other > cycles {
		return result(name, vector, "the chain of causes of test vector %d of %s covers %d of %d cycles, %d of them unexplained", vector, name, at, cycles, other)
	}
	return nil
}

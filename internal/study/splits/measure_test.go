package splits

import (
	"context"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/test/jobtest"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// TestMeasure composes measured times of blocks. They cover the longest run where each
// wavefront of a kernel does the same.
func TestMeasure(t *testing.T) {
	whole := jobtest.Load(t, kernels.Suite(), "vectorAdd/job.toml", "gcn3-split")
	for _, mode := range whole.Modes() {
		j, err := whole.Split(workload.SplitOptions{Mode: mode, Branches: everySplit})
		if err != nil {
			t.Fatal(err)
		}
		e, d, err := Measure(context.Background(), j.Platform, j.Workload, campaign.Spec{Vectors: 1}, 0)
		if err != nil {
			t.Fatal(err)
		}
		run, err := jobtest.Run(context.Background(), j, j.First().Bound.Inputs(0))
		if err != nil {
			t.Fatal(err)
		}
		t.Log(mode, e.Cycles, d.Wavefront, d.Delay, d.Rounds, d.Published, run.Cycles)
		if e.Evidence != estimate.Observed || e.Cycles < run.Cycles || e.Cycles > 3*run.Cycles || len(d.Blocks) == 0 || d.Delay < 8 {
			t.Errorf("%s: %d cycles from %+v; the run takes %d", mode, e.Cycles, d, run.Cycles)
		}
	}
}

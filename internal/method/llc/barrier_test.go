package llc_test

import (
	"context"
	"fmt"
	"testing"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/machine"
)

// TestBarrierDelays bounds kernels with barriers on machines that take long from the last arrival at a
// barrier until its warps are ready, so that what the barriers cost decides: kernels all of whose paths are
// certain, and others, whose bounds are sums.
func TestBarrierDelays(t *testing.T) {
	for job, certain := range map[string]bool{
		"bitonicSort/job.toml":   false,
		"histogram64/worst.toml": true,
		"ludDiagonal/job.toml":   true,
		"nwLower/job.toml":       true,
		"reduction/job.toml":     true,
	} {
		for _, delay := range []int64{4, 60, 100_000} {
			t.Run(fmt.Sprint(job, "/", delay), func(t *testing.T) {
				j := on(t, job, func(m *machine.Machine) {
					m.SM.Barrier.Value = delay
					m.Regulator.Quota.Value = 32
				})
				run, err := j.Simulate(context.Background(), warpbound.SimulateOptions{})
				if err != nil {
					t.Fatal(err)
				}
				simple, interval := estimates(t, j)
				for _, e := range []*estimate.Estimate{simple, interval} {
					if e.Cycles < run.Cycles || e.Detail.(*estimate.LLC).Exact != certain {
						t.Errorf("%s: %d cycles (exact %t), the run takes %d", e.Method, e.Cycles, e.Detail.(*estimate.LLC).Exact, run.Cycles)
					}
					t.Logf("%s: %d, run %d", e.Method, e.Cycles, run.Cycles)
				}
			})
		}
	}
}

package warpbound_test

import (
	"fmt"
	"strings"
	"testing"

	"warpbound/estimate"

	"warpbound"
)

// TestLLC runs one job with shared caches of several sizes and quotas.
func TestLLC(t *testing.T) {
	load := func(machine string) *warpbound.Job {
		j, err := warpbound.Load("kernels/ludPerimeter/job.toml", warpbound.LoadOptions{Machine: machine})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	j := load("integrated-fermi")
	var order []string // by run: how many accesses each core makes
	for _, kib := range []int64{4, 256, 1024} {
		for _, quota := range []int64{0, 2, 32} {
			on := quota > 0
			opts := warpbound.LLCOptions{KiB: &kib, Regulated: &on}
			if on {
				opts.Quota = &quota
			}
			other, err := j.LLC(opts)
			if err != nil {
				t.Fatal(err)
			}
			hits, counts := int64(0), map[int]int64{}
			run, err := other.Simulate(t.Context(), warpbound.SimulateOptions{Access: func(a *estimate.LLCAccess) {
				if a.Hit {
					hits++
				}
				if on && a.Interval != a.Number/quota {
					t.Errorf("access %d of core %d is in interval %d", a.Number, a.Core, a.Interval)
				}
				counts[a.Core]++
			}})
			if err != nil {
				t.Fatal(err)
			}
			if run.Counters["l2_hits"] != hits || (run.Intervals > 0) != on || len(run.Cores) != 16 {
				t.Errorf("%d KiB, quota %d: %d hits, counted %d, %d intervals", kib, quota, hits, run.Counters["l2_hits"], run.Intervals)
			}
			for core, n := range counts {
				if got := run.Cores[core]["llc_accesses"]; got != n {
					t.Errorf("core %d has %d accesses, counted %d", core, n, got)
				}
			}
			order = append(order, fmt.Sprint(counts))
			if order[0] != order[len(order)-1] {
				t.Errorf("with %d KiB and quota %d the SMs make %s accesses, not %s", kib, quota, order[len(order)-1], order[0])
			}
		}
	}
	zero := int64(0)
	if _, err := j.LLC(warpbound.LLCOptions{Quota: &zero}); err == nil || !strings.HasPrefix(err.Error(), "kernels/ludPerimeter/job.toml: a quota of 0") {
		t.Errorf("got %v", err)
	}
	if _, err := load("fermi-c2050").LLC(warpbound.LLCOptions{}); err == nil || !strings.Contains(err.Error(), "whose cache is not shared with a CPU") {
		t.Errorf("got %v", err)
	}
}

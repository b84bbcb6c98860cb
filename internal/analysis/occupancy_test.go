package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/estimate"
	"warpbound/internal/test/jobtest"
	"warpbound/kernels"
)

// TestOccupancy: CTAs of 256 threads fill the 48 warps of an SM of orin-agx six times.
func TestOccupancy(t *testing.T) {
	j := jobtest.Load(t, kernels.Suite(), "reduction/job.toml", "orin-agx")
	want := &estimate.Occupancy{CTAsPerSM: 6, Limit: "threads", Warps: 48, MaxWarps: 48, Waves: 1, Registers: 14, Estimated: true}
	if diff := cmp.Diff(want, Empty(j.Workload).Occupancy); diff != "" {
		t.Error(diff)
	}
	several := jobtest.Load(t, kernels.Suite(), "relaxation/application.toml", "orin-agx")
	if got := Empty(several.Workload).Occupancy; got != nil {
		t.Errorf("%+v of several launches", got)
	}
}

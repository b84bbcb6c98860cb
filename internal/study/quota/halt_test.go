package quota_test

import (
	"context"
	"errors"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/platform"
	"warpbound/internal/study/quota"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// TestInterrupted has the quotas that were tried before the context ended.
func TestInterrupted(t *testing.T) {
	j, err := platform.LoadFS(kernels.Suite(), "reduction/job.toml", "integrated-fermi")
	if err != nil {
		t.Fatal(err)
	}
	for _, last := range []int64{0, 9} {
		ctx, cancel := context.WithCancel(t.Context())
		opts := quota.Options{First: min(last, 1), Last: last, Progress: func(done, _ int) {
			if done == 3 {
				cancel()
			}
		}}
		q, err := quota.Best(ctx, []*workload.Workload{j.Workload}, opts)
		if !errors.Is(err, context.Canceled) || q == nil || len(q.Tried) != 3 || q.Interrupted == nil || q.Interrupted.Reason != estimate.ByCaller {
			t.Errorf("to %d: %+v, %v", last, q, err)
		}
		if q, err := quota.Best(ctx, []*workload.Workload{j.Workload}, opts); q != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("before any: %+v, %v", q, err)
		}
	}
}

// TestConcurrentJobs bounds several jobs at once: each has the bound that it has alone.
func TestConcurrentJobs(t *testing.T) {
	var jobs []*workload.Workload
	for _, name := range []string{"reduction", "vectorAdd", "histogram64"} {
		j, err := platform.LoadFS(kernels.Suite(), name+"/job.toml", "integrated-fermi")
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j.Workload)
	}
	opts := quota.Options{First: 3, Last: 4}
	all, err := quota.Best(t.Context(), jobs, opts)
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range jobs {
		alone, err := quota.Best(t.Context(), []*workload.Workload{j}, opts)
		if err != nil {
			t.Fatal(err)
		}
		for n, tried := range alone.Tried {
			if got := all.Tried[n]; got.Quota != tried.Quota || got.Cycles[i] != tried.Cycles[0] {
				t.Errorf("%s: %+v, alone %+v", j.Name(), got, tried)
			}
		}
	}
}

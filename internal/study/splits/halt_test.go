package splits

import (
	"context"
	"errors"
	"slices"
	"testing"

	"warpbound/internal/platform"
	"warpbound/kernels"
)

// TestInterrupted has the modes and branches that were known before the context ended.
func TestInterrupted(t *testing.T) {
	j, err := platform.LoadFS(kernels.Suite(), "bfs/job.toml", "gcn3-split")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		runs    int // until the end
		missing []string
	}{
		{0, nil},
		{5, []string{"split/dws", "split/pws", "points", "choice"}},
		{9, []string{"split/pws", "points", "choice"}},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		if c.runs == 0 {
			cancel()
		}
		s, err := Compare(ctx, j.Platform, j.Workload, Options{Vectors: 4, Choose: true, Progress: func(done, _ int) {
			if done == c.runs {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || (s == nil) != (c.missing == nil) {
			t.Fatalf("after %d runs: %+v, %v", c.runs, s, err)
		}
		if s != nil && !slices.Equal(s.Interrupted.Missing, c.missing) {
			t.Errorf("after %d runs %v is missing", c.runs, s.Interrupted.Missing)
		}
		cancel()
	}
}

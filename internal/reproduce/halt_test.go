package reproduce

import (
	"context"
	"errors"
	"testing"
)

// TestInterrupted has the kernels that were analysed before the context ended.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	kernels := make(map[string]bool)
	r, err := Paper(ctx, "hybrid", Options{Vectors: 9, Quick: true, Progress: func(kernel string, _, _ int) {
		if kernels[kernel] = true; len(kernels) == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r == nil || len(r.Examples) == 0 || len(r.Tables) != 5 || len(r.Tables[4].Rows) != 1 || r.Interrupted == nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRulesInterrupted has what was known of a job when the context ended, after some runs.
func TestRulesInterrupted(t *testing.T) {
	for _, c := range []struct {
		paper, job string
		after      int // reports of progress
		rows       int
	}{
		{"cta", "halfMul", 3, 2},
		{"hybrid", "halfMul", 3, 1},
		{"hybrid", "halfMul", 12, 3}, // runs of ours are over
		{"llc", "vectorAdd", 3, 1},
		{"split", "vectorAdd", 40, 1},
		{"search", "petriSmall", 12, 1},
	} {
		t.Run(c.paper, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			reports := 0
			opts := Options{Vectors: 9, SearchRuns: 9, Quick: true, Progress: func(string, int, int) {
				if reports++; reports == c.after {
					cancel()
				}
			}}
			r, err := Rules(ctx, c.paper, "../../kernels/"+c.job+"/job.toml", "", opts)
			if !errors.Is(err, context.Canceled) || r == nil || len(r.Tables) != 1 || r.Interrupted == nil {
				t.Fatalf("%+v, %v", r, err)
			}
			if got := len(r.Tables[0].Rows); got < c.rows {
				t.Errorf("%d rows", got)
			}
		})
	}
}

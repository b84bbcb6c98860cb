package greedy_test

import (
	"context"
	"errors"
	"testing"

	"warpbound/internal/analysis"
	"warpbound/internal/method/greedy"
	"warpbound/internal/test/jobtest"
	"warpbound/kernels"
)

// polled is a context that has ended when it was asked so often.
type polled struct {
	context.Context
	left, asked int
}

func (p *polled) Err() error {
	if p.asked++; p.asked > p.left {
		return context.Canceled
	}
	return nil
}

// TestEnded ends the context whenever it is asked: the error is that of the context then, or the
// bound without what buffers hold stands.
func TestEnded(t *testing.T) {
	w := jobtest.Load(t, kernels.Suite(), "vectorAdd/job.toml", "fermi-c2050").Workload
	p, err := analysis.Problem(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	bound := func(left int) (asked int, cycles int64, err error) {
		ctx := &polled{Context: t.Context(), left: left}
		answer, err := greedy.Method{}.Bound(ctx, p)
		if err == nil {
			cycles = answer.Estimates[0].Cycles
		}
		return ctx.asked, cycles, err
	}
	all, whole, err := bound(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	ended := 0
	for left := range all {
		_, cycles, err := bound(left)
		switch {
		case errors.Is(err, context.Canceled):
			ended++
		case err != nil, cycles < whole:
			t.Errorf("ended after %d questions of %d: %d cycles of %d, %v", left, all, cycles, whole, err)
		}
	}
	const accesses, warps, after = 3, 8, 2 // in each warp, of a CTA, and what is found of caches behind that
	if ended < accesses*warps+after {
		t.Errorf("the context is asked %d times", ended)
	}
}

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

package cli

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/halt"
)

// TestWatchMemory ends a command when its memory is used up, and not before.
func TestWatchMemory(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	asked := 0
	watchMemory(ctx, cancel, 800, func() uint64 { asked++; return uint64(698 + asked) })
	why, ok := errors.AsType[*halt.Cause](context.Cause(ctx))
	if !ok || why.Reason != estimate.ByMemory || !strings.Contains(why.Text, "GOMEMLIMIT") || asked != 3 {
		t.Errorf("%v after %d readings", context.Cause(ctx), asked)
	}
	watchMemory(t.Context(), cancel, math.MaxInt64, func() uint64 { t.Error("asked without a limit"); return 0 })
	ended, end := context.WithCancelCause(t.Context())
	end(nil)
	watchMemory(ended, end, 1, func() uint64 { t.Error("asked of a command that has ended"); return 0 })
}

package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"warpbound/estimate"
	"warpbound/internal/halt"
)

// maxMemory is how many bytes a command takes, unless GOMEMLIMIT says otherwise. It does not depend on what the computer has: results
// would.
const maxMemory = 4 << 30

// memoryLimit returns how many bytes a command takes, and has the collector keep to it.
func memoryLimit() int64 {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(maxMemory)
	}
	return debug.SetMemoryLimit(-1)
}

// liveBytes returns how much of the memory was in use when it was last collected.
func liveBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// watchMemory ends a context when seven eighths of a limit are in use, so that what is known can still be printed. More than that is
// not to be had without collecting all the time.
func watchMemory(ctx context.Context, cancel context.CancelCauseFunc, limit int64, live func() uint64) {
	if limit == math.MaxInt64 {
		return
	}
	for range time.Tick(50 * time.Millisecond) {
		switch {
		case ctx.Err() != nil:
			return
		case live() > uint64(limit)/8*7:
			cancel(&halt.Cause{Reason: estimate.ByMemory, Text: fmt.Sprintf("out of memory: %.3g GiB are not enough (GOMEMLIMIT=8GiB in the environment allows more)", float64(limit)/(1<<30))})
			return
		}
	}
}

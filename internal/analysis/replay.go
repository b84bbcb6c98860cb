package analysis

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/bits"

	"warpbound/internal/certify"
	"warpbound/internal/method"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// replay makes the run that stands for all of a launch once more, and notes for a certificate what
// it executed.
func replay(
	ctx context.Context, p runner.Platform, w *workload.Workload, maxCycles int64, m method.Followed,
) (*certify.Replay, error) {
	type tally struct{ warps, lanes int64 }
	tallies := make([]tally, len(w.First().Graph.Kernel.Instrs))
	execution := 0
	issue := func(i *runner.Issue) {
		if i.Execution != execution { // the run was begun anew, since more had to be followed
			execution = i.Execution
			clear(tallies)
		}
		t := &tallies[i.PC]
		t.warps++
		t.lanes += int64(bits.OnesCount64(i.Executed))
	}
	f, err := followRun(ctx, p, w, Request{MaxCycles: maxCycles}, m, issue)
	if err != nil {
		return nil, err
	}
	if f.Reached != nil || f.Unwritten != nil {
		return nil, fmt.Errorf("internal error: a run reaches %v and reads %v when it is made again", f.Reached, f.Unwritten)
	}
	r := &certify.Replay{Cycles: f.Cycles}
	sum := sha256.New()
	for pc, t := range tallies {
		fmt.Fprintf(sum, "%d: %d warps, %d lanes, inputs that reach its execution: none, its addresses: none\n",
			pc, t.warps, t.lanes)
		r.Instructions += t.warps
	}
	r.Digest = hex.EncodeToString(sum.Sum(nil))
	return r, nil
}

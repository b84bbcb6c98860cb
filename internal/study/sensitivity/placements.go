package sensitivity

import (
	"context"
	"fmt"
	"math/rand/v2"

	"warpbound/estimate"
	"warpbound/internal/abi"
	"warpbound/internal/analysis"
	"warpbound/internal/halt"
	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// placements is the name of the analyses with buffers at other addresses among the parts of an analysis.
const placements = "placements"

// GapRange is how many bytes there are at most, exclusively, before a buffer beyond those between all. All sets of the caches, partitions,
// and rows and banks of the memory of every built-in machine that describes a GPU have their turn within it.
const GapRange = 4 << 20

// Gaps draws the gaps of a placement, by parameter of the whole job. They follow from the seed and the number of the placement alone.
func Gaps(spec *job.Job, seed int64, placement int) []uint64 {
	draw := rand.New(rand.NewPCG(uint64(seed), uint64(placement)))
	params := spec.Whole().Params
	gaps := make([]uint64, len(params))
	for i := range params {
		if params[i].Kind == job.Buffer {
			gaps[i] = draw.Uint64N(GapRange/abi.BufferAlign) * abi.BufferAlign
		}
	}
	return gaps
}

// place analyses the job with its buffers at other addresses. Nothing else in the answer depends on it.
func (o *Options) place(ctx context.Context, p runner.Platform, w *workload.Workload, req analysis.Request, a *estimate.Analysis) error {
	hz := w.Machine.Clock.Core.Value
	s := &estimate.Placements{Range: GapRange, Align: abi.BufferAlign, Evidence: estimate.Observed, Estimates: []estimate.SampledEstimates{}}
	s.Samples++
	s.Observed, s.Estimates = widened(s.Observed, s.Estimates, a, hz)
	a.Placements = s
	req = again(req)
	req.Unwatched = true // which data races there are does not depend on addresses
	for i := range o.Placements {
		other, err := analysis.Analyze(ctx, p, workload.Placed(w, Gaps(w.Spec, w.Spec.Seed, i)), req)
		if halt.Ended(ctx, err) {
			a.Interrupted = &estimate.Interruption{Reason: halt.Reason(ctx), Planned: o.Placements, Missing: []string{placements}}
			return err
		} else if err != nil {
			return fmt.Errorf("%s: placement %d of the buffers: %w", w.Name(), i+1, err)
		}
		s.Samples++
		s.Observed, s.Estimates = widened(s.Observed, s.Estimates, other.Analysis, hz)
		if o.Progress != nil {
			o.Progress(i+1, o.Placements)
		}
	}
	return nil
}

// places returns an error if buffers cannot be placed elsewhere.
func places(p runner.Platform, w *workload.Workload, req *analysis.Request) error {
	switch {
	case req.Traces != nil:
		return fmt.Errorf("%s: traces are of runs with the buffers where they were; leave them out, or ask for no other placements", w.Name())
	case p.Described() != nil:
		return fmt.Errorf("%s: where buffers lie is for %s to say; choose a simulated machine, or ask for no other placements", w.Name(), p.Name())
	case len(w.Buffers()) == 0:
		return fmt.Errorf("%s: there is no buffer to place elsewhere; ask for no other placements", w.Name())
	}
	return nil
}

package analysis

import (
	"context"

	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/method"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// reviewing notes how estimates converge.
type reviewing struct {
	ctx        context.Context
	w          *workload.Workload
	recordings []*joint
	points     map[string][]estimate.ConvergencePoint // by estimate
}

func newReviewing(ctx context.Context, w *workload.Workload, recordings []*joint) *reviewing {
	// Where ctx ends, vectors that are under way are taken all the same, and the result is that of as many vectors.
	return &reviewing{context.WithoutCancel(ctx), w, recordings, make(map[string][]estimate.ConvergencePoint)}
}

// review notes what estimates are if there are no further runs. Where they fail, as those of a launch that has not been
// executed so far, there is no point.
func (r *reviewing) review(soFar *campaign.Result, sinks [][]trace.Sink) {
	parts := make([]*method.Answer, len(r.recordings))
	for i, recording := range r.recordings {
		if soFar.Turned {
			recording.Interleaved()
		}
		var err error
		if parts[i], err = recording.Bound(r.ctx, sinks[i]); err != nil {
			return
		}
	}
	answer, err := whole(r.w, parts, seen(r.w, soFar))
	if err != nil {
		return
	}
	if r.w.Several() {
		answer.Observed = &soFar.Observed
	}
	r.note(soFar.Vectors, answer)
}

// note adds a point to each estimate of an answer, in place of one for as many vectors.
func (r *reviewing) note(vectors int, answer *method.Answer) {
	for i := range answer.Estimates {
		e := &answer.Estimates[i]
		points := r.points[e.Method]
		if n := len(points); n > 0 && points[n-1].Vectors == vectors {
			points = points[:n-1]
		}
		r.points[e.Method] = append(points, estimate.ConvergencePoint{Vectors: vectors, Observed: answer.Observed.Max, Cycles: e.Cycles})
	}
}

// enter tells the estimates of the answer to all vectors how they converge.
func (r *reviewing) enter(vectors int, answer *method.Answer) {
	if vectors == 1 {
		return
	}
	r.note(vectors, answer)
	for i := range answer.Estimates {
		e := &answer.Estimates[i]
		e.Convergence = r.points[e.Method]
	}
}

package analysis

import (
	"context"
	"fmt"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/abi"
	"warpbound/internal/campaign"
	"warpbound/internal/flow/influence"
	"warpbound/internal/job"
	"warpbound/internal/method"
	"warpbound/internal/method/untested"
	"warpbound/internal/workload"
)

// reach is what inputs reach of a launch; a reason if that is not known.
type reach struct {
	*influence.Result
	unknown string
}

// reachOf finds what inputs reach of a launch. several says that other launches may have written
// what this one reads. The error is that of ctx.
func reachOf(ctx context.Context, one *workload.Workload, several bool) (reach, error) {
	k := one.First()
	facts, err := k.Divergence(ctx)
	switch {
	case ctx.Err() != nil:
		return reach{}, ctx.Err()
	case err != nil:
		return reach{unknown: "it is not known what inputs reach: " + err.Error()}, nil
	}
	return reach{Result: influence.Find(facts.Form, sourcesOf(k, several))}, nil
}

// findReserve is that of the estimates of a launch, as untested.Reserve says.
func (r reach) findReserve(one *workload.Workload) (thousandths int64, alike bool) {
	if r.Result == nil {
		return 0, true
	}
	return untested.Reserve(one.First().Graph, r.Result)
}

// findDoubts returns why runs of a launch do not exercise all that inputs reach, each with its
// place; nil if they do.
func findDoubts(
	ctx context.Context, one *workload.Workload, reached reach, covered *estimate.Coverage, attacked bool,
) []string {
	switch {
	case reached.Result == nil:
		return []string{reached.unknown}
	case covered == nil:
		return []string{"it is not known what runs have exercised of the kernel"}
	}
	problem, err := Problem(ctx, one)
	if err != nil {
		return []string{"it is not known what inputs reach: " + err.Error()}
	}
	return untested.Find(problem, reached.Result, covered, attacked)
}

// sourcesOf says where the inputs of a kernel are.
func sourcesOf(k *workload.Kernel, several bool) influence.Sources {
	from := influence.Sources{}
	whole := k.Bound.Job.Whole().Params
	for i := range whole {
		if p := &whole[i]; p.Kind == job.Buffer {
			level := influence.None
			switch {
			case p.Content.Kind == job.Uniform:
				level = influence.Direct
			case several && p.Access != job.ReadOnly:
				level = influence.Indirect
			}
			from.Buffers = append(from.Buffers, level)
		}
	}
	launch := k.Launch()
	from.Buffer = func(offset int) (int, bool) {
		to, ok := launch.Pointers[offset]
		return to.Buffer, ok
	}
	sampled := k.Sampled()
	from.Sampled = func(offset, bytes int) bool {
		for _, r := range sampled {
			if at := int(r.Addr - abi.ParamBase); offset < at+r.Bytes && at < offset+bytes {
				return true
			}
		}
		return false
	}
	return from
}

// tryPrediction casts doubts on the estimates of launches, by what their runs have exercised.
func tryPrediction(
	ctx context.Context, req Request, w *workload.Workload, all []*workload.Workload, reached []reach,
	runs *campaign.Result, parts []*method.Answer,
) {
	tried := func(e estimate.Estimate) bool { return e.Prediction != nil && !e.Prediction.Fixed }
	finish, cancel := finishing(ctx, req.Grace)
	defer cancel()
	for i, part := range parts {
		if !slices.ContainsFunc(part.Estimates, tried) {
			continue
		}
		doubts := findDoubts(finish, all[i], reached[i], part.Coverage, len(runs.Adversarial)+len(runs.Inputs) > 0)
		if rounds := roundsDoubt(w, runs, i); rounds != "" {
			doubts = append(doubts, rounds)
		}
		if at := slices.IndexFunc(runs.Adversarial, func(h campaign.AdversarialRun) bool { return h.Err != nil }); at >= 0 {
			doubts = append(doubts, "a run fails with adversarial inputs: "+runs.Adversarial[at].Name)
		}
		castDoubts(doubts, part.Estimates)
		for j := range part.Estimates {
			if p := part.Estimates[j].Prediction; p != nil && ctx.Err() != nil {
				p.Confirmed = nil // their number was not fixed before
			}
		}
	}
}

// roundsDoubt says that no run has executed a launch as often as it may be; nothing if one has.
func roundsDoubt(w *workload.Workload, runs *campaign.Result, launch int) string {
	if !w.Several() || launch >= len(runs.Launches) {
		return ""
	}
	switch may, shown := stated(w)[launch], int64(runs.Launches[launch].MaxCount); {
	case may.err != nil:
		return may.err.Error()
	case shown < may.count:
		return fmt.Sprintf("%v: inputs decide how often a launch is executed: %d times in runs, and up to %d in others",
			w.Spec.Runs()[launch].Pos.Entry, shown, may.count)
	}
	return ""
}

// castDoubts casts doubts on the estimates of a launch that runs have not refuted.
func castDoubts(doubts []string, estimates []estimate.Estimate) {
	for i := range estimates {
		if p := estimates[i].Prediction; p != nil && !p.Fixed && p.Status != estimate.Refuted && doubts != nil {
			p.Status, p.Because = estimate.Untested, slices.Concat(doubts, p.Because)
		}
	}
}

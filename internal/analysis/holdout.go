package analysis

import (
	"context"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/halt"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// heldOutSeed is what is added to the job's seed for held-out vectors.
const heldOutSeed = 1 << 32

// holdOut runs test vectors of another seed, which no estimate rests on, and notes in each estimate of the whole how often
// and how far they exceed it. If ctx ends they are as many as were run until then.
func holdOut(ctx context.Context, p runner.Platform, w *workload.Workload, req Request, a *Answer) ([]diag.Warning, error) {
	if req.Holdout == 0 {
		return nil, nil
	}
	if c := a.Convergence; !w.Spec.Varies() || c != nil && c.Stopped == estimate.StoppedInvariant {
		return []diag.Warning{{Pos: w.Spec.Pos.Kernel, ID: "nothing-held-out",
			Text: "no input that is sampled reaches what time depends on, so that further vectors take as long as those that were run: --holdout has no effect"}}, nil
	}
	req.enter(partHoldout)
	for i := range a.Estimates {
		if e := &a.Estimates[i]; e.Bounds() {
			e.Holdout = &estimate.Holdout{Seed: w.Spec.Seed + heldOutSeed}
		}
	}
	other := workload.Reseeded(w, w.Spec.Seed+heldOutSeed)
	spec, err := heldOutCampaign(p, other, req)
	if err != nil {
		return nil, fmt.Errorf("held-out vectors: %w", err)
	}
	spec.Taken = func(t estimate.RunTime) {
		for i := range a.Estimates {
			if h := a.Estimates[i].Holdout; h != nil {
				h.Vectors++
				h.Max = max(h.Max, t.Cycles)
				if t.Cycles > a.Estimates[i].Cycles {
					h.Exceeded++
				}
			}
		}
		if told := req.Campaign.Taken; told != nil {
			t.Set = estimate.HeldOut
			told(t)
		}
	}
	_, _, err = campaign.Run(ctx, p, other, spec, runner.Options{MaxCycles: req.MaxCycles}, nil)
	if halt.Ended(ctx, err) {
		a.lack(partHoldout)
	} else if err != nil {
		return nil, fmt.Errorf("held-out vectors: %w", err)
	}
	var warnings []diag.Warning
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if h := e.Holdout; h != nil && h.Exceeded > 0 {
			warnings = append(warnings, diag.Warning{Pos: w.Spec.Pos.Kernel, ID: "holdout-exceeded", Text: fmt.Sprintf(
				"%s is exceeded by %d of %d held-out vectors, by %.1f %% at most: do not rely on it for inputs like these; more vectors, or inputs that search finds, make it greater",
				e.Method, h.Exceeded, h.Vectors, 100*(float64(h.Max)/float64(e.Cycles)-1))})
		}
	}
	return warnings, nil
}

// heldOutCampaign says how held-out vectors are run: kept beside those of the campaign, and made where those are.
func heldOutCampaign(p runner.Platform, w *workload.Workload, req Request) (campaign.Spec, error) {
	own := &req.Campaign
	spec := campaign.Spec{Vectors: req.Holdout, Repeats: own.Repeats, Progress: own.Progress, Begin: own.Begin, Elsewhere: own.Elsewhere}
	if !own.Shared() {
		return spec, nil
	}
	id, err := campaign.Identify(p, w, req.MaxCycles)
	if err != nil {
		return spec, err
	}
	if own.Keep != nil {
		if spec.Keep, err = own.Keep.Within(partHoldout); err != nil {
			return spec, err
		}
	}
	return spec, spec.Open(id)
}

// untried warns of estimates that rest on random inputs alone where inputs are known to reach what time depends on: the worst
// of them may be none that is likely to be sampled.
func untried(w *workload.Workload, req Request, a *Answer) []diag.Warning {
	measured := func(e estimate.Estimate) bool { return e.Evidence == estimate.Observed }
	if !w.Spec.Varies() || req.Campaign.Inputs != nil || a.Adversarial != nil || req.Traces != nil || !slices.ContainsFunc(a.Estimates, measured) {
		return nil
	}
	for _, r := range a.Refused {
		if r.Sink != nil {
			return []diag.Warning{{Pos: w.Spec.Pos.Kernel, ID: "random-inputs-only", Text: fmt.Sprintf(
				"observed estimates rest on random inputs alone (%d runs), and %s at %s depends on inputs: others may take far longer; look for such with search%s",
				a.Runs, r.Sink.What, r.Sink.Pos, onward(w))}}
		}
	}
	return nil
}

// onward says how inputs that a search finds take part in analyses from then on. Of a job that was read from no directory they do not.
func onward(w *workload.Workload) string {
	if w.MachineName == "" {
		return ""
	}
	return fmt.Sprintf(" --out %s, from where they take part from then on", workload.KeptDir(w))
}

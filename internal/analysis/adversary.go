package analysis

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/adversary"
	"warpbound/internal/campaign"
	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// fewest is from how many runs on some are adversarial: fewer are too few to try an estimate.
const fewest = 10

// trained is how many random test vectors at least are not left to confirm what the others give.
const trained = 10

// shareRuns divides the runs of a request: a third is of adversarial inputs, and of the others a third
// is to confirm the estimate that the rest gives. Nothing confirms if runs end when they show
// nothing new, since their number is not fixed before. A job of which a search cannot draw the
// inputs has random ones alone.
func (r *Request) shareRuns(p runner.Platform, w *workload.Workload) {
	all := r.Campaign.Vectors
	if all == 0 {
		all = w.Spec.Vectors
	}
	if !r.Adversarial || r.Traces != nil || all < fewest || !w.Spec.Varies() || p.Clocks() != trace.Common {
		return
	}
	made, err := adversary.New(w, all/3)
	if err != nil {
		return
	}
	c := &r.Campaign
	c.Adversary, c.Adversarial, c.Vectors = made, all/3, all-all/3
	if !c.UntilStable {
		c.Confirming = min(c.Vectors/3, max(0, c.Vectors-trained))
	}
}

// noteAdversarial notes what adversarial inputs gave, with a warning of the first that make a run fail.
func (a *Answer) noteAdversarial(w *workload.Workload, runs []campaign.AdversarialRun) (warnings []diag.Warning) {
	for _, h := range runs {
		run := estimate.AdversarialRun{Name: h.Name, Cycles: h.Cycles}
		switch {
		case h.Stopped > 0:
			run.Fault = firstLine(h.Err)
			a.Stopped = new(max(h.Stopped, orZero(a.Stopped)))
			a.Exceed(h.Stopped)
		case h.Err != nil:
			run.Fault = firstLine(h.Err)
			if warnings == nil {
				warnings = append(warnings, diag.Warning{Pos: w.Spec.Pos.Kernel, ID: "adversarial-fault", Text: fmt.Sprintf(
					"a run of inputs that the job allows fails: %s; to repeat it: sim --adversarial %s; "+
						"state what inputs cannot be, or mend the kernel", firstLine(h.Err), h.Name)})
			}
		}
		a.Adversarial = append(a.Adversarial, run)
	}
	return warnings
}

// firstLine is what an error says at first.
func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

// orZero is a number, 0 of nil.
func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// refuteStopped notes that runs were given up that take longer than estimates.
func refuteStopped(runs []campaign.AdversarialRun, estimates []estimate.Estimate) {
	for i := range estimates {
		e := &estimates[i]
		longer := slices.DeleteFunc(slices.Clone(runs), func(h campaign.AdversarialRun) bool { return h.Stopped <= e.Cycles })
		if p := e.Prediction; p != nil && len(longer) > 0 {
			p.Status, p.Exceeded = estimate.Refuted, p.Exceeded+int64(len(longer))
			p.Because = slices.Insert(p.Because, 0, fmt.Sprintf(
				"%d runs of adversarial inputs were given up, of %s after %d cycles", len(longer), longer[0].Name, longer[0].Stopped))
		}
	}
}

// Adversarial returns the adversarial inputs of a name; nil of none.
func Adversarial(w *workload.Workload, name string) (*job.Inputs, error) {
	if name == "" {
		return nil, nil
	}
	return adversary.Named(w, name)
}

// LongestInputs returns the inputs of the longest run, but if these are saved ones, or if it is not
// known which they are, those of the first test vector.
func (a *Answer) LongestInputs(w *workload.Workload) *job.Inputs {
	if a.Longest != nil {
		if in, err := Adversarial(w, a.Longest.Adversarial); in != nil && err == nil {
			return in
		}
	}
	return w.First().Bound.Vector(a.Longest.Test())
}

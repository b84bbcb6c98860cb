package estimate

import (
	"fmt"
	"slices"
)

// VoidBound is a bound that a run exceeds, so that it bounds nothing. One that is proven is a bug
// of the tool, and then none of its proofs counts; one that is annotated rests on something that
// the job states and that is not so.
type VoidBound struct {
	Method   string   `json:"method"`
	Kernel   string   `json:"kernel,omitempty"` // of the launch that it bounds; empty for the whole
	Cycles   int64    `json:"cycles"`           // of the bound
	Evidence Evidence `json:"evidence"`
	Run      int64    `json:"run"` // cycles that a run takes, or after which it was stopped
	Text     string   `json:"text"`
}

// voidBoundOf returns the void bound of an estimate that a run of so many cycles exceeds; nil if it
// does not, or if the estimate is no more than observed.
func voidBoundOf(e *Estimate, kernel string, run int64) *VoidBound {
	if e.Evidence == Observed || run <= e.Cycles {
		return nil
	}
	v := &VoidBound{Method: e.Method, Kernel: kernel, Cycles: e.Cycles, Evidence: e.Evidence, Run: run}
	of := ""
	if kernel != "" {
		of = " of kernel " + kernel
	}
	if e.Evidence == Proven {
		v.Text = fmt.Sprintf("a run%s takes %d cycles, but %s claims to prove at most %d: "+
			"this is a bug of the tool, please report it with the job", of, run, e.Method, e.Cycles)
	} else {
		v.Text = fmt.Sprintf("%s%s is %d cycles with the annotations of the job, but a run takes %d: an annotated loop "+
			"bound or flow fact is too small (a bound holds for every entry of a loop, diverged lanes that enter it later included)",
			e.Method, of, e.Cycles, run)
	}
	return v
}

// Exceed notes which bounds of the whole a run of so many cycles exceeds, beside those that Void
// has already.
func (a *Analysis) Exceed(run int64) {
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if _, other := a.OtherMode(e); e.Bounds() && !other {
			a.noteVoid(voidBoundOf(e, "", run))
		}
	}
}

// ExceedIn notes which bounds a run of the simulator exceeds, of the whole and of launches: the
// longest execution of one takes no less than the mean.
func (a *Analysis) ExceedIn(run *Simulation) {
	a.Exceed(run.Cycles)
	for i := range min(len(a.Launches), len(run.Launches)) {
		took := &run.Launches[i]
		if took.Executed == 0 {
			continue
		}
		for j := range a.Launches[i].Estimates {
			if e := &a.Launches[i].Estimates[j]; e.Bounds() {
				a.noteVoid(voidBoundOf(e, took.Kernel, (took.Cycles+int64(took.Executed)-1)/int64(took.Executed)))
			}
		}
	}
}

// ExceedObserved notes which bounds the runs of the analysis exceed: of the whole, of what ran in
// another mode of splitting, of launches, and those that held-out vectors exceed. Times of a GPU
// say nothing of bounds for a machine that describes it, and are left out.
func (a *Analysis) ExceedObserved() {
	if a.Device != nil {
		return
	}
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if runs := a.Covered(e); runs != nil {
			a.noteVoid(voidBoundOf(e, "", runs.Max))
		}
		if _, other := a.OtherMode(e); e.Holdout != nil && !other { // they ran in the mode of the analysis
			a.noteVoid(voidBoundOf(e, "", e.Holdout.Max))
		}
	}
	a.ExceedLaunches(a.Launches)
}

// ExceedLaunches notes which bounds of launches what was observed of the same launches exceeds.
func (a *Analysis) ExceedLaunches(observed []LaunchAnalysis) {
	for i := range min(len(a.Launches), len(observed)) {
		if observed[i].Observed == nil {
			continue
		}
		for j := range a.Launches[i].Estimates {
			if e := &a.Launches[i].Estimates[j]; e.Bounds() {
				a.noteVoid(voidBoundOf(e, observed[i].Kernel, observed[i].Observed.Max))
			}
		}
	}
}

// noteVoid adds a void bound, unless it is nil, or takes the longer run of the same.
func (a *Analysis) noteVoid(v *VoidBound) {
	if v == nil {
		return
	}
	at := slices.IndexFunc(a.Void, func(w VoidBound) bool { return w.Method == v.Method && w.Kernel == v.Kernel })
	switch {
	case at < 0:
		a.Void = append(a.Void, *v)
	case a.Void[at].Run < v.Run:
		a.Void[at] = *v
	}
}

// VoidProof returns the first void bound that is proven; nil if there is none.
func (a *Analysis) VoidProof() *VoidBound {
	for i := range a.Void {
		if a.Void[i].Evidence == Proven {
			return &a.Void[i]
		}
	}
	return nil
}

// isVoid reports whether an estimate bounds nothing: since a run exceeds it, or since it is proven
// and another proof is void.
func (a *Analysis) isVoid(e *Estimate) bool {
	if e.Evidence == Proven && a.VoidProof() != nil {
		return true
	}
	return slices.ContainsFunc(a.Void, func(v VoidBound) bool { return v.Method == e.Method })
}

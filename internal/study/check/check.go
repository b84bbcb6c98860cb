// Package check holds bounds of jobs against their budgets.
//
// It imports what results are made of, and nothing that makes them: whoever asks brings the analyses.
package check

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/budget"
	"warpbound/internal/provenance"
)

// Limits is what bounds are held against.
type Limits struct {
	Budget   budget.Budget
	Hz       float64           // at which cycles become time
	Requires estimate.Evidence // weaker estimates do not count; empty for those of the strongest evidence there is alone
}

// Job checks an analysis. pos is that of the kernel.
//
// A run that takes longer than the budget makes the job over it, whatever the estimates are and if
// there are none. One that takes longer than a proven or annotated bound makes it fail, since what
// the tool or the job says is wrong. Otherwise the least estimate decides: of the strongest
// evidence, or of that which is required or stronger. Of an analysis that ended early this is so
// only if it would be so however it had gone on: methods that have not answered may lower a bound,
// and only one that is proven cannot be replaced by one of stronger evidence.
func Job(a *estimate.Analysis, pos diag.Pos, by Limits) estimate.CheckedJob {
	limit := by.Budget.MaxCycles(by.Hz)
	a.ExceedObserved()
	c := estimate.CheckedJob{
		Job: a.Job, Kernel: a.Kernel, Pos: pos.String(), Launches: len(a.Launches), Machine: a.Machine,
		MachineHash: a.MachineHash, ModuleHash: a.ModuleHash, JobHash: a.JobHash,
		Budget:   &estimate.TimeBudget{Text: by.Budget.Text, Cycles: limit, ClockHz: by.Hz},
		Observed: a.Observed, Convergence: a.Convergence, Contract: a.Contract, Alone: a.Alone, ClockMode: a.ClockMode, Threads: a.Threads, Refused: a.Refused, Warnings: a.Warnings,
	}
	c.Bound = a.Strong(by.Requires)
	c.Answer = c.Bound.Brief()
	if c.Bound != nil {
		c.Margin = new(limit - c.Bound.Cycles)
	}
	within := c.Bound != nil && *c.Margin >= 0
	for i := range a.Void {
		c.Reasons = append(c.Reasons, estimate.Remark{Pos: c.Pos, Text: a.Void[i].Text})
	}
	switch {
	case longestRun(a) > limit:
		c.Verdict = estimate.Over
	case a.Void != nil:
		c.Verdict = estimate.Failed
	case a.Undefined() != nil:
		w := a.Undefined()
		c.Verdict, c.Reasons = estimate.Unknown, []estimate.Remark{{Pos: w.Pos, Text: "no bound holds on a GPU: " + w.Text}}
	case a.Interrupted != nil && !(within && c.Bound.Evidence == estimate.Proven):
		text := fmt.Sprintf("the analysis ended early (%s), and what is known by then does not decide", a.Interrupted.Reason)
		c.Verdict, c.Reasons = estimate.Unknown, []estimate.Remark{{Text: text}}
	case within:
		c.Verdict = estimate.Within
	case c.Bound != nil:
		c.Verdict = estimate.Over
	default:
		c.Verdict, c.Reasons = estimate.Unknown, missing(a, by.Requires)
	}
	return c
}

// longestRun is how long the longest run of an analysis takes, those included that only showed that
// a bound is void; 0 if there is none.
func longestRun(a *estimate.Analysis) int64 {
	cycles := int64(0)
	if a.Observed != nil {
		cycles = a.Observed.Max
	}
	for i := range a.Void {
		if v := &a.Void[i]; v.Kernel == "" {
			cycles = max(cycles, v.Run)
		}
	}
	return cycles
}

// missing says why no estimate counts: what there is, and of each method that has none why.
func missing(a *estimate.Analysis, requires estimate.Evidence) []estimate.Remark {
	first := estimate.Remark{Text: "none of the selected methods bounds the whole kernel"}
	tightest := a.Tightest()
	if tightest != nil {
		first.Text = fmt.Sprintf("the strongest bound is %s, whose evidence is %s, and %s is required", tightest.Method, tightest.Evidence, requires)
	}
	var refused []estimate.Remark
	for i := range a.Estimates {
		if e := &a.Estimates[i]; tightest == nil && e.Bounds() && !e.Relied() {
			first.Text = "no estimate of the whole kernel decides"
			refused = append(refused, estimate.Remark{Text: e.Method + " decides nothing: " + e.Doubt()})
		}
	}
	for _, r := range a.Refused {
		if !r.Machine {
			refused = append(refused, estimate.Remark{Pos: r.Pos, Text: r.Method + " has no bound: " + r.Reason})
		}
	}
	if refused == nil && tightest != nil {
		first.Text += "; static methods prove bounds, each on machines of its kind (see warpbound machines)"
	}
	if refused == nil && tightest == nil { // whoever chose the methods wants to know what is wrong with them
		for _, r := range a.Refused {
			refused = append(refused, estimate.Remark{Pos: r.Pos, Text: r.Method + ": " + r.Reason})
		}
	}
	return append([]estimate.Remark{first}, refused...)
}

// Worst is the worst of checks of one job, each with one number of registers of a thread: one over the budget, else one that failed, else one that is
// unknown, and of those the one with the greatest bound.
func Worst(registers []int, checks []estimate.CheckedJob) estimate.CheckedJob {
	severity := []estimate.Verdict{estimate.Within, estimate.Unknown, estimate.Failed, estimate.Over}
	worst := 0
	for i := range checks {
		a, b := &checks[i], &checks[worst]
		if cmp.Or(cmp.Compare(slices.Index(severity, a.Verdict), slices.Index(severity, b.Verdict)), cmp.Compare(cycles(a), cycles(b))) > 0 {
			worst = i
		}
	}
	c := checks[worst]
	c.Registers = &estimate.RegisterSweep{Tried: registers, Worst: registers[worst]}
	return c
}

// cycles is the bound of a check, or what ran if there is none.
func cycles(c *estimate.CheckedJob) int64 {
	switch {
	case c.Bound != nil:
		return c.Bound.Cycles
	case c.Observed != nil:
		return c.Observed.Max
	}
	return 0
}

// Failure is a job of that name of which err is all that is known.
func Failure(name string, err error) estimate.CheckedJob {
	reason := estimate.Remark{Text: err.Error()}
	var loop *diag.UnboundedLoopError
	var at *diag.Error
	switch {
	case errors.As(err, &loop):
		reason.Pos = loop.Pos.String()
	case errors.As(err, &at):
		reason.Pos = at.Pos.String()
	}
	return estimate.CheckedJob{
		Job: name, Pos: cmp.Or(reason.Pos, name), Verdict: estimate.Failed,
		Contract: []estimate.Contract{}, Reasons: []estimate.Remark{reason}, Refused: []estimate.MethodRefusal{}, Warnings: []estimate.Warning{},
	}
}

// All counts the verdicts on jobs.
func All(jobs []estimate.CheckedJob, requires estimate.Evidence) *estimate.Check {
	c := &estimate.Check{Provenance: provenance.Of(), Requires: cmp.Or(requires, estimate.Observed), Jobs: jobs}
	for i := range jobs {
		switch jobs[i].Verdict {
		case estimate.Within:
			c.Within++
		case estimate.Over:
			c.Over++
		case estimate.Unknown:
			c.Unknown++
		case estimate.Failed:
			c.Failed++
		}
	}
	switch {
	case c.Over > 0:
		c.Verdict = estimate.Over
	case c.Unknown > 0 || c.Failed > 0:
		c.Verdict = estimate.Unknown
	default:
		c.Verdict = estimate.Within
	}
	return c
}

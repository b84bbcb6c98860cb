// Package check holds bounds of jobs against their budgets.
//
// It imports what results are made of, and nothing that makes them: whoever asks brings the analyses.
package check

import (
	"cmp"
	"errors"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/budget"
	"warpbound/internal/provenance"
)

// Limits is what bounds are held against.
type Limits struct {
	Budget   budget.Budget
	Hz       float64           // at which cycles become time
	Requires estimate.Evidence // weaker estimates do not count; empty for Proven
	Pos      diag.Pos          // where the job states the budget; unknown if it does not
}

// Job holds an analysis against a budget: it enters the verdict, and says what else is to be said of the
// job. pos is that of the kernel.
func Job(a *estimate.Analysis, pos diag.Pos, by Limits) estimate.CheckedJob {
	v := a.Judge(by.Budget.MaxCycles(by.Hz), by.Requires)
	v.BudgetText = by.Budget.Text
	if by.Pos.Known() {
		v.BudgetPos = by.Pos.String()
	}
	a.Verdict = v
	c := estimate.CheckedJob{
		Job: a.Job, Kernel: a.Kernel, Pos: pos.String(), Launches: len(a.Launches), Machine: a.Machine,
		MachineHash: a.MachineHash, ModuleHash: a.ModuleHash, JobHash: a.JobHash, Verdict: v,
		Budget:   &estimate.TimeBudget{Text: by.Budget.Text, Cycles: v.Budget, ClockHz: by.Hz},
		Observed: a.Observed, Convergence: a.Convergence, Contract: a.Contract, Alone: a.Alone, ClockMode: a.ClockMode, Threads: a.Threads, Refused: a.Refused, Warnings: a.Warnings,
	}
	c.Failed = a.Void != nil && v.Status != estimate.Missed
	for i := range a.Estimates {
		if e := &a.Estimates[i]; v.Bound != nil && e.Method == v.Method {
			c.Bound = e
		}
	}
	c.Answer, c.Margin = c.Bound.Brief(), v.Margin
	for i := range a.Void {
		c.Reasons = append(c.Reasons, estimate.Remark{Pos: c.Pos, Text: a.Void[i].Text})
	}
	if v.Status == estimate.NotShown && !c.Failed {
		c.Reasons = append(c.Reasons, reasons(a, v)...)
	}
	return c
}

// reasons says why nothing is shown, and where no estimate counts why each method has none.
func reasons(a *estimate.Analysis, v *estimate.Verdict) []estimate.Remark {
	first := estimate.Remark{Text: v.Because}
	if w := a.Undefined(); w != nil {
		first.Pos = w.Pos
	}
	if v.Bound != nil || first.Pos != "" || a.Interrupted != nil {
		return []estimate.Remark{first}
	}
	return append([]estimate.Remark{first}, missing(a)...)
}

// missing says of methods why no estimate of theirs counts.
func missing(a *estimate.Analysis) []estimate.Remark {
	tightest := a.Tightest()
	var all []estimate.Remark
	for i := range a.Estimates {
		if e := &a.Estimates[i]; tightest == nil && e.Bounds() && !e.Relied() {
			all = append(all, estimate.Remark{Text: e.Method + " decides nothing: " + e.Doubt()})
		}
	}
	for _, r := range a.Refused {
		if !r.Machine {
			all = append(all, estimate.Remark{Pos: r.Pos, Text: r.Method + " has no bound: " + r.Reason})
		}
	}
	switch {
	case all != nil:
	case tightest != nil:
		all = []estimate.Remark{{Text: "static methods prove bounds, each on machines of its kind (see warpbound machines)"}}
	default: // whoever chose the methods wants to know what is wrong with them
		for _, r := range a.Refused {
			all = append(all, estimate.Remark{Pos: r.Pos, Text: r.Method + ": " + r.Reason})
		}
	}
	return all
}

// Worst is the worst of checks of one job, each with one number of registers of a thread, and of those of one verdict the one with
// the greatest bound.
func Worst(registers []int, checks []estimate.CheckedJob) estimate.CheckedJob {
	worst := 0
	for i := range checks {
		a, b := &checks[i], &checks[worst]
		if cmp.Or(cmp.Compare(severityOf(a), severityOf(b)), cmp.Compare(cycles(a), cycles(b))) > 0 {
			worst = i
		}
	}
	c := checks[worst]
	c.Registers = &estimate.RegisterSweep{Tried: registers, Worst: registers[worst]}
	return c
}

// severity orders what is said of jobs, from the best.
type severity int

const (
	met severity = iota
	notShown
	failed
	missed
)

// severityOf returns how bad it is what is said of a job.
func severityOf(c *estimate.CheckedJob) severity {
	switch {
	case c.Verdict.Status == estimate.Missed:
		return missed
	case c.Failed:
		return failed
	case c.Verdict.Status == estimate.NotShown:
		return notShown
	}
	return met
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
		Job: name, Pos: cmp.Or(reason.Pos, name), Failed: true,
		Verdict:  &estimate.Verdict{Status: estimate.NotShown, Because: reason.Text, Next: []estimate.Change{}},
		Contract: []estimate.Contract{}, Reasons: []estimate.Remark{reason}, Refused: []estimate.MethodRefusal{}, Warnings: []estimate.Warning{},
	}
}

// All counts the verdicts on jobs.
func All(jobs []estimate.CheckedJob, requires estimate.Evidence) *estimate.Check {
	c := &estimate.Check{Provenance: provenance.Of(), Requires: cmp.Or(requires, estimate.Proven), Jobs: jobs}
	worst := severity(-1)
	for i := range jobs {
		at := severityOf(&jobs[i])
		*map[severity]*int{met: &c.Met, notShown: &c.NotShown, failed: &c.Failed, missed: &c.Missed}[at]++
		if at > worst {
			worst, c.Verdict = at, jobs[i].Verdict
		}
	}
	return c
}

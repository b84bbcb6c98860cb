package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/symbol"
)

// timeUnit is a unit in which times are told.
type timeUnit struct {
	name      string
	perSecond float64
	below     float64 // what is told in it
	digits    int     // behind the point
}

var timeUnits = []timeUnit{{"ns", 1e9, 1e3, 0}, {"us", 1e6, 1e4, 2}, {"ms", 1e3, 1e3, 2}, {"s", 1, math.Inf(1), 2}}

// unitOf returns the unit for a time of so many cycles.
func unitOf(cycles int64, hz float64) timeUnit {
	return timeUnits[slices.IndexFunc(timeUnits, func(u timeUnit) bool { return float64(cycles)/hz*u.perSecond < u.below })]
}

// number renders a time in the unit, rounded up: no run and no bound is told as shorter than it is. What the division of two
// numbers leaves behind the point is none of the time.
func (u timeUnit) number(cycles int64, hz float64) string {
	scale := math.Pow10(u.digits)
	n := math.Ceil(float64(cycles) / hz * u.perSecond * scale * (1 - 1e-12))
	if n >= 1<<62 {
		return fmt.Sprintf("%.4g", n/scale)
	}
	whole := group(int64(n) / int64(scale))
	if u.digits == 0 {
		return whole
	}
	return fmt.Sprintf("%s.%0*d", whole, u.digits, int64(n)%int64(scale))
}

// text renders a time with the unit.
func (u timeUnit) text(cycles int64, hz float64) string { return u.number(cycles, hz) + " " + u.name }

// partOf renders a part of a budget, as in "3.00 of 4.00 us": as cycles if the budget is stated in cycles. A time that is much shorter
// has its own unit.
func partOf(part int64, v *estimate.Verdict, hz float64) string {
	if inCycles(v) {
		return group(part) + " of " + counted(int(v.Budget), "cycle")
	}
	unit := unitOf(v.Budget, hz)
	whole := unit.text(v.Budget, hz)
	if v.Budget == 0 { // it is shorter than a cycle
		whole = v.BudgetText
	}
	if part < v.Budget/100 {
		return unitOf(part, hz).text(part, hz) + " of " + whole
	}
	return unit.number(part, hz) + " of " + whole
}

// inCycles reports whether a budget is stated in cycles.
func inCycles(v *estimate.Verdict) bool {
	return strings.HasSuffix(v.BudgetText, "cycles") || strings.HasSuffix(v.BudgetText, "cycle")
}

// verdictLine says in one line what came of a job and its budget: the verdict, of what, and why.
func verdictLine(v *estimate.Verdict, what string, hz float64) string {
	line := v.Phrase() + "  " + what + ": "
	switch v.Status {
	case estimate.Missed:
		return line + "a run takes " + partOf(*v.Longest, v, hz)
	case estimate.Met:
		margin := math.Floor(100 * float64(*v.Margin) / float64(v.Budget))
		return line + fmt.Sprintf("at most %s, margin %.0f %%", partOf(*v.Bound, v, hz), margin)
	}
	return line + v.Because
}

// verdictBasis tells the bound that a verdict counts, and what that rests on; empty if there is none.
func verdictBasis(v *estimate.Verdict, hz float64) string {
	switch {
	case v.Bound == nil:
		return ""
	case v.Status != estimate.Met:
		return fmt.Sprintf("at most %s, %s", partOf(*v.Bound, v, hz), v.Evidence)
	case inCycles(v):
		return fmt.Sprintf("%s, %s", v.Method, v.Evidence)
	}
	return fmt.Sprintf("%s of %s, %s", counted(int(*v.Bound), "cycle"), v.Method, v.Evidence)
}

// Changed says in one line what the verdict would be with the change that helps most; empty if there is none.
func Changed(a *estimate.Analysis, hz float64) string {
	if a.Verdict == nil || len(a.Verdict.Next) == 0 {
		return ""
	}
	v, n := *a.Verdict, a.Verdict.Next[0]
	v.Bound, v.Margin, v.Evidence = &n.Cycles, new(v.Budget-n.Cycles), n.Evidence
	if n.Cycles <= v.Budget {
		v.Status = estimate.Met
	}
	return fmt.Sprintf("With %s:\n%s\n", n.Change, verdictLine(&v, whatOf(a), hz))
}

// headline says in one line what an analysis comes to: its verdict, or without a budget between what the time of all runs lies.
func headline(a *estimate.Analysis, hz float64) string {
	if a.Verdict != nil {
		return verdictLine(a.Verdict, whatOf(a), hz)
	}
	return bracketLine(a, hz)
}

// bracketLine says in one line between what the time of all runs lies, where there is no budget: the longest run and the bound.
func bracketLine(a *estimate.Analysis, hz float64) string {
	tell := func(cycles int64) string { return unitOf(cycles, hz).text(cycles, hz) }
	var parts []string
	if n := a.LongestCycles(); n != nil {
		parts = append(parts, fmt.Sprintf("at least %s (%s)", tell(*n), counted(max(a.Runs, 1), "run")))
	}
	switch {
	case a.Answer != nil && a.Answer.Evidence == estimate.Observed: // which bounds nothing
		parts = append(parts, fmt.Sprintf("likely %s (observed, %s)", tell(a.Answer.Cycles), a.Answer.Method))
	case a.Answer != nil:
		parts = append(parts, fmt.Sprintf("at most %s (%s, %s)", tell(a.Answer.Cycles), a.Answer.Evidence, a.Answer.Method))
	case a.Void != nil:
		parts = append(parts, "nothing bounds it, since a run takes longer than a bound")
	default:
		parts = append(parts, "nothing bounds the whole")
	}
	return whatOf(a) + ": " + strings.Join(parts, ", ")
}

// longestOf says which run the longest one is.
func longestOf(a *estimate.Analysis) string {
	if a.Runs <= 1 {
		return "one run"
	}
	return "longest of " + counted(a.Runs, "run")
}

// whatOf names the kernel, or a job of several launches, and the machine.
func whatOf(a *estimate.Analysis) string {
	name := symbol.Readable(a.Kernel)
	if len(a.Launches) > 0 {
		name = a.Job
	}
	return name + " on " + a.Machine
}

package warpbound

import (
	"warpbound/estimate"
	"warpbound/internal/budget"
	"warpbound/internal/study/check"
	"warpbound/internal/workload"
)

// Budget is how long a run of a job may take: a time, or a number of cycles. The zero Budget is none.
type Budget struct{ is budget.Budget }

// ParseBudget reads a time such as "2ms", or cycles such as "120000" or "120000 cycles".
func ParseBudget(text string) (Budget, error) {
	is, err := budget.Parse(text)
	return Budget{is}, err
}

// Given reports whether there is a budget.
func (b Budget) Given() bool { return b.is.Given() }

// MaxCycles returns the greatest number of cycles that is within the budget, at hz cycles per second; 0 if there is none.
func (b Budget) MaxCycles(hz float64) int64 { return b.is.MaxCycles(hz) }

// Budget returns the budget that the job states.
func (j *Job) Budget() Budget { return Budget{j.on.Spec.Budget} }

// Check holds an analysis of the job against a budget, which is given. The least estimate with the evidence that it
// requires, or a stronger one, counts; of empty evidence that with the strongest there is. An analysis for a check should
// list refusals (AnalyzeOptions.Refusals): a run over the budget is a verdict even if no method has an estimate.
func (j *Job) Check(a *estimate.Analysis, b Budget, requires estimate.Evidence) estimate.CheckedJob {
	pos := j.on.First().Graph.Kernel.Pos
	return check.Job(a, pos, check.Limits{Budget: b.is, Hz: a.Hz(j.ClockHz()), Requires: requires})
}

// RegisterCounts returns one number of registers of a thread (LoadOptions.Registers) for each number of CTAs that an SM may hold at a
// time, of all that ptxas may choose: what is proven must hold with each of them. It is empty if the job states the number or if its machine describes no
// GPU from sm_70 on, and an error if a run has several launches and does not state the number of each.
func (j *Job) RegisterCounts() ([]int, error) { return workload.RegisterCounts(j.on.Workload) }

// WorstOf is the worst of checks of one job, each with one of those numbers of registers of a thread.
func WorstOf(registers []int, checks []estimate.CheckedJob) estimate.CheckedJob {
	return check.Worst(registers, checks)
}

// Unchecked is what a check says of a job that cannot be loaded or analysed, because of an error.
func Unchecked(name string, err error) estimate.CheckedJob { return check.Failure(name, err) }

// Checked is what the checks of several jobs come to.
func Checked(jobs []estimate.CheckedJob, requires estimate.Evidence) *estimate.Check {
	return check.All(jobs, requires)
}

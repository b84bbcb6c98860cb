package warpbound

import (
	"context"

	"warpbound/estimate"
	"warpbound/internal/budget"
	"warpbound/internal/study/changes"
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

// Budget returns the budget that the job states.
func (j *Job) Budget() Budget { return Budget{j.on.Spec.Budget} }

// Check enters the verdict of an analysis of the job on a budget, which is given (estimate.Analysis.Judge), and says what else is to
// be said of the job. The analysis should list refusals (AnalyzeOptions.Refusals).
func (j *Job) Check(a *estimate.Analysis, b Budget, requires estimate.Evidence) estimate.CheckedJob {
	l := check.Limits{Budget: b.is, Hz: a.Hz(j.ClockHz()), Requires: requires}
	if b == j.Budget() {
		l.Pos = j.on.Spec.Pos.Budget
	}
	return check.Job(a, j.on.First().Graph.Kernel.Pos, l)
}

// Suggest enters into the verdict of an analysis of the job what would help most: it bounds the job as it would be with something
// changed. If ctx ends, the error is that of ctx, and what was found until then is entered.
func (j *Job) Suggest(ctx context.Context, a *estimate.Analysis) (err error) {
	a.Verdict.Next, err = changes.Find(ctx, j.on.Workload, a, j.on.WithChange)
	return err
}

// RegisterCounts returns one number of registers of a thread (LoadOptions.Registers) for each number of CTAs that an SM may hold at a
// time, of all that ptxas may choose: what is proven must hold with each of them. It is empty if the job states the number or if its machine describes no
// GPU from sm_70 on, and an error if a run has several launches and does not state the number of each.
func (j *Job) RegisterCounts() ([]int, error) { return workload.RegisterCounts(j.on.Workload) }

// WorstOf is the worst of checks of one job, each with one of those numbers.
func WorstOf(counts []int, all []estimate.CheckedJob) estimate.CheckedJob {
	return check.Worst(counts, all)
}

// Unchecked is what a check says of a job that cannot be loaded or analysed, because of an error.
func Unchecked(name string, err error) estimate.CheckedJob { return check.Failure(name, err) }

// Checked is what the checks of several jobs come to.
func Checked(jobs []estimate.CheckedJob, requires estimate.Evidence) *estimate.Check {
	return check.All(jobs, requires)
}

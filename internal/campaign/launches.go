package campaign

import "warpbound/internal/runner"

// Executed adds up the executions of a launch in several runs.
type Executed struct {
	Runs, Executions   int64
	MinCount, MaxCount int   // executions in a run
	Cycles             int64 // of all executions
	Minimum, Maximum   int64 // of one
}

// add adds a run.
func (e *Executed) add(l *runner.Launch) {
	e.merge(&Executed{
		Runs: 1, Executions: int64(l.Executions), MinCount: l.Executions, MaxCount: l.Executions,
		Cycles: l.Cycles, Minimum: l.Min, Maximum: l.Max,
	})
}

// merge adds other runs.
func (e *Executed) merge(o *Executed) {
	switch {
	case o.Runs == 0:
		return
	case e.Runs == 0:
		*e = *o
		return
	}
	e.Runs += o.Runs
	e.MinCount, e.MaxCount = min(e.MinCount, o.MinCount), max(e.MaxCount, o.MaxCount)
	e.Cycles += o.Cycles
	switch {
	case o.Executions == 0:
	case e.Executions == 0:
		e.Minimum, e.Maximum = o.Minimum, o.Maximum
	default:
		e.Minimum, e.Maximum = min(e.Minimum, o.Minimum), max(e.Maximum, o.Maximum)
	}
	e.Executions += o.Executions
}

// launches sums up what all workers executed.
func launches(workers []worker) []Launch {
	var all []Launch
	for launch := range workers[0].launches {
		var sum Executed
		for i := range workers {
			sum.merge(&workers[i].launches[launch])
		}
		l := Launch{MinCount: sum.MinCount, MaxCount: sum.MaxCount}
		if sum.Executions > 0 {
			l.Observed.Min, l.Observed.Max = sum.Minimum, sum.Maximum
			l.Observed.Mean = float64(sum.Cycles) / float64(sum.Executions)
		}
		all = append(all, l)
	}
	return all
}

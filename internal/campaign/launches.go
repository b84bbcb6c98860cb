package campaign

import "warpbound/internal/runner"

// executed adds up the executions of a launch in several runs.
type executed struct {
	runs, executions   int64
	minCount, maxCount int   // executions in a run
	cycles             int64 // of all executions
	minimum, maximum   int64 // of one
}

// add adds a run.
func (e *executed) add(l *runner.Launch) {
	e.merge(&executed{
		runs: 1, executions: int64(l.Executions), minCount: l.Executions, maxCount: l.Executions,
		cycles: l.Cycles, minimum: l.Min, maximum: l.Max,
	})
}

// merge adds other runs.
func (e *executed) merge(o *executed) {
	switch {
	case o.runs == 0:
		return
	case e.runs == 0:
		*e = *o
		return
	}
	e.runs += o.runs
	e.minCount, e.maxCount = min(e.minCount, o.minCount), max(e.maxCount, o.maxCount)
	e.cycles += o.cycles
	switch {
	case o.executions == 0:
	case e.executions == 0:
		e.minimum, e.maximum = o.minimum, o.maximum
	default:
		e.minimum, e.maximum = min(e.minimum, o.minimum), max(e.maximum, o.maximum)
	}
	e.executions += o.executions
}

// launches sums up what all workers executed.
func launches(workers []worker) []Launch {
	var all []Launch
	for launch := range workers[0].launches {
		var sum executed
		for i := range workers {
			sum.merge(&workers[i].launches[launch])
		}
		l := Launch{MinCount: sum.minCount, MaxCount: sum.maxCount}
		if sum.executions > 0 {
			l.Observed.Min, l.Observed.Max = sum.minimum, sum.maximum
			l.Observed.Mean = float64(sum.cycles) / float64(sum.executions)
		}
		all = append(all, l)
	}
	return all
}

package estimate

// LaunchTime is one of the launches of a run with several, which may be executed more than once.
type LaunchTime struct {
	Kernel          string `json:"kernel"`
	KernelDemangled string `json:"kernel_demangled,omitempty"` // the name in the source, where Kernel is a mangled symbol
	Launch
	Executed int   `json:"executed"` // how often
	Cycles   int64 `json:"cycles"`   // of all executions together
}

// LaunchAnalysis is what is known of one of the launches of runs with several.
type LaunchAnalysis struct {
	Kernel          string `json:"kernel"`
	KernelDemangled string `json:"kernel_demangled,omitempty"` // the name in the source, where Kernel is a mangled symbol
	Pos             string `json:"pos"`                        // where the job states it
	Launch
	Executions Executions `json:"executions"`
	// Observed and Estimates are of one execution, wherever in a run. Observed is nil where nothing ran.
	Observed  *Observation `json:"observed"`
	Estimates []Estimate   `json:"estimates"`
}

// Executions says how often a run executes a launch.
type Executions struct {
	// Bound is at most how often, nil if nothing is known of that. Evidence says how it is known: proven
	// where the job repeats the launch so often, annotated where a buffer says when to stop, for which the
	// job states a limit.
	Bound    *int64   `json:"bound"`
	Evidence Evidence `json:"evidence,omitempty"`
	// Min and Max are those in the runs; both 0 where nothing ran.
	Min int64 `json:"min"`
	Max int64 `json:"max"`
}

// Sum is the detail of an estimate that adds up those of several launches, in their order.
type Sum struct {
	Launches []SumPart    `json:"launches"`
	Observed *Observation `json:"observed,omitempty"` // runs in a mode of splitting of its own; nil where nothing ran
}

// SumPart is what a launch adds to a sum.
type SumPart struct {
	Kernel   string   `json:"kernel"`
	Executed int64    `json:"executed"` // how often, at most
	Cycles   int64    `json:"cycles"`   // of one execution, at most
	Evidence Evidence `json:"evidence"` // for these cycles
}

// Watch notes the observed runs (Watched).
func (d *Sum) Watch(o *Observation) { d.Observed = o }

// Runs returns the observed runs (Watched).
func (d *Sum) Runs() *Observation { return d.Observed }

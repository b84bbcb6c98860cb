package estimate

// Convergence tells how many random test vectors were run, where these need not be as many as were asked for.
type Convergence struct {
	Vectors int      `json:"vectors"`  // that were to be run, at most
	Runs    int      `json:"runs"`     // that were run
	LastNew int      `json:"last_new"` // of them, with the last that showed something new
	Stopped Stopped  `json:"stopped"`
	Reached *Reached `json:"reached,omitempty"` // left out if it is nothing, and if inputs were not followed
}

// ConvergencePoint is what an estimate would be if there had been fewer runs.
type ConvergencePoint struct {
	Vectors  int   `json:"vectors"`  // that were run, in their order, saved inputs included
	Observed int64 `json:"observed"` // the longest of their runs, in cycles
	Cycles   int64 `json:"cycles"`   // the estimate that they give
}

// Reached is the first place where sampled inputs reach something that time depends on, in the run of the first vector.
type Reached struct {
	Pos  string `json:"pos"`  // of the instruction; - if it is the host
	What string `json:"what"` // that they can change, as in "an address"
}

// Stopped says why no more vectors were run.
type Stopped string

// Why no more vectors were run.
const (
	// StoppedInvariant: no input that is sampled reaches anything that time depends on, so that all runs are alike. This
	// is proven.
	StoppedInvariant Stopped = "invariant"
	// StoppedStable: nothing new was observed for long. Further vectors may show more.
	StoppedStable Stopped = "stable"
	// StoppedAtLimit: all vectors were run, and up to the end there was something new now and then.
	StoppedAtLimit Stopped = "limit"
)

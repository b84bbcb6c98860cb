package estimate

// Selfcheck is what the check of the methods on random kernels gave.
type Selfcheck struct {
	Provenance
	Seed     uint64   `json:"seed"`
	First    int      `json:"first"`    // number of the first kernel
	Next     int      `json:"next"`     // number of the first kernel that was not checked
	Complete bool     `json:"complete"` // whether all were that should be
	Machines []string `json:"machines"` // that the kernels' machines are like
	Runs     int      `json:"runs"`     // simulated, each compared with two executions without time

	// Invariant is the number of kernels of which one run says that all take the same time, whatever their inputs.
	Invariant int `json:"invariant"`

	Methods  []MethodCheck `json:"methods"`
	Results  int           `json:"result_violations"` // kernels of which two executions differ
	Failures int           `json:"failures"`          // kernels of which something is refused that should not be
	Findings []Violation   `json:"findings"`          // the first violations, reduced
}

// MethodCheck sums up the answers of a method.
type MethodCheck struct {
	Method     string  `json:"method"`
	Checked    int     `json:"checked"` // estimates that were held against runs
	Refused    int     `json:"refused"` // kernels without an estimate
	Violations int     `json:"violations"`
	MeanRatio  float64 `json:"mean_ratio"`  // of an estimate to the longest run that it must cover; 0 if there is none
	MinRatio   float64 `json:"least_ratio"` // 0 if there is none
	HighRatio  float64 `json:"p95_ratio"`   // the 95th percentile: 19 of 20 kernels have no greater one; 0 if there is none
	WorstRatio float64 `json:"worst_ratio"` // the greatest; 0 if there is none
	Worst      int     `json:"worst"`       // number of its kernel
	Refusal    string  `json:"refusal"`     // reason of the first kernel without an estimate
}

// Violation is something that does not hold of a random kernel.
type Violation struct {
	Kernel int    `json:"kernel"` // its number
	Kind   string `json:"kind"`   // "bound", "result" or "failure"
	Method string `json:"method"` // of a bound; else empty
	Job    string `json:"job"`    // the file of the job that shows it
	Vector int    `json:"vector"` // and its test vector
	Bound  int64  `json:"bound"`  // in cycles; 0 if the kind is another
	Cycles int64  `json:"cycles"` // that the run takes; 0 if the kind is another
	Text   string `json:"text"`
	Lines  int    `json:"lines"` // of the reduced module
	Path   string `json:"path"`  // where it is saved
}

// Violated reports whether anything does not hold.
func (s *Selfcheck) Violated() bool {
	n := s.Results + s.Failures
	for _, m := range s.Methods {
		n += m.Violations
	}
	return n > 0
}

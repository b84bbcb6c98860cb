package estimate

// Comparison is two results side by side: A, the one before, and B, the one that is held against it. Cycles and counts
// that are nil are of one side only.
type Comparison struct {
	Provenance
	A            ComparedResult     `json:"a"`
	B            ComparedResult     `json:"b"`
	Threshold    string             `json:"threshold"`             // growth that is no regression, in percent: "5%"
	Regressions  []Regression       `json:"regressions"`           // the worst first; empty if B is no worse than A
	Void         []VoidBound        `json:"void_bounds,omitempty"` // of A and B, if they are of one job
	Differences  []Difference       `json:"differences"`           // in what was analysed, and how
	Observed     *ComparedTimes     `json:"observed"`              // nil if nothing ran on either side
	Answer       ComparedAnswer     `json:"answer"`
	Estimates    []ComparedEstimate `json:"estimates"` // in the order of A, then those of B alone
	Launches     []ComparedLaunch   `json:"launches"`  // of jobs with several in a run
	NewWarnings  []Warning          `json:"new_warnings"`
	GoneWarnings []Warning          `json:"gone_warnings"`
	Notes        []string           `json:"notes"` // why figures may differ although the kernel is no slower or faster
}

// ComparedResult is what one side is a result of.
type ComparedResult struct {
	File        string `json:"file"`
	Tool        Tool   `json:"tool"`
	Job         string `json:"job"`
	Kernel      string `json:"kernel"`
	Machine     string `json:"machine"`
	MachineHash string `json:"machine_hash"`
	ModuleHash  string `json:"module_hash"` // SHA-256 of the module's text
	JobHash     string `json:"job_hash"`    // of the job's file, of the data files that it names, and of inputs that are kept beside it
	Launch      Launch `json:"launch"`
	Seed        int64  `json:"seed"`
	Runs        int    `json:"runs"`
}

// The kinds of regressions, the worst first.
const (
	RegressionMissing  = "missing"  // B has no such figure
	RegressionEvidence = "evidence" // it rests on weaker evidence
	RegressionCycles   = "cycles"   // it grew by more than the threshold
)

// Regression is something that is worse in B.
type Regression struct {
	What    string   `json:"what"` // a method, "high-water mark" or "answer"
	Kind    string   `json:"kind"` // "missing", "evidence" or "cycles"
	Percent *float64 `json:"percent"`
	Text    string   `json:"text"` // a sentence
}

// Difference is something that the two results are not both of.
type Difference struct {
	What string `json:"what"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// ComparedTimes are observed times, in cycles.
type ComparedTimes struct {
	A       *Observation `json:"a"`
	B       *Observation `json:"b"`
	Percent *float64     `json:"percent"` // growth of the maximum; nil if there is no such number
}

// ComparedAnswer is the estimate that is held against a deadline: the least of those with the strongest evidence.
type ComparedAnswer struct {
	A *Figured `json:"a"`
	B *Figured `json:"b"`
}

// Figured is an estimate without what it is made of.
type Figured struct {
	Method   string   `json:"method"`
	Cycles   int64    `json:"cycles"`
	Evidence Evidence `json:"evidence"`
	Numbers  *Numbers `json:"numbers,omitempty"` // of the machine, as in an Estimate
}

// ComparedEstimate is what a method says on both sides.
type ComparedEstimate struct {
	Method          string          `json:"method"`
	A               *Figured        `json:"a"`
	B               *Figured        `json:"b"`
	Percent         *float64        `json:"percent"` // growth of the cycles; nil if there is no such number
	Blocks          []ComparedShare `json:"blocks"`  // of the breakdown that differ, the greatest growth first
	Loops           []ComparedLoop  `json:"loops"`   // whose bounds differ
	NewAssumptions  []string        `json:"new_assumptions"`
	GoneAssumptions []string        `json:"gone_assumptions"`
}

// ComparedShare is what a place in the program carries on both sides.
type ComparedShare struct {
	Name   string `json:"name"` // in B, unless it is of A alone
	Pos    string `json:"pos"`  // likewise
	A      *int64 `json:"a"`    // cycles
	B      *int64 `json:"b"`    // cycles
	Growth int64  `json:"growth"`
}

// ComparedLoop is a loop whose bound differs.
type ComparedLoop struct {
	Name string     `json:"name"` // in B, unless it is of A alone
	Pos  string     `json:"pos"`  // likewise
	A    *LoopBound `json:"a"`
	B    *LoopBound `json:"b"`
}

// LoopBound is how often a loop iterates at most.
type LoopBound struct {
	Bound    int64    `json:"bound"` // back edges per entry
	Evidence Evidence `json:"evidence"`
}

// ComparedLaunch is one launch of a run on both sides: the n-th of its kernel.
type ComparedLaunch struct {
	Kernel    string             `json:"kernel"`
	A         *LaunchFigures     `json:"a"`
	B         *LaunchFigures     `json:"b"`
	Estimates []ComparedEstimate `json:"estimates"` // of one execution
}

// LaunchFigures say what a launch is, and how often a run executes it.
type LaunchFigures struct {
	Pos string `json:"pos"` // where the job states it
	Launch
	Executions Executions `json:"executions"`
}

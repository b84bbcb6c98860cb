package estimate

// Check is whether jobs keep to their budgets.
type Check struct {
	Provenance
	// Verdict is that of the worst job: one that missed its budget, else one that failed, else one of which nothing is shown.
	Verdict  *Verdict     `json:"verdict"`
	Requires Evidence     `json:"requires"`  // weaker estimates do not count
	Met      int          `json:"met"`       // number of jobs with that verdict
	Missed   int          `json:"missed"`    // likewise
	NotShown int          `json:"not_shown"` // likewise, of those that did not fail
	Failed   int          `json:"failed"`    // number of jobs that failed
	Jobs     []CheckedJob `json:"jobs"`      // in the order in which they were named
}

// CheckedJob is whether one job keeps to its budget. Of a job that failed, what could not be found out is empty.
type CheckedJob struct {
	Job         string   `json:"job"`
	Kernel      string   `json:"kernel"`
	Pos         string   `json:"pos"`      // of the kernel, or of what is wrong: file:line:col
	Launches    int      `json:"launches"` // of a run, as the job lists them; 0 if it launches its kernel once
	Machine     string   `json:"machine"`
	MachineHash string   `json:"machine_hash"`
	ModuleHash  string   `json:"module_hash"` // SHA-256 of the module's text
	JobHash     string   `json:"job_hash"`    // of the job's file, of the data files that it names, and of inputs that are kept beside it
	Verdict     *Verdict `json:"verdict"`
	// Failed is set if the job could not be read, run or bounded, or if a run exceeds a bound, though it is within the budget.
	Failed    bool        `json:"failed"`
	Budget    *TimeBudget `json:"budget"`               // nil if the job failed
	Alone     bool        `json:"alone,omitempty"`      // as in an Analysis
	ClockMode string      `json:"clock_mode,omitempty"` // likewise
	Threads   string      `json:"threads,omitempty"`    // likewise
	// Answer is the estimate that the verdict counts; nil if there is none. Bound is the same with all that is known of it.
	Answer   *Answer         `json:"answer"`
	Bound    *Estimate       `json:"bound"`
	Refused  []MethodRefusal `json:"refused"`  // as in an Analysis
	Margin   *int64          `json:"margin"`   // cycles by which Bound is below the budget, negative if it is over; nil without
	Observed *Observation    `json:"observed"` // nil where nothing ran
	// Convergence says why there are no more runs, as in an Analysis.
	Convergence *Convergence `json:"convergence,omitempty"`
	Contract    []Contract   `json:"contract,omitzero"` // of its inputs, as in an Analysis
	// Registers says which numbers of registers of a thread were tried, since the job states none; nil where it does, and where none is needed.
	Registers *RegisterSweep `json:"registers,omitempty"`
	Reasons   []Remark       `json:"reasons"` // why nothing is shown, or what else is wrong, the decisive one first
	Warnings  []Warning      `json:"warnings"`
}

// RegisterSweep is a check with several numbers of registers of a thread, one for each number of CTAs that an SM may hold at a time.
type RegisterSweep struct {
	Tried []int `json:"tried"` // in rising order
	Worst int   `json:"worst"` // of which the rest is
}

// Remark is something that is said of a place.
type Remark struct {
	Pos  string `json:"pos"` // file:line:col, empty if it has no place
	Text string `json:"text"`
}

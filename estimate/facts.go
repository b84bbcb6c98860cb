package estimate

// Facts are what is known of the blocks of kernels, each as a formula that says that it does not hold.
type Facts struct {
	Provenance
	Job         string    `json:"job"`
	Machine     string    `json:"machine"`
	ModuleHash  string    `json:"module_hash"` // SHA-256 of the module's text
	JobHash     string    `json:"job_hash"`    // of the job's file, of the data files that it names, and of inputs that are kept beside it
	MachineHash string    `json:"machine_hash"`
	Formulas    []Formula `json:"formulas"`
}

// Formula is a file in SMT-LIB 2 with one check-sat.
type Formula struct {
	File   string `json:"file"`
	Kernel string `json:"kernel"`
	// Kind says what is shown: invariant (along an edge), infeasible (an edge), ranking (of a loop), loop (how often it goes on) or
	// range (of an address).
	Kind     string `json:"kind"`
	Pos      string `json:"pos"`      // file:line:col in the module
	What     string `json:"what"`     // is shown if a solver gives the answer that is expected
	Expected string `json:"expected"` // answer of a solver: unsat
}

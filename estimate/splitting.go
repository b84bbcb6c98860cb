package estimate

// Splitting is how the wavefronts of a job split, and what the job takes in each mode.
type Splitting struct {
	Provenance
	Job             string `json:"job"`
	Kernel          string `json:"kernel"`
	KernelDemangled string `json:"kernel_demangled,omitempty"` // the name in the source, where Kernel is a mangled symbol
	Machine         string `json:"machine"`
	MachineHash     string `json:"machine_hash"`
	ModuleHash      string `json:"module_hash"` // SHA-256 of the module's text
	JobHash         string `json:"job_hash"`    // of the job's file, of the data files that it names, and of inputs that are kept beside it
	Launch          Launch `json:"launch"`
	Seed            int64  `json:"seed"`
	Runs            int    `json:"runs"`
	// Convergence is as in an Analysis.
	Convergence *Convergence `json:"convergence,omitempty"`
	SplitSIMDs  int          `json:"split_simds"` // S, for each SIMD
	Mode        string       `json:"mode"`        // the job's own

	Modes    []SplitMode  `json:"modes"`
	Points   []SplitPoint `json:"points"` // branches that can be split, in the order of the kernel
	Choice   *SplitChoice `json:"choice"` // nil unless asked for
	Warnings []Warning    `json:"warnings"`

	Interrupted *Interruption `json:"interrupted,omitempty"` // nil if all is known
}

// SplitMode is what the job takes in one mode.
type SplitMode struct {
	Mode     string       `json:"mode"`
	Estimate Estimate     `json:"estimate"`
	Parts    []SplitPart  `json:"parts"`
	Observed *Observation `json:"observed"` // nil where nothing ran

	// Measured composes measured times of blocks; nil unless asked for. Published is what the
	// published equations make of them, in cycles. Neither is a bound.
	Measured  *Estimate `json:"measured"`
	Published int64     `json:"published,omitempty"`
}

// SplitPart is a number from which a bound is made.
type SplitPart struct {
	Name  string `json:"name"`
	Value int64  `json:"value"` // cycles, unless the name says otherwise
}

// SplitPoint is a branch that can be split.
type SplitPoint struct {
	Place    string `json:"place"` // as a job names it; empty if it can name it only with others
	Pos      string `json:"pos"`
	Marked   bool   `json:"marked"`
	Selected bool   `json:"selected"` // splits in mode pws
	// Without is the bound of mode pws if the others split, but not this one, in cycles; 0 if
	// it does not split.
	Without int64 `json:"without"`
}

// SplitChoice is the best choice of split points for each number of contexts that are used
// at a time.
type SplitChoice struct {
	Sets   []SplitSet   `json:"sets"`   // with ascending numbers of contexts
	Best   int          `json:"best"`   // of Sets: the one with the least bound, and the fewest contexts of those
	Passed []SplitPoint `json:"passed"` // branches that were not considered
}

// SplitSet is a set of branches that split.
type SplitSet struct {
	Contexts int          `json:"contexts"` // of split wavefronts, at most
	Cycles   int64        `json:"cycles"`   // the bound of mode pws, analysed anew
	Points   []SplitPoint `json:"points"`   // in the order of the kernel; Without is set in the best set
}

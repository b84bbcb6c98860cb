package estimate

// IfConversion is a module that was written with selections in place of the branches that inputs reach, and what that costs and
// gains.
type IfConversion struct {
	ModuleHash string            `json:"module_hash"` // SHA-256 of the text that was written
	Branches   []ConvertedBranch `json:"branches"`    // in the order in which a run comes to them

	// Runs are test vectors that were run with both modules, of which Observed are the times with the module as it is. With the one that was written
	// each left the same bytes in all buffers, and took as many cycles as After says.
	Runs     int         `json:"runs"`
	Observed Observation `json:"observed"`

	Before *Answer `json:"before"` // the least estimate with the strongest evidence of the module as it is; nil if there is none
	After  Answer  `json:"after"`  // of every run of the module that was written
	// Numbers counts those of the machine on which After may depend, as in Estimate.
	Numbers *Numbers `json:"numbers,omitempty"`

	// Races says how it is known that no two threads race in it: "proven" by the forms of addresses, or "none in the run", whose accesses
	// are those of all others.
	Races string `json:"races"`
}

// ConvertedBranch is a branch, or an instruction with a guard, that was converted.
type ConvertedBranch struct {
	Pos    string `json:"pos"`              // in the module as it is
	Source string `json:"source,omitempty"` // in the source that the compiler was given, if it said so
	Kind   string `json:"kind"`             // "if-then", "if-then-else", "region" of several blocks, "predicated" of one instruction, or "loop-exit"
	Added  int    `json:"added"`            // how many more instructions the kernel has; fewer if it is negative
}

// Instructions returns how many more instructions the kernel has.
func (c *IfConversion) Instructions() int {
	sum := 0
	for _, b := range c.Branches {
		sum += b.Added
	}
	return sum
}

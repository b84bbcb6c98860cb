package estimate

// Machines says which of the built-in machines suit a module.
type Machines struct {
	Provenance
	File       string    `json:"file"`
	ModuleHash string    `json:"module_hash"` // SHA-256 of its text
	Target     string    `json:"target"`      // of the module, as it writes it: sm_87
	Kernels    []string  `json:"kernels"`     // that were asked for
	Machines   []Suiting `json:"machines"`    // the best first
}

// Suiting says how a machine suits a module.
type Suiting struct {
	Machine      string `json:"machine"`
	MachineHash  string `json:"machine_hash"`
	Architecture string `json:"architecture"` // that it describes: sm_20, mini-simt or none; empty if its file does not say
	Runs         bool   `json:"runs"`         // it runs all kernels that were asked for
	// Match says how code for the target stands to the architecture: "runs" if such GPUs run it, "differs" if they do not,
	// "unsaid" if the machine's file does not say of which it is, "unlike" if no GPU is like it.
	Match   string          `json:"match"`
	Methods []OfferedMethod `json:"methods"` // that bound all of the kernels there; none if it does not run them
	Reasons []string        `json:"reasons"` // in plain words, the decisive one first
}

// OfferedMethod is a method that gives an estimate on a machine.
type OfferedMethod struct {
	Method   string   `json:"method"`
	Evidence Evidence `json:"evidence"` // the strongest that it can have
}

// Strongest returns the strongest evidence that an estimate on the machine can have; empty if there is no method.
func (s *Suiting) Strongest() Evidence {
	var best Evidence
	for _, m := range s.Methods {
		if best == "" || Weakest(best, m.Evidence) == best {
			best = m.Evidence
		}
	}
	return best
}

package estimate

// Proof is what a certificate proves: no path that its model admits costs more than Cycles.
type Proof struct {
	Provenance
	Model  string `json:"model"` // its name
	Nodes  int    `json:"nodes"`
	Edges  int    `json:"edges"`
	Cycles int64  `json:"cycles"`
	// Facts are the constraints of the model that the proof rests on, each with its evidence.
	Facts []ProofFact `json:"facts"`
}

// ProofFact is a constraint that a proof rests on.
type ProofFact struct {
	Constraint string   `json:"constraint"` // for example: loop "b3" or: limit of b3 -> b4
	Evidence   Evidence `json:"evidence"`   // as the model states it
}

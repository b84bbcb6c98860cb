package estimate

// Basis is what a claim has been found to rest on: its evidence, or Asserted.
type Basis string

// ProofVerdict says who confirms a claim.
type ProofVerdict string

// The verdicts.
const (
	ClaimHolds    ProofVerdict = "holds"    // what was derived from job, module and machine alone confirms all that it rests on
	ClaimRepeated ProofVerdict = "repeated" // the method made it again; nobody else confirms all of it
	ClaimAsserted ProofVerdict = "asserted" // it follows from the facts in the file, and nobody confirms these
)

// Asserted is the basis of a claim that rests on something which was not confirmed.
const Asserted Basis = "asserted"

// Proof is how much of a certificate is confirmed.
type Proof struct {
	Provenance
	// Claim is what the certificate is there to prove; nil of the mere proof of a path problem.
	Claim    *ProofClaim  `json:"claim"`
	Verdict  ProofVerdict `json:"verdict"`
	Evidence Basis        `json:"evidence"` // what the claim has been found to rest on
	// Assumptions are those of the claim, which are what job, module and machine give; empty if it is asserted.
	Assumptions []string    `json:"assumptions"`
	Confirmed   []ProofFact `json:"confirmed"`
	Trusted     []ProofFact `json:"trusted"` // what was not confirmed
	// Sum is what no run takes longer than, in cycles, as a sum over blocks shows of which all is confirmed; 0 if there is none.
	Sum int64 `json:"sum,omitempty"`
	// Numbers counts those of the machine on which the claim may depend, as in an Estimate; nil without a job.
	Numbers *Numbers `json:"numbers,omitempty"`
	// Again says that the method, and runs if it needs them, gave what is trusted once more.
	Again bool `json:"again"`

	// No path that the model of the certificate admits costs more than Cycles, if it has a model.
	Model  string `json:"model,omitempty"` // its name
	Nodes  int    `json:"nodes,omitempty"`
	Edges  int    `json:"edges,omitempty"`
	Cycles int64  `json:"cycles,omitempty"`
	// Facts are the constraints of the model that the proof of that rests on, each with its evidence.
	Facts []ProofFact `json:"facts"`
}

// ProofClaim is what a certificate is there to prove.
type ProofClaim struct {
	Method   string   `json:"method"`
	Cycles   int64    `json:"cycles"`
	Evidence Evidence `json:"evidence"` // as the certificate has it
	What     string   `json:"what"`     // Cycles is a bound of
	Kernel   string   `json:"kernel"`
	Machine  string   `json:"machine"`
}

// ProofFact is a fact or a constraint that a proof rests on.
type ProofFact struct {
	Kind       string   `json:"kind,omitempty"` // of the fact in the certificate
	Constraint string   `json:"constraint"`     // for example: loop "b3" or: limit of b3 -> b4
	Evidence   Evidence `json:"evidence"`       // as the certificate states it
	Why        string   `json:"why,omitempty"`  // it is trusted
}

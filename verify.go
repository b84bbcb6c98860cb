package warpbound

import (
	"errors"
	"fmt"
	"io"

	"warpbound/internal/ipet"
)

// ErrRefuted is the error of a certificate that does not prove what it claims.
var ErrRefuted = errors.New("the certificate does not hold")

// Proof is what a certificate proves: no path that its model admits costs more than Cycles.
type Proof struct {
	Model  string // its name
	Nodes  int
	Edges  int
	Cycles int64
	// Facts are the constraints of the model that the proof rests on, each with its evidence.
	Facts []ProofFact
}

// ProofFact is a constraint that a proof rests on.
type ProofFact = ipet.Use

// Verify checks a certificate that Analyze wrote, in exact arithmetic and without a solver:
// docs/formats.md has the inequality. It trusts the model in the certificate, whose costs and
// facts come from the analysis. It is ErrRefuted if the certificate does not prove its bound,
// and another error if it cannot be read.
func Verify(r io.Reader) (*Proof, error) {
	c, err := ipet.ReadCertificate(r)
	if err != nil {
		return nil, err
	}
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefuted, err)
	}
	return &Proof{
		Model: c.Model.Name, Nodes: len(c.Model.Nodes), Edges: len(c.Model.Edges), Cycles: c.Cycles, Facts: c.Uses(),
	}, nil
}

package warpbound

import (
	"errors"
	"fmt"
	"io"

	"warpbound/estimate"

	"warpbound/internal/ipet"
	"warpbound/internal/provenance"
)

// ErrRefuted is the error of a certificate that does not prove what it claims.
var ErrRefuted = errors.New("the certificate does not hold")

// Verify checks a certificate that Analyze wrote, in exact arithmetic and without a solver:
// docs/formats.md has the inequality. It trusts the model in the certificate, whose costs and
// facts come from the analysis. It is ErrRefuted if the certificate does not prove its bound,
// and another error if it cannot be read.
func Verify(r io.Reader) (*estimate.Proof, error) {
	c, err := ipet.ReadCertificate(r)
	if err != nil {
		return nil, err
	}
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefuted, err)
	}
	p := &estimate.Proof{
		Provenance: provenance.Of(),
		Model:      c.Model.Name, Nodes: len(c.Model.Nodes), Edges: len(c.Model.Edges), Cycles: c.Cycles, Facts: []estimate.ProofFact{},
	}
	for _, u := range c.Uses() {
		p.Facts = append(p.Facts, estimate.ProofFact{Constraint: u.Constraint, Evidence: estimate.Evidence(u.Evidence)})
	}
	return p, nil
}

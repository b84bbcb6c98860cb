package split

import (
	"context"

	"warpbound/internal/isa"
	"warpbound/internal/method"
	"warpbound/internal/splitting/bsb"
)

// Prices are the costs of a kernel's blocks where all wavefronts are on the CU that fit,
// whatever they split, for choosing where they should.
type Prices struct {
	Form  *bsb.Form
	Loops Loops

	// Rules are the costs by each rule for what is shared: all of it counted where it is used,
	// memory counted separately, and ports too. One that does not fit is saturating.Max, with which Choose returns ErrOverflow.
	Rules []Costs
}

// PricesOf returns the prices of a kernel that does not split yet, on the machine that it
// finds with all its split SIMDs in use (machine.Machine.Reuse), in mode PWS. Errors are
// those of Method.Bound.
func PricesOf(ctx context.Context, p *method.Problem) (*Prices, error) {
	if err := applies(p.Machine); err != nil {
		return nil, err
	}
	c, err := newConfig(ctx, p)
	if err != nil {
		return nil, err
	}
	return method.Assuming(p, func(p *method.Problem) (*Prices, error) { return prices(ctx, c.with(p)) })
}

func prices(ctx context.Context, c *config) (*Prices, error) {
	a, err := newAnalysis(ctx, c)
	if err != nil {
		return nil, err
	}
	k, err := a.kind(a.joint)
	if err != nil {
		return nil, err
	}
	groups := min(a.resident.groups, a.resident.slots)
	p := &Prices{Form: k.form, Loops: a.loops(k)}
	for _, r := range []rule{countAll, countPorts, countNeither} {
		p.Rules = append(p.Rules, a.costs(k, a.share(groups, r)))
	}
	return p, nil
}

// costs returns the costs of the blocks of wavefronts, and of splitting and merging.
func (a *analysis) costs(k *kind, s sharing) Costs {
	c := Costs{Blocks: a.prices(k, s)}
	for _, op := range []isa.Op{isa.Split, isa.Merge} {
		c.Split = c.Split.Add(a.price(a.timing.instr(&isa.Instr{Op: op}, 0), s))
	}
	return c
}

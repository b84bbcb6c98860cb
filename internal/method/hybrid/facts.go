package hybrid

import (
	"fmt"
	"math/big"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/ipet"
	"warpbound/internal/method"
	"warpbound/internal/trace"
)

// factProfile is what warps showed of the sum of a fact.
type factProfile struct{ maximum, minimum peak } // least holds the negative of the value

// placeFacts finds the Ipoints of the facts' blocks.
func (g *IPG) placeFacts(p *Program) error {
facts:
	for _, f := range p.Facts {
		coef := make(map[int]int64, len(f.Terms))
		for _, t := range f.Terms {
			if t.Block < 0 || t.Block >= len(p.Blocks) {
				return fmt.Errorf("fact %s: there is no block %d", f.Name, t.Block)
			}
			if !p.Flow.Reachable(t.Block) {
				continue // never executed
			}
			i := g.OfBlock[t.Block]
			if i == trace.None && f.Implied {
				continue facts
			}
			if i == trace.None {
				return fmt.Errorf("fact %s: block %s has no ipoint", f.Name, p.Blocks[t.Block].Name)
			}
			sum := new(big.Int).Add(big.NewInt(coef[int(i)]), big.NewInt(t.Coef))
			if !sum.IsInt64() {
				return fmt.Errorf("fact %s: the coefficients of block %s do not fit into 64 bits together", f.Name, p.Blocks[t.Block].Name)
			}
			coef[int(i)] = sum.Int64()
		}
		g.facts = append(g.facts, placedFact{f, coef})
	}
	return nil
}

// placedFact is a fact with its coefficients by node.
type placedFact struct {
	method.Fact
	coef map[int]int64
}

// addFacts enters the counts of a retired warp.
func (p *Profile) addFacts(w *warpSlice, id estimate.WarpID) error {
	for i := range p.ipg.facts {
		f := &p.ipg.facts[i]
		var value, negative big.Int // coefficients may be negative: the sum is no saturating.Int
		for _, slot := range w.used {
			to := p.edgeOf(p.seen[slot].edge).To
			value.Add(&value, new(big.Int).Mul(big.NewInt(f.coef[to]), big.NewInt(w.counts[slot])))
		}
		if negative.Neg(&value); !value.IsInt64() || !negative.IsInt64() {
			return fmt.Errorf("fact %s: its sum does not fit into 64 bits", f.Name)
		}
		p.facts[i].maximum.raise(value.Int64(), id)
		p.facts[i].minimum.raise(negative.Int64(), id)
	}
	return nil
}

// checkFacts reports a fact that a warp contradicts.
func (p *Profile) checkFacts() error {
	for i, f := range p.ipg.facts {
		seen := &p.facts[i]
		if f.Max != nil && seen.maximum.known && seen.maximum.value > *f.Max {
			return &diag.ContradictionError{Err: fmt.Errorf("fact %s: its maximum %d (%s) is wrong: %v has %d",
				f.Name, *f.Max, f.Evidence, seen.maximum.at, seen.maximum.value)}
		}
		if f.Min != nil && seen.minimum.known && -seen.minimum.value < *f.Min {
			return &diag.ContradictionError{Err: fmt.Errorf("fact %s: its minimum %d (%s) is wrong: %v has %d",
				f.Name, *f.Min, f.Evidence, seen.minimum.at, -seen.minimum.value)}
		}
	}
	return nil
}

// addFacts states the facts over the edges of the model.
func (m *model) addFacts(g *IPG) {
	for _, f := range g.facts {
		var terms []ipet.Term
		for i, e := range m.Edges {
			if c := f.coef[e.To]; c != 0 {
				terms = append(terms, ipet.Term{Edge: i, Coef: c})
			}
		}
		for _, limit := range []struct {
			rel ipet.Relation
			rhs *int64
		}{{ipet.AtMost, f.Max}, {ipet.AtLeast, f.Min}} {
			if limit.rhs != nil {
				m.Facts = append(m.Facts, ipet.Fact{
					Name: f.Name, Terms: terms, Rel: limit.rel, RHS: *limit.rhs, Evidence: string(f.Evidence),
				})
			}
		}
	}
}

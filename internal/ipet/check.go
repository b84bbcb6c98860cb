package ipet

import (
	"errors"
	"fmt"
	"math/big"
)

// Check verifies the certificate: that Model is valid, that Steps prove Cycles,
// and that Counts, where present, satisfy the model at a cost of at most
// Cycles. It computes in math/big.
func (c *Certificate) Check() error {
	if c.Model == nil {
		return errors.New("certificate without a model")
	}
	if err := c.Model.Validate(); err != nil {
		return fmt.Errorf("certificate's model: %w", err)
	}
	net, err := newNetwork(c.Model)
	if err != nil {
		return fmt.Errorf("certificate's model: %w", err)
	}
	if err := c.checkBound(net); err != nil {
		return err
	}
	if c.Counts != nil {
		cost, err := c.Model.cost(net, c.Counts)
		if err != nil {
			return fmt.Errorf("counts: %w", err)
		}
		if cost.Cmp(big.NewInt(c.Cycles)) > 0 {
			return fmt.Errorf("counts cost %v cycles, more than %d", cost, c.Cycles)
		}
	}
	return nil
}

// checkBound verifies that the certificate proves Cycles.
func (c *Certificate) checkBound(net *network) error {
	if len(c.Parts) > 0 {
		return c.checkParts(net)
	}
	for i, cut := range c.Cuts {
		if err := cut.check(c.Model); err != nil {
			return fmt.Errorf("cut %d: %w", i, err)
		}
	}
	k := checker{c: c, live: net.live}
	if err := k.roundings(); err != nil {
		return err
	}
	return k.steps()
}

// checkFloor checks that the floor of a bound is no more than what is claimed: then the
// bound is less than the next integer.
func checkFloor(bound *big.Rat, claim int64) error {
	next := new(big.Int).Add(big.NewInt(claim), big.NewInt(1))
	if bound.Cmp(new(big.Rat).SetInt(next)) >= 0 {
		return fmt.Errorf("its bound %s exceeds %d", bound.RatString(), claim)
	}
	return nil
}

// checker verifies the steps of a certificate.
type checker struct {
	c    *Certificate
	live []bool
	at   [][]int // by node: the edges at it, once asked for
}

// bounds are those that splits put on edges, innermost first.
type bounds struct {
	edge   int
	upper  bool
	at     int64
	around *bounds
}

func (k *checker) steps() error {
	type visit struct {
		step   int
		bounds *bounds
	}
	if len(k.c.Steps) == 0 {
		return errors.New("certificate without steps")
	}
	seen := 0
	visited := make([]bool, len(k.c.Steps))
	for work := []visit{{}}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if visited[at.step] {
			return fmt.Errorf("step %d stands in two splits", at.step)
		}
		visited[at.step] = true
		seen++
		s := k.c.Steps[at.step]
		if s.Split == nil {
			if err := k.leaf(s, at.bounds); err != nil {
				return fmt.Errorf("step %d: %w", at.step, err)
			}
			continue
		}
		if err := k.split(at.step); err != nil {
			return fmt.Errorf("step %d: %w", at.step, err)
		}
		work = append(work,
			visit{s.Split.Below, &bounds{s.Split.Edge, true, s.Split.At, at.bounds}},
			visit{s.Split.Above, &bounds{s.Split.Edge, false, s.Split.At, at.bounds}})
	}
	if seen != len(k.c.Steps) {
		return fmt.Errorf("%d of %d steps belong to no split", len(k.c.Steps)-seen, len(k.c.Steps))
	}
	return nil
}

func (k *checker) split(step int) error {
	s := k.c.Steps[step]
	inRange := func(i int) bool { return i > step && i < len(k.c.Steps) }
	switch {
	case s.Multipliers != nil || s.Empty:
		return errors.New("a split with multipliers")
	case s.Split.Edge < 0 || s.Split.Edge >= len(k.c.Model.Edges):
		return fmt.Errorf("no edge %d", s.Split.Edge)
	case !inRange(s.Split.Below) || !inRange(s.Split.Above):
		return errors.New("a split into steps that do not follow it")
	}
	return nil
}

// leaf checks that the multipliers of s prove its claim for flows within b.
func (k *checker) leaf(s Step, b *bounds) error {
	if s.Multipliers == nil {
		return errors.New("neither split nor multipliers")
	}
	total, reduced, err := k.reduce(s)
	if err != nil {
		return err
	}
	low, high := k.ranges(b)
	for i, r := range reduced {
		var at *big.Int
		switch {
		case r == nil || r.Sign() == 0:
			continue
		case r.Sign() < 0:
			at = low[i]
		case high[i] == nil:
			return fmt.Errorf("edge %d (%s) has no limit but can gain %v", i, k.c.Model.EdgeName(i), r)
		default:
			at = high[i]
		}
		if at != nil {
			total.Add(total, new(big.Rat).Mul(r, new(big.Rat).SetInt(at)))
		}
	}
	if s.Empty {
		if total.Sign() >= 0 {
			return fmt.Errorf("its bound without costs is %s and does not exclude flow", total.RatString())
		}
		return nil
	}
	return checkFloor(total, k.c.Cycles)
}

// reduce returns the part of a leaf's bound that does not depend on flow, and r
// for every live edge.
func (k *checker) reduce(s Step) (*big.Rat, []*big.Rat, error) {
	m, y := k.c.Model, s.Multipliers
	if len(y.Nodes) != len(m.Nodes) || len(y.Loops) != len(m.Loops) ||
		len(y.Facts) != len(m.Facts) || len(y.Cuts) != len(k.c.Cuts) || len(y.Roundings) != len(k.c.Roundings) {
		return nil, nil, fmt.Errorf("%d, %d, %d, %d and %d multipliers for %d nodes, %d loops, %d facts, %d cuts and %d roundings",
			len(y.Nodes), len(y.Loops), len(y.Facts), len(y.Cuts), len(y.Roundings),
			len(m.Nodes), len(m.Loops), len(m.Facts), len(k.c.Cuts), len(k.c.Roundings))
	}
	potential := make([]*big.Rat, len(m.Nodes))
	for v, p := range y.Nodes {
		potential[v] = p.Big()
	}
	reduced := make([]*big.Rat, len(m.Edges))
	for i, e := range m.Edges {
		if !k.live[i] {
			continue
		}
		reduced[i] = new(big.Rat).Sub(potential[e.From], potential[e.To])
		if !s.Empty {
			reduced[i].Add(reduced[i], new(big.Rat).SetInt64(e.Cost))
		}
	}
	total := new(big.Rat).Sub(potential[m.Sink], potential[m.Source])
	price := func(row constraint, y *big.Rat) error {
		if err := row.checkSign(y); err != nil {
			return err
		}
		for _, t := range row.terms {
			if r := reduced[t.Edge]; r != nil {
				r.Sub(r, new(big.Rat).Mul(y, new(big.Rat).SetInt64(t.Coef)))
			}
		}
		total.Add(total, new(big.Rat).Mul(y, new(big.Rat).SetInt64(row.rhs)))
		return nil
	}
	for i, p := range append(append([]Rational(nil), y.Loops...), y.Facts...) {
		if p.isZero() {
			continue
		}
		if err := price(m.constraint(i), p.Big()); err != nil {
			return nil, nil, err
		}
	}
	for i, p := range y.Cuts {
		if p.isZero() {
			continue
		}
		if err := price(k.c.Cuts[i].constraint(m), p.Big()); err != nil {
			return nil, nil, err
		}
	}
	for i, p := range y.Roundings {
		if p.isZero() {
			continue
		}
		if err := price(k.c.Roundings[i].constraint(), p.Big()); err != nil {
			return nil, nil, err
		}
	}
	return total, reduced, nil
}

// checkSign checks the sign of a multiplier of the constraint.
func (c constraint) checkSign(y *big.Rat) error {
	if c.rel == AtMost && y.Sign() < 0 || c.rel == AtLeast && y.Sign() > 0 {
		return fmt.Errorf("%s has multiplier %s of the wrong sign", c.name, y.RatString())
	}
	return nil
}

// ranges returns the least count of every edge, nil for 0, and the greatest, nil
// where there is none.
func (k *checker) ranges(b *bounds) (low, high []*big.Int) {
	m := k.c.Model
	low, high = make([]*big.Int, len(m.Edges)), make([]*big.Int, len(m.Edges))
	for i, e := range m.Edges {
		if e.Limit != nil {
			high[i] = big.NewInt(e.Limit.Max)
		}
	}
	for ; b != nil; b = b.around {
		at := big.NewInt(b.at)
		if b.upper {
			if high[b.edge] == nil || at.Cmp(high[b.edge]) < 0 {
				high[b.edge] = at
			}
			continue
		}
		at.Add(at, big.NewInt(1))
		if low[b.edge] == nil || at.Cmp(low[b.edge]) > 0 {
			low[b.edge] = at
		}
	}
	return low, high
}

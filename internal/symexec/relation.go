package symexec

import (
	"warpbound/internal/contract"
	"warpbound/internal/smt"
)

// Integer is a number that relations name: one of the parameter block, or one that is known.
type Integer struct {
	Offset, Bytes int // in the parameter block; no Bytes if Value is what it is
	Signed        bool
	Value         int64 // which the number may have if those of all others are theirs
}

// related returns the relations between numbers as terms.
func (x *explorer) related() []*smt.Term {
	var terms []*smt.Term
	for i := range x.Relations {
		terms = append(terms, x.relation(&x.Relations[i]))
	}
	return terms
}

// relation returns a relation as a term. Nothing that it computes exceeds 64 bits.
func (x *explorer) relation(r *contract.Relation) *smt.Term {
	a, b := x.integer(r.L), x.integer(r.R)
	switch r.Cmp {
	case contract.Lt:
		return x.b.Slt(a, b)
	case contract.Le:
		return x.b.Sle(a, b)
	case contract.Eq:
		return x.b.Eq(a, b)
	case contract.Ne:
		return x.b.Not(x.b.Eq(a, b))
	case contract.Ge:
		return x.b.Sle(b, a)
	}
	return x.b.Slt(b, a)
}

// integer returns an expression as a term of 64 bits.
func (x *explorer) integer(e *contract.Expr) *smt.Term {
	switch e.Op {
	case contract.Number:
		return x.b.Number(64, uint64(e.Value))
	case contract.Name:
		return x.named(&x.Integers[e.Var])
	}
	a, b := x.integer(e.L), x.integer(e.R)
	switch e.Op {
	case contract.Add:
		return x.b.Add(a, b)
	case contract.Sub:
		return x.b.Sub(a, b)
	case contract.Mul:
		return x.b.Mul(a, b)
	case contract.Div:
		return x.b.SDiv(a, b)
	}
	return x.b.SRem(a, b)
}

func (x *explorer) named(n *Integer) *smt.Term {
	if n.Bytes == 0 {
		return x.b.Number(64, uint64(n.Value))
	}
	t := x.atStart(parameters, x.b.Number(indexBits, uint64(n.Offset)), n.Bytes)
	if n.Signed {
		return x.b.SignExt(t, 64)
	}
	return x.b.ZeroExt(t, 64)
}

// relate takes the relations to hold. If they do not of the model, its numbers become those that are said to go together.
func (s *state) relate() {
	for _, holds := range s.x.related() {
		if s.eval().Eval(holds) == 0 {
			s.together()
			break
		}
	}
	for _, holds := range s.x.related() {
		if _, isConst := holds.Const(); !isConst && !s.known(holds) {
			s.path = s.path.with(condition{holds, s.at, true})
			s.assumed = s.assumed.with(uint64(holds.ID()), true)
		}
	}
}

// together gives the numbers in relations values that satisfy these.
func (s *state) together() {
	for i := range s.x.Integers {
		n := &s.x.Integers[i]
		for k := range n.Bytes {
			s.model.SetCell(s.x.regions[parameters].name, uint64(n.Offset+k), uint64(n.Value)>>(8*k)&0xff)
		}
	}
	s.memo = nil
}

package smt

// Not returns the negation of a truth value.
func (b *Builder) Not(x *Term) *Term {
	check(x.sort == Bool, "not of %v", x.sort)
	if !b.plain {
		switch x.op {
		case Not:
			return x.args[0]
		case Ult:
			return b.Ule(x.args[1], x.args[0])
		case Ule:
			return b.Ult(x.args[1], x.args[0])
		case Slt:
			return b.Sle(x.args[1], x.args[0])
		case Sle:
			return b.Slt(x.args[1], x.args[0])
		}
	}
	return b.make(node{op: Not, sort: Bool, args: [3]*Term{x}})
}

// And returns whether both hold.
func (b *Builder) And(x, y *Term) *Term {
	check(x.sort == Bool && y.sort == Bool, "and of %v and %v", x.sort, y.sort)
	if !b.plain {
		x, y = sorted(x, y)
		switch {
		case x == y || y.is(1):
			return x
		case y.is(0) || contrary(x, y):
			return b.Truth(false)
		}
	}
	return b.make(node{op: And, sort: Bool, args: [3]*Term{x, y}})
}

// contrary reports whether one term is seen to be the negation of the other.
func contrary(x, y *Term) bool {
	if x.op == Not && x.args[0] == y || y.op == Not && y.args[0] == x {
		return true
	}
	var negation Op
	switch x.op {
	case Ult:
		negation = Ule
	case Ule:
		negation = Ult
	case Slt:
		negation = Sle
	case Sle:
		negation = Slt
	}
	return negation == y.op && y.op != NoOp && x.args[0] == y.args[1] && x.args[1] == y.args[0]
}

// Or returns whether at least one holds.
func (b *Builder) Or(x, y *Term) *Term {
	if !b.plain && x.op == And && y.op == And {
		for i := range 2 {
			for j := range 2 { // of two cases, with and without a condition, the rest
				if x.args[i] == y.args[j] && contrary(x.args[1-i], y.args[1-j]) {
					return x.args[i]
				}
			}
		}
	}
	return b.Not(b.And(b.Not(x), b.Not(y)))
}

// Xor returns whether exactly one holds.
func (b *Builder) Xor(x, y *Term) *Term { return b.Not(b.Eq(x, y)) }

// Eq returns whether two truth values or bit-vectors are equal.
func (b *Builder) Eq(x, y *Term) *Term {
	check(x.sort == y.sort && x.sort.Kind != ArrayKind, "= of %v and %v", x.sort, y.sort)
	if !b.plain {
		x, y = sorted(x, y)
		switch {
		case x == y:
			return b.Truth(true)
		case y.op == Const && x.op != Const:
			if t := b.equalsConst(x, y.value); t != nil {
				return t
			}
		}
	}
	return b.make(node{op: Eq, sort: Bool, args: [3]*Term{x, y}})
}

// equalsConst simplifies x = c; nil if that cannot be done.
func (b *Builder) equalsConst(x *Term, c uint64) *Term {
	n := x.sort.Width
	if x.sort == Bool {
		if c == 1 {
			return x
		}
		return b.Not(x)
	}
	first := x.args[0]
	number := func(v uint64) *Term { return b.Number(n, v) }
	switch x.op {
	case ZeroExt, SignExt:
		low := b.Number(first.sort.Width, c)
		if b.extend(x.op, low, n).value != c {
			return b.Truth(false)
		}
		return b.Eq(first, low)
	case Concat:
		low := x.args[1].sort.Width
		return b.And(b.Eq(first, b.Number(n-low, c>>low)), b.Eq(x.args[1], b.Number(low, c)))
	case BvNot:
		return b.Eq(first, number(^c))
	case BvNeg:
		return b.Eq(first, number(-c))
	case BvAdd, BvXor:
		if k, ok := x.args[1].Const(); ok {
			if x.op == BvXor {
				return b.Eq(first, number(c^k))
			}
			return b.Eq(first, number(c-k))
		}
	case Ite:
		yes, no := x.args[1], x.args[2]
		if yes.op == Const || no.op == Const {
			return b.Ite(first, b.Eq(yes, number(c)), b.Eq(no, number(c)))
		}
	}
	return nil
}

// Ite returns yes if c holds, else no.
func (b *Builder) Ite(c, yes, no *Term) *Term {
	check(c.sort == Bool && yes.sort == no.sort, "ite of %v, %v and %v", c.sort, yes.sort, no.sort)
	if !b.plain {
		if c.op == Not {
			c, yes, no = c.args[0], no, yes
		}
		if yes.op == Ite && yes.args[0] == c {
			yes = yes.args[1]
		}
		if no.op == Ite && no.args[0] == c {
			no = no.args[2]
		}
		switch {
		case c.is(1) || yes == no:
			return yes
		case c.is(0):
			return no
		case yes.sort != Bool:
		case yes.op == Const:
			return b.either(yes.value == 1, c, no)
		case no.op == Const:
			return b.either(no.value == 1, b.Not(c), yes)
		}
	}
	return b.intern(node{op: Ite, sort: yes.sort, args: [3]*Term{c, yes, no}})
}

// either returns c or x if value is set, not c and x if not.
func (b *Builder) either(value bool, c, x *Term) *Term {
	if value {
		return b.Or(c, x)
	}
	return b.And(b.Not(c), x)
}

package smt

import "math/bits"

// bv interns an operation of two bit-vectors of one width.
func (b *Builder) bv(op Op, x, y *Term) *Term {
	same(op, x, y)
	return b.make(node{op: op, sort: x.sort, args: [3]*Term{x, y}})
}

func (b *Builder) unary(op Op, x *Term) *Term {
	check(x.sort.Kind == BitsKind, "%v of %v", op, x.sort)
	return b.make(node{op: op, sort: x.sort, args: [3]*Term{x}})
}

func (b *Builder) zero(like *Term) *Term { return b.Number(like.sort.Width, 0) }

// BvNot returns the complement of all bits.
func (b *Builder) BvNot(x *Term) *Term {
	if !b.plain && x.op == BvNot {
		return x.args[0]
	}
	return b.unary(BvNot, x)
}

// BvNeg returns -x.
func (b *Builder) BvNeg(x *Term) *Term {
	if !b.plain {
		switch x.op {
		case BvNeg:
			return x.args[0]
		case BvSub:
			return b.Sub(x.args[1], x.args[0])
		}
	}
	return b.unary(BvNeg, x)
}

// Add returns x+y.
func (b *Builder) Add(x, y *Term) *Term {
	same(BvAdd, x, y)
	if !b.plain {
		x, y = sorted(x, y)
		k, isConst := y.Const()
		switch {
		case y.is(0):
			return x
		case isConst && x.op == BvAdd && x.args[1].op == Const:
			return b.Add(x.args[0], b.Number(x.sort.Width, x.args[1].value+k))
		case isConst:
		case x.op == BvAdd && x.args[1].op == Const: // constants go outward
			return b.Add(b.Add(x.args[0], y), x.args[1])
		case y.op == BvAdd && y.args[1].op == Const:
			return b.Add(b.Add(x, y.args[0]), y.args[1])
		case y.op == BvNeg:
			return b.Sub(x, y.args[0])
		case x.op == BvNeg:
			return b.Sub(y, x.args[0])
		}
	}
	return b.bv(BvAdd, x, y)
}

// Sub returns x-y.
func (b *Builder) Sub(x, y *Term) *Term {
	same(BvSub, x, y)
	if !b.plain {
		switch {
		case x == y:
			return b.zero(x)
		case y.op == Const:
			return b.Add(x, b.Number(x.sort.Width, -y.value))
		case x.is(0):
			return b.BvNeg(y)
		case x.op == BvAdd && x.args[0] == y:
			return x.args[1]
		case x.op == BvAdd && x.args[1] == y:
			return x.args[0]
		case x.op == BvAdd && x.args[1].op == Const: // constants go outward
			return b.Add(b.Sub(x.args[0], y), x.args[1])
		case y.op == BvAdd && y.args[1].op == Const:
			return b.Sub(b.Sub(x, y.args[0]), y.args[1])
		}
	}
	return b.bv(BvSub, x, y)
}

// Mul returns the low half of the product.
func (b *Builder) Mul(x, y *Term) *Term {
	same(BvMul, x, y)
	if !b.plain {
		x, y = sorted(x, y)
		switch k, isConst := y.Const(); {
		case !isConst || x.op == Const:
		case k == 0:
			return y
		case k == 1:
			return x
		case k == x.sort.mask():
			return b.BvNeg(x)
		case k&(k-1) == 0:
			return b.Shl(x, b.Number(x.sort.Width, uint64(bits.TrailingZeros64(k))))
		case x.op == BvMul && x.args[1].op == Const:
			return b.Mul(x.args[0], b.Number(x.sort.Width, x.args[1].value*k))
		}
	}
	return b.bv(BvMul, x, y)
}

// MulHi returns the upper half of the product of unsigned numbers.
func (b *Builder) MulHi(x, y *Term) *Term {
	same(BvMulHi, x, y)
	if !b.plain {
		x, y = sorted(x, y)
		if y.is(0) || y.is(1) {
			return b.zero(x)
		}
	}
	return b.bv(BvMulHi, x, y)
}

// SMulHi returns the upper half of the product of signed numbers.
func (b *Builder) SMulHi(x, y *Term) *Term {
	zero := b.zero(x)
	hi := b.Sub(b.MulHi(x, y), b.Ite(b.Slt(x, zero), y, zero))
	return b.Sub(hi, b.Ite(b.Slt(y, zero), x, zero))
}

// UDiv returns x/y of unsigned numbers, all ones for y = 0.
func (b *Builder) UDiv(x, y *Term) *Term {
	same(BvUDiv, x, y)
	if k := y.value; !b.plain && y.op == Const && x.op != Const && k != 0 && k&(k-1) == 0 {
		return b.Lshr(x, b.Number(x.sort.Width, uint64(bits.TrailingZeros64(k))))
	}
	return b.bv(BvUDiv, x, y)
}

// URem returns the remainder of unsigned numbers, x for y = 0.
func (b *Builder) URem(x, y *Term) *Term {
	same(BvURem, x, y)
	if k := y.value; !b.plain && y.op == Const && x.op != Const && k != 0 && k&(k-1) == 0 {
		return b.BvAnd(x, b.Number(x.sort.Width, k-1))
	}
	return b.bv(BvURem, x, y)
}

// SDiv returns x/y of signed numbers toward zero, and for y = 0 what SMT-LIB says.
func (b *Builder) SDiv(x, y *Term) *Term {
	if !b.plain && y.is(1) && y.sort.Width > 1 {
		return x
	}
	return b.bv(BvSDiv, x, y)
}

// SRem returns the remainder of SDiv, x for y = 0.
func (b *Builder) SRem(x, y *Term) *Term {
	if !b.plain && y.is(1) && y.sort.Width > 1 {
		return b.zero(x)
	}
	return b.bv(BvSRem, x, y)
}

// BvAnd returns the bits that are set in both.
func (b *Builder) BvAnd(x, y *Term) *Term {
	same(BvAnd, x, y)
	if !b.plain {
		x, y = sorted(x, y)
		n := x.sort.Width
		switch k, isConst := y.Const(); {
		case x == y:
			return x
		case !isConst || x.op == Const:
		case k == 0:
			return y
		case k == x.sort.mask():
			return x
		case k&(k+1) == 0: // the low bits
			return b.ZeroExt(b.Extract(x, 0, bits.Len64(k)), n)
		case x.op == BvAnd && x.args[1].op == Const:
			return b.BvAnd(x.args[0], b.Number(n, x.args[1].value&k))
		}
	}
	return b.bv(BvAnd, x, y)
}

// BvOr returns the bits that are set in one.
func (b *Builder) BvOr(x, y *Term) *Term {
	same(BvOr, x, y)
	if !b.plain {
		x, y = sorted(x, y)
		switch {
		case x == y || y.is(0):
			return x
		case y.is(x.sort.mask()):
			return y
		}
		if t := b.joined(x, y); t != nil {
			return t
		}
		if t := b.joined(y, x); t != nil {
			return t
		}
	}
	return b.bv(BvOr, x, y)
}

// joined makes a concatenation of hi and low, if one has zeros where the other has not.
func (b *Builder) joined(hi, low *Term) *Term {
	if hi.op != Concat || low.op != ZeroExt || hi.args[1].op != Const || hi.args[1].value != 0 {
		return nil
	}
	n := hi.args[1].sort.Width
	if low.args[0].sort.Width > n {
		return nil
	}
	return b.Concat(hi.args[0], b.ZeroExt(low.args[0], n))
}

// BvXor returns the bits in which two differ.
func (b *Builder) BvXor(x, y *Term) *Term {
	same(BvXor, x, y)
	if !b.plain {
		x, y = sorted(x, y)
		switch {
		case x == y:
			return b.zero(x)
		case y.is(0):
			return x
		case y.is(x.sort.mask()):
			return b.BvNot(x)
		case y.op == Const && x.op == BvXor && x.args[1].op == Const:
			return b.BvXor(x.args[0], b.Number(x.sort.Width, x.args[1].value^y.value))
		}
	}
	return b.bv(BvXor, x, y)
}

package smt

// computed interns an operation on numbers in a format.
func (b *Builder) computed(op Op, f Format, mode Mode, result Sort, args ...*Term) *Term {
	n := node{op: op, sort: result, format: f, mode: mode}
	for i, a := range args {
		check(a.sort == Bits(f.Width()), "%v of %v in %v", op, a.sort, f)
		n.args[i] = a
	}
	return b.make(n)
}

// The operations of floating point round once and give the format's NaN; they take and
// give the numbers' bits.

// FAdd returns x+y.
func (b *Builder) FAdd(f Format, m Mode, x, y *Term) *Term {
	return b.computed(FAdd, f, m, x.sort, x, y)
}

// FSub returns x-y.
func (b *Builder) FSub(f Format, m Mode, x, y *Term) *Term {
	return b.computed(FSub, f, m, x.sort, x, y)
}

// FMul returns x*y.
func (b *Builder) FMul(f Format, m Mode, x, y *Term) *Term {
	return b.computed(FMul, f, m, x.sort, x, y)
}

// FDiv returns x/y.
func (b *Builder) FDiv(f Format, m Mode, x, y *Term) *Term {
	return b.computed(FDiv, f, m, x.sort, x, y)
}

// FFma returns x*y+z, rounded once.
func (b *Builder) FFma(f Format, m Mode, x, y, z *Term) *Term {
	return b.computed(FFma, f, m, x.sort, x, y, z)
}

// FSqrt returns the square root.
func (b *Builder) FSqrt(f Format, m Mode, x *Term) *Term { return b.computed(FSqrt, f, m, x.sort, x) }

// FRound returns the integral number next to x.
func (b *Builder) FRound(f Format, m Mode, x *Term) *Term { return b.computed(FRound, f, m, x.sort, x) }

// FEq returns whether x equals y as a number: zeros are equal, and NaN equals nothing.
func (b *Builder) FEq(f Format, x, y *Term) *Term { return b.computed(FEq, f, 0, Bool, x, y) }

// FLt returns whether x < y.
func (b *Builder) FLt(f Format, x, y *Term) *Term { return b.computed(FLt, f, 0, Bool, x, y) }

// FLe returns whether x <= y.
func (b *Builder) FLe(f Format, x, y *Term) *Term { return b.computed(FLe, f, 0, Bool, x, y) }

// FIsNaN returns whether x is not a number.
func (b *Builder) FIsNaN(f Format, x *Term) *Term {
	if !b.plain && x.gives() && x.format == f {
		switch x.op {
		case UToF, SToF:
			return b.Truth(false)
		case FRound:
			return b.FIsNaN(f, x.args[0])
		case FToF:
			return b.FIsNaN(x.from, x.args[0])
		}
	}
	return b.computed(FIsNaN, f, 0, Bool, x)
}

// FToF returns a number of one format in another.
func (b *Builder) FToF(from, to Format, m Mode, x *Term) *Term {
	check(x.sort == Bits(from.Width()), "a number in %v of %v", from, x.sort)
	return b.make(node{op: FToF, sort: Bits(to.Width()), args: [3]*Term{x}, format: to, from: from, mode: m})
}

// FToU returns the unsigned integer of width bits next to x, 0 for NaN.
func (b *Builder) FToU(f Format, m Mode, x *Term, width int) *Term {
	return b.computed(FToU, f, m, Bits(width), x)
}

// FToS returns the signed integer of width bits next to x, 0 for NaN.
func (b *Builder) FToS(f Format, m Mode, x *Term, width int) *Term {
	return b.computed(FToS, f, m, Bits(width), x)
}

// UToF returns the number of an unsigned integer.
func (b *Builder) UToF(f Format, m Mode, x *Term) *Term { return b.ofInteger(UToF, f, m, x) }

// SToF returns the number of a signed integer.
func (b *Builder) SToF(f Format, m Mode, x *Term) *Term { return b.ofInteger(SToF, f, m, x) }

func (b *Builder) ofInteger(op Op, f Format, m Mode, x *Term) *Term {
	check(x.sort.Kind == BitsKind, "a number in %v of %v", f, x.sort)
	return b.make(node{op: op, sort: Bits(f.Width()), args: [3]*Term{x}, format: f, mode: m})
}

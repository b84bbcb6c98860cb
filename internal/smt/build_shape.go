package smt

// Shl returns x shifted left by y, 0 if y is the width or more.
func (b *Builder) Shl(x, y *Term) *Term {
	same(BvShl, x, y)
	if k, ok := y.Const(); ok && !b.plain {
		switch n := uint64(x.sort.Width); {
		case k == 0:
			return x
		case k >= n:
			return b.zero(x)
		default:
			return b.Concat(b.Extract(x, 0, int(n-k)), b.Number(int(k), 0))
		}
	}
	return b.bv(BvShl, x, y)
}

// Lshr returns x shifted right by y with zeros from above.
func (b *Builder) Lshr(x, y *Term) *Term {
	same(BvLshr, x, y)
	if k, ok := y.Const(); ok && !b.plain {
		n := uint64(x.sort.Width)
		if k >= n {
			return b.zero(x)
		}
		return b.ZeroExt(b.Extract(x, int(k), int(n-k)), int(n))
	}
	return b.bv(BvLshr, x, y)
}

// Ashr returns x shifted right by y with copies of its sign from above.
func (b *Builder) Ashr(x, y *Term) *Term {
	same(BvAshr, x, y)
	if k, ok := y.Const(); ok && !b.plain {
		n := uint64(x.sort.Width)
		k = min(k, n-1)
		return b.SignExt(b.Extract(x, int(k), int(n-k)), int(n))
	}
	return b.bv(BvAshr, x, y)
}

// Concat returns the bits of hi above those of lo.
func (b *Builder) Concat(hi, lo *Term) *Term {
	n := hi.sort.Width + lo.sort.Width
	check(hi.sort.Kind == BitsKind && lo.sort.Kind == BitsKind && n <= MaxWidth, "concat of %v and %v", hi.sort, lo.sort)
	if !b.plain {
		switch {
		case hi.is(0):
			return b.ZeroExt(lo, n)
		case hi.op == Concat: // to the right
			return b.Concat(hi.args[0], b.Concat(hi.args[1], lo))
		case hi.op == Extract && lo.op == Extract && hi.args[0] == lo.args[0] && hi.value == lo.value+uint64(lo.sort.Width):
			return b.Extract(lo.args[0], int(lo.value), n)
		case lo.op == Concat && joins(hi, lo.args[0]):
			return b.Concat(b.Concat(hi, lo.args[0]), lo.args[1])
		}
	}
	return b.make(node{op: Concat, sort: Bits(n), args: [3]*Term{hi, lo}})
}

// joins reports whether hi and lo are neighbouring parts of one term, or constants.
func joins(hi, lo *Term) bool {
	return hi.op == Const && lo.op == Const ||
		hi.op == Extract && lo.op == Extract && hi.args[0] == lo.args[0] && hi.value == lo.value+uint64(lo.sort.Width)
}

// Extract returns width bits from bit low.
func (b *Builder) Extract(x *Term, low, width int) *Term {
	check(x.sort.Kind == BitsKind && low >= 0 && width > 0 && low+width <= x.sort.Width, "%d bits from %d of %v", width, low, x.sort)
	if !b.plain {
		if low == 0 && width == x.sort.Width {
			return x
		}
		if t := b.part(x, low, width); t != nil {
			return t
		}
		if x.op != Const && x.zeros(depth) >= low+width {
			return b.Number(width, 0)
		}
	}
	return b.make(node{op: Extract, sort: Bits(width), args: [3]*Term{x}, value: uint64(low)})
}

// part simplifies a proper part of a term; nil if that cannot be done.
func (b *Builder) part(x *Term, low, width int) *Term {
	first := x.args[0]
	of := func(t *Term) *Term { return b.Extract(t, low, width) }
	switch x.op {
	case Extract:
		return b.Extract(first, low+int(x.value), width)
	case Concat:
		n := x.args[1].sort.Width
		switch {
		case low >= n:
			return b.Extract(first, low-n, width)
		case low+width <= n:
			return of(x.args[1])
		}
		return b.Concat(b.Extract(first, 0, low+width-n), b.Extract(x.args[1], low, n-low))
	case ZeroExt, SignExt:
		switch n := first.sort.Width; {
		case low+width <= n:
			return of(first)
		case low < n:
			return b.extend(x.op, b.Extract(first, low, n-low), width)
		case x.op == ZeroExt:
			return b.Number(width, 0)
		}
	case Ite:
		if x.args[1].op == Const || x.args[2].op == Const {
			return b.Ite(first, of(x.args[1]), of(x.args[2]))
		}
	}
	return nil
}

// ZeroExt returns x with zeros above, in width bits.
func (b *Builder) ZeroExt(x *Term, width int) *Term { return b.extend(ZeroExt, x, width) }

// SignExt returns x with copies of its sign above, in width bits.
func (b *Builder) SignExt(x *Term, width int) *Term { return b.extend(SignExt, x, width) }

func (b *Builder) extend(op Op, x *Term, width int) *Term {
	check(x.sort.Kind == BitsKind && width >= x.sort.Width && width <= MaxWidth, "%v of %v to %d bits", op, x.sort, width)
	if !b.plain {
		switch {
		case width == x.sort.Width:
			return x
		case x.op == ZeroExt: // a sign bit of zero
			return b.ZeroExt(x.args[0], width)
		case x.op == SignExt && op == SignExt:
			return b.SignExt(x.args[0], width)
		}
	}
	return b.make(node{op: op, sort: Bits(width), args: [3]*Term{x}})
}

func (b *Builder) comparison(op Op, x, y *Term) *Term {
	same(op, x, y)
	return b.make(node{op: op, sort: Bool, args: [3]*Term{x, y}})
}

// Ult returns x < y of unsigned numbers.
func (b *Builder) Ult(x, y *Term) *Term {
	same(Ult, x, y)
	if !b.plain {
		switch {
		case x == y || y.is(0) || x.is(x.sort.mask()):
			return b.Truth(false)
		case y.is(1):
			return b.Eq(x, b.zero(x))
		case x.is(0):
			return b.Not(b.Eq(y, x))
		case y.op == Const && x.Max() < y.value:
			return b.Truth(true)
		case x.op == Const && y.Max() <= x.value:
			return b.Truth(false)
		}
		if nx, ny, ok := b.narrowed(x, y); ok {
			return b.Ult(nx, ny)
		}
		if n := max(width(x), width(y)); n > 0 && n < x.sort.Width { // with a constant beyond the other's range
			return b.Truth(x.op != Const)
		}
	}
	return b.comparison(Ult, x, y)
}

// width returns how many low bits of a term are not seen to be zero; 0 for a constant.
func width(x *Term) int {
	switch x.op {
	case ZeroExt:
		return x.args[0].sort.Width
	case Const:
		return 0
	}
	return x.sort.Width
}

// narrowed takes the zeros above off two terms, one of which may be a constant.
func (b *Builder) narrowed(x, y *Term) (nx, ny *Term, ok bool) {
	n := max(width(x), width(y))
	if n == 0 || n == x.sort.Width || beyond(x, n) || beyond(y, n) {
		return nil, nil, false
	}
	return b.Extract(x, 0, n), b.Extract(y, 0, n), true
}

// beyond reports whether a constant has bits from bit n up.
func beyond(x *Term, n int) bool { return x.op == Const && x.value > ones(n) }

// Ule returns x <= y of unsigned numbers.
func (b *Builder) Ule(x, y *Term) *Term {
	same(Ule, x, y)
	if !b.plain {
		switch {
		case x == y || x.is(0) || y.is(x.sort.mask()):
			return b.Truth(true)
		case y.is(0):
			return b.Eq(x, y)
		case y.op == Const: // less than the next number
			return b.Ult(x, b.Number(x.sort.Width, y.value+1))
		}
		if nx, ny, ok := b.narrowed(x, y); ok {
			return b.Ule(nx, ny)
		}
		if n := max(width(x), width(y)); n > 0 && n < x.sort.Width {
			return b.Truth(x.op != Const)
		}
	}
	return b.comparison(Ule, x, y)
}

// Slt returns x < y of signed numbers.
func (b *Builder) Slt(x, y *Term) *Term {
	same(Slt, x, y)
	if !b.plain {
		switch {
		case x == y:
			return b.Truth(false)
		case unsigned(x) && unsigned(y):
			return b.Ult(x, y)
		}
	}
	return b.comparison(Slt, x, y)
}

// unsigned reports whether a term's sign is seen to be zero.
func unsigned(x *Term) bool {
	return x.op == ZeroExt || x.op == Const && signed(x.value, x.sort.Width) >= 0
}

// Sle returns x <= y of signed numbers.
func (b *Builder) Sle(x, y *Term) *Term {
	same(Sle, x, y)
	if !b.plain {
		switch {
		case x == y:
			return b.Truth(true)
		case unsigned(x) && unsigned(y):
			return b.Ule(x, y)
		}
	}
	return b.comparison(Sle, x, y)
}

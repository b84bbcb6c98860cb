package check

import (
	"encoding/binary"
	"maps"
	"slices"

	"warpbound/internal/abi"
	"warpbound/internal/certify/words"
	"warpbound/internal/isa"
	"warpbound/internal/job"
)

// value is what is known of a register: its words, and where sym is not 0, that it is what register sym-1 was at the
// beginning plus a number from lo to hi.
type value struct {
	words.Set
	sym    int
	lo, hi int64
}

// exact reports whether the value is that of a symbol plus lo.
func (v value) exact() bool { return v.sym != 0 && v.lo == v.hi }

// test is a comparison that holds, of words of one width.
type test struct {
	cmp    isa.Cmp
	signed bool
	a, b   value
}

// state is what is known at a place: registers without a value can hold anything. tests says of predicates which
// comparisons hold where they do, and where they do not; both at least.
type state struct {
	regs  map[isa.Reg]value
	tests map[isa.Reg][2][]test
}

// steps that offsets of symbols are limited to, so that they do not overflow.
const far = 1 << 40

// Width returns the bits of a register, at most 64.
func (p *Program) Width(r isa.Reg) int { return min(max(p.Kernel.Regs[r].Type.Bits(), 1), 64) }

func (p *Program) register(s *state, r isa.Reg) value {
	if v, ok := s.regs[r]; ok {
		return v
	}
	return value{Set: words.Anything(p.Width(r))}
}

// source returns a source of an instruction, cut or extended by zeros to a width.
func (p *Program) source(s *state, o isa.Operand, bits int) value {
	v := value{Set: words.Anything(bits)}
	switch o.Kind {
	case isa.KindImm:
		v.Set = words.One(bits, o.Imm)
	case isa.KindReg:
		v = p.register(s, o.Reg)
	case isa.KindParam:
		v.Set = p.Parameter(p.Kernel.Params[o.Var].Offset, p.Kernel.Params[o.Var].Bytes)
	case isa.KindSpecial:
		v.Set = p.Special(o.Special)
	}
	if o.Not {
		v = value{Set: v.Negated().Plus(words.One(v.Bits, words.Mask(v.Bits)))}
	}
	return v.resized(bits, false)
}

// resized is a value cut or extended to a width.
func (v value) resized(bits int, sign bool) value {
	if v.Bits == bits {
		return v
	}
	return value{Set: v.Resized(bits, sign)}
}

// Special returns what a special register can hold; those that are not listed anything.
func (p *Program) Special(r isa.Special) words.Set {
	grid, block := p.Bound.Job.Grid, p.Bound.Job.Block
	upTo := func(n int) words.Set { return words.Span(32, 0, 1, uint64(n-1)) }
	switch lanes := int(p.Machine.SM.WarpSize.Value); {
	case r >= isa.TidX && r <= isa.TidZ:
		return upTo(block[r-isa.TidX])
	case r >= isa.NtidX && r <= isa.NtidZ:
		return words.One(32, uint64(block[r-isa.NtidX]))
	case r >= isa.CtaidX && r <= isa.CtaidZ:
		return upTo(grid[r-isa.CtaidX])
	case r >= isa.NctaidX && r <= isa.NctaidZ:
		return words.One(32, uint64(grid[r-isa.NctaidX]))
	case r == isa.LaneID:
		return upTo(lanes)
	case r == isa.WarpSize:
		return words.One(32, uint64(lanes))
	}
	return words.Anything(64)
}

// parameters returns what the job says of the numbers in the parameter block.
func parameters(s *Subject) map[place]words.Set {
	known := make(map[place]words.Set)
	for i := range s.Bound.Job.Params {
		p := &s.Bound.Job.Params[i]
		offset, bytes, ok := s.Bound.Slot(i)
		switch c := &p.Content; {
		case !ok || bytes < 1 || bytes > 8:
		case p.Kind == job.Buffer:
			known[place{offset, bytes}] = words.Every(8*bytes, 0, abi.BufferAlign)
		case p.Kind != job.Scalar:
		case c.Kind != job.Uniform && len(c.Data) >= bytes:
			var text [8]byte
			copy(text[:], c.Data[:bytes])
			known[place{offset, bytes}] = words.One(8*bytes, binary.LittleEndian.Uint64(text[:]))
		case c.Kind == job.Uniform && !p.Type.IsFloat() && c.Span <= words.Mask(8*bytes):
			known[place{offset, bytes}] = words.Span(8*bytes, c.Base, 1, c.Span)
		}
	}
	return known
}

// Parameter returns what a number in the parameter block can be.
func (p *Program) Parameter(offset, bytes int) words.Set {
	if w, ok := p.known[place{offset, bytes}]; ok {
		return w
	}
	return words.Anything(min(max(8*bytes, 1), 64))
}

// run executes instructions.
func (p *Program) run(s *state, pc, end int) {
	for ; pc < end; pc++ {
		in := &p.Kernel.Instrs[pc]
		first, tests := value{}, [2][]test{}
		if len(in.Dst) > 0 && in.Dst[0].Kind == isa.KindReg {
			first, tests = p.result(s, in, p.Width(in.Dst[0].Reg))
		}
		for i, o := range in.Dst {
			if o.Kind != isa.KindReg {
				continue
			}
			v := first
			if i > 0 || v.Bits != p.Width(o.Reg) {
				v, tests = value{Set: words.Anything(p.Width(o.Reg))}, [2][]test{}
			}
			if in.Guard.Set {
				v, tests = either(p.register(s, o.Reg), v), [2][]test{}
			}
			s.regs[o.Reg], s.tests[o.Reg] = v, tests
		}
	}
}

// either is one of two values.
func either(a, b value) value {
	v := value{Set: a.Joined(b.Set)}
	if a.sym == b.sym && a.sym != 0 {
		v.sym, v.lo, v.hi = a.sym, min(a.lo, b.lo), max(a.hi, b.hi)
	}
	return v
}

// whole reports whether a type is of integers.
func whole(t isa.Type) bool {
	c := t.Class()
	return (c == isa.Bits || c == isa.Unsigned || c == isa.Signed) && t.Bits() <= 64
}

// result is the first result of an instruction, for a register of so many bits, and of a predicate the comparisons
// that hold where it does not and where it does. The value has another width if nothing is known.
func (p *Program) result(s *state, in *isa.Instr, width int) (value, [2][]test) {
	any := value{Set: words.Anything(width)}
	if in.Op == isa.Ld && len(in.Dst) == 1 && len(in.Src) == 1 && whole(in.Type) {
		return p.loaded(in, width), [2][]test{}
	}
	if width == 1 {
		return any, p.predicate(s, in)
	}
	if !whole(in.Type) || in.Sat || in.Relu || in.Abs || in.Wrap {
		return any, [2][]test{}
	}
	arg := func(i, bits int) value { return p.source(s, in.Src[i], bits) }
	bits := in.Type.Bits()
	v := value{Set: words.Anything(bits)}
	sign := in.Type.IsSigned()
	two := len(in.Src) == 2
	switch {
	case in.Op == isa.Mov && len(in.Src) == 1:
		v = arg(0, bits)
	case in.Op == isa.Add && two:
		v = shift(arg(0, bits), arg(1, bits), 1)
	case in.Op == isa.Sub && two:
		v = shift(arg(0, bits), arg(1, bits), -1)
	case in.Op == isa.Mul && two:
		v.Set = arg(0, bits).Multiplied(arg(1, bits).Set)
	case in.Op == isa.Mad && len(in.Src) == 3:
		v.Set = arg(0, bits).Multiplied(arg(1, bits).Set).Plus(arg(2, bits).Set)
	case in.Op == isa.MulWide && two || in.Op == isa.MadWide && len(in.Src) == 3:
		v.Set = arg(0, bits).Extended(2*bits, sign).Multiplied(arg(1, bits).Extended(2*bits, sign))
		if !two {
			v.Set = v.Plus(arg(2, 2*bits).Set)
		}
	case in.Op == isa.Mul24 && two:
		v.Set = arg(0, 24).Extended(32, sign).Multiplied(arg(1, 24).Extended(32, sign))
	case in.Op == isa.Neg:
		v.Set = arg(0, bits).Negated()
	case in.Op == isa.Not:
		v.Set = arg(0, bits).Negated().Plus(words.One(bits, words.Mask(bits)))
	case (in.Op == isa.Shl || in.Op == isa.Shr) && two:
		if by := arg(1, 32); by.Count == 0 && in.Op == isa.Shr {
			v.Set = arg(0, bits).Shifted(by.Low, sign)
		} else if by.Count == 0 && by.Low < uint64(bits) {
			v.Set = arg(0, bits).Times(1 << by.Low)
		}
	case in.Op == isa.And && two:
		v.Set = arg(0, bits).Conjoined(arg(1, bits).Set)
	case (in.Op == isa.Or || in.Op == isa.Xor) && two:
		v.Set = arg(0, bits).United(arg(1, bits).Set)
	case in.Op == isa.Lop3 && len(in.Src) == 4 && in.Src[3].Kind == isa.KindImm && in.Src[3].Imm&1 == 0:
		v.Set = arg(0, bits).United(arg(1, bits).Set).United(arg(2, bits).Set) // bits that none has, the result has not
	case in.Op == isa.Rem && two:
		v.Set = arg(0, bits).Remainder(arg(1, bits).Set, sign)
	case (in.Op == isa.Min || in.Op == isa.Max) && two && !in.XorSign:
		v.Set = arg(0, bits).Extreme(arg(1, bits).Set, sign, in.Op == isa.Max)
	case in.Op == isa.Bfe && len(in.Src) == 3:
		if at, n := arg(1, 32), arg(2, 32); at.Count|n.Count == 0 && at.Low < uint64(bits) && n.Low-1 < uint64(bits)-at.Low {
			v.Set = arg(0, bits).Times(1<<(uint64(bits)-at.Low-n.Low)).Shifted(uint64(bits)-n.Low, sign)
		}
	case in.Op == isa.Selp && len(in.Src) == 3:
		v = either(arg(0, bits), arg(1, bits))
	case in.Op == isa.Cvt && len(in.Src) == 1 && whole(in.SrcType):
		v = arg(0, in.SrcType.Bits())
		v = v.resized(bits, in.SrcType.IsSigned())
		v = v.resized(max(bits, width), sign)
	}
	return v, [2][]test{}
}

// Loads returns the place in the parameter block from which an instruction loads an integer, if it does.
func Loads(in *isa.Instr) (offset, bytes int, ok bool) {
	if in.Op != isa.Ld || len(in.Dst) != 1 || !whole(in.Type) || in.Type.Bits() < 8 {
		return 0, 0, false
	}
	o := in.Src[0]
	return int(o.Imm), in.Type.Bytes(), o.Kind == isa.KindVarAddr && o.Var == isa.ParamVar && o.Reg == isa.NoReg && in.Space == isa.Param
}

// loaded is what is loaded from the parameter block, or from elsewhere.
func (p *Program) loaded(in *isa.Instr, width int) value {
	w := words.Anything(in.Type.Bits())
	if offset, bytes, ok := Loads(in); ok {
		w = p.Parameter(offset, bytes)
	}
	return value{Set: w.Resized(width, in.Type.IsSigned())}
}

// shift adds or, if sign is -1, subtracts: of a symbol and a number the sum is that symbol at another offset.
func shift(a, b value, sign int64) value {
	by := b.Set
	if sign < 0 {
		by = by.Negated()
	} else if a.sym == 0 {
		a, by, b = b, a.Set, a
	}
	v := value{Set: a.Plus(by)}
	lo, hi := by.Range(true)
	if a.sym == 0 || words.Signed(lo, by.Bits) < -far || words.Signed(hi, by.Bits) > far {
		return v
	}
	v.sym, v.lo, v.hi = a.sym, a.lo+words.Signed(lo, by.Bits), a.hi+words.Signed(hi, by.Bits)
	if v.lo < -far || v.hi > far {
		v.sym = 0
	}
	return v
}

// opposite comparisons hold where others do not, turned ones with operands exchanged.
var (
	opposite = map[isa.Cmp]isa.Cmp{isa.Eq: isa.Ne, isa.Ne: isa.Eq, isa.Lt: isa.Ge, isa.Ge: isa.Lt, isa.Le: isa.Gt, isa.Gt: isa.Le}
	turned   = map[isa.Cmp]isa.Cmp{isa.Eq: isa.Eq, isa.Ne: isa.Ne, isa.Lt: isa.Gt, isa.Gt: isa.Lt, isa.Le: isa.Ge, isa.Ge: isa.Le}
	unsigned = map[isa.Cmp]isa.Cmp{isa.Lo: isa.Lt, isa.Ls: isa.Le, isa.Hi: isa.Gt, isa.Hs: isa.Ge}
)

// predicate returns the comparisons that hold where a result is false, and where it is true.
func (p *Program) predicate(s *state, in *isa.Instr) (out [2][]test) {
	of := func(i int) [2][]test {
		o := in.Src[i]
		if o.Kind != isa.KindReg {
			return [2][]test{}
		}
		if t := s.tests[o.Reg]; o.Not {
			return [2][]test{t[1], t[0]}
		}
		return s.tests[o.Reg]
	}
	switch {
	case in.Op == isa.Mov && len(in.Src) == 1:
		return of(0)
	case in.Op == isa.Not && len(in.Src) == 1:
		t := of(0)
		return [2][]test{t[1], t[0]}
	case in.Op == isa.And && len(in.Src) == 2:
		out[1] = slices.Concat(of(0)[1], of(1)[1])
	case in.Op == isa.Or && len(in.Src) == 2:
		out[0] = slices.Concat(of(0)[0], of(1)[0])
	case in.Op == isa.Setp && len(in.Src) == 2 && whole(in.Type):
		c, signed := in.Cmp, in.Type.IsSigned()
		if plain, ok := unsigned[c]; ok {
			c, signed = plain, false
		}
		if _, ok := opposite[c]; ok {
			a, b := p.source(s, in.Src[0], in.Type.Bits()), p.source(s, in.Src[1], in.Type.Bits())
			out[0], out[1] = []test{{opposite[c], signed, a, b}}, []test{{c, signed, a, b}}
		}
	}
	return out
}

// along returns what is known where control passes an edge at the end of a block that was run; false if it never does.
func (p *Program) along(s *state, b int, e Edge) (*state, bool) {
	in := &p.Kernel.Instrs[p.Blocks[b].End-1]
	if !in.Guard.Set || !Branches(in) {
		return s, true
	}
	holds := e.Taken != in.Guard.Not
	g := p.register(s, in.Guard.Reg)
	out := &state{maps.Clone(s.regs), s.tests}
	ok := g.Holds(words.One(g.Bits, 0))
	if holds {
		g.Set, ok = g.Without(0)
	} else if ok {
		g.Set = words.One(g.Bits, 0)
	}
	if !ok {
		return nil, false
	}
	out.regs[in.Guard.Reg] = g
	outcome := 0
	if holds {
		outcome = 1
	}
	for _, t := range s.tests[in.Guard.Reg][outcome] {
		if !out.assume(t) || !out.assume(test{turned[t.cmp], t.signed, t.b, t.a}) {
			return nil, false
		}
	}
	return out, true
}

// assume narrows what is at a known distance of the left operand of a comparison that holds; false if none can.
func (s *state) assume(t test) bool {
	w, ok := t.a.Set, true
	lo, hi := t.b.Range(t.signed)
	minimum := words.One(w.Bits, 0).Flip(t.signed).Low
	maximum := (minimum - 1) & words.Mask(w.Bits)
	empty := t.cmp == isa.Lt && hi == minimum || t.cmp == isa.Gt && lo == maximum
	switch t.cmp {
	case isa.Eq:
		w, ok = w.Within(lo, hi, t.signed)
	case isa.Ne:
		if t.b.Count == 0 {
			w, ok = w.Without(t.b.Low)
		}
	case isa.Le:
		w, ok = w.Within(minimum, hi, t.signed)
	case isa.Ge:
		w, ok = w.Within(lo, maximum, t.signed)
	case isa.Lt:
		w, ok = w.Within(minimum, hi-1, t.signed)
	case isa.Gt:
		w, ok = w.Within(lo+1, maximum, t.signed)
	}
	ok = ok && !empty
	if !ok || !t.a.exact() {
		return ok
	}
	for r, v := range s.regs {
		if v.sym != t.a.sym || !v.exact() || v.Bits != w.Bits {
			continue
		}
		moved := w.Plus(words.One(w.Bits, uint64(v.lo-t.a.lo)))
		if moved.Count < v.Count {
			v.Set = moved
			s.regs[r] = v
		}
	}
	return true
}

package alu

import (
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// An operand may have a register of another width than the operation works on: a source or
// a result of 32 bits in a register of 64, or a count of bits, which is a word, of a wide
// source. Then it is converted, before or after the operation, and has a temporary meanwhile.

// conversion copies a register to one of the other width.
type conversion struct {
	from, to int32
	widens   bool // Words to a Vector
}

// as returns the number of a slot in the table of the given width: its own, or that of a
// temporary with a conversion in the list of sources or that of results.
func (d *decoder) as(s Slot, wide bool, list *[]conversion) int32 {
	n := s.number()
	if s.Wide() == wide || n == 0 {
		return n
	}
	at := int32(1 + len(d.before) + len(d.after))
	if list == &d.before {
		*list = append(*list, conversion{from: n, to: at, widens: wide})
	} else {
		*list = append(*list, conversion{from: at, to: n, widens: !wide})
	}
	return at
}

// converted returns an instruction with the conversions of its operands, if there are any.
func (d *decoder) converted(in Instr) Instr {
	if len(d.before)+len(d.after) == 0 {
		return in
	}
	return Instr{Op: &converting{before: d.before, in: in, after: d.after}}
}

// converting executes an instruction some of whose operands have registers of another width.
type converting struct {
	before, after []conversion
	in            Instr
}

func (op *converting) Exec(r *Registers, mask uint64) {
	for _, c := range op.before {
		r.convert(c, ^uint64(0))
	}
	r.Compute(&op.in, mask)
	for _, c := range op.after {
		r.convert(c, mask)
	}
}

// convert performs a conversion for the lanes of mask.
func (r *Registers) convert(c conversion, mask uint64) {
	for k := range r.Chunks {
		if c.widens {
			vec.Extend(&r.Scratch.vec, r.Words[k][c.from])
			vec.SelectVector(r.Vecs[k][c.to], &r.Scratch.vec, r.Vecs[k][c.to], Half(mask, k))
			continue
		}
		vec.Truncate(&r.Scratch.word, r.Vecs[k][c.from])
		vec.SelectWords(r.Words[k][c.to], &r.Scratch.word, r.Words[k][c.to], Half(mask, k))
	}
}

// widening decodes an operation with a wide result of narrow sources, and is false if the
// instruction is none of those that have a function.
func (d *decoder) widening(out *Instr) bool {
	in := d.in
	if d.wideningFloat(out) {
		return true
	}
	if !in.HasOnly(0) {
		return false
	}
	var op vec.WideningOp
	var plain vec.WideningFunc
	switch {
	case in.Op == isa.MulWide && in.Type == isa.S32:
		op, plain = vec.MulWideS32, mulWideS32
	case in.Op == isa.MulWide && in.Type == isa.U32:
		op, plain = vec.MulWideU32, mulWideU32
	case in.Op == isa.MadWide && in.Type == isa.S32:
		op, plain = vec.MadWideS32, madWideS32
	case in.Op == isa.MadWide && in.Type == isa.U32:
		op, plain = vec.MadWideU32, madWideU32
	case in.Op == isa.Cvt && len(in.Src) == 1 && in.Type.Bits() == 64 && isInteger(in.Type) && in.SrcType == isa.U32:
		op, plain = vec.ExtendU32, extendWordU32
	case in.Op == isa.Cvt && len(in.Src) == 1 && in.Type.Bits() == 64 && isInteger(in.Type) && in.SrcType == isa.S32:
		op, plain = vec.ExtendS32, extendWordS32
	case in.Op == isa.Cvt && len(in.Src) == 1 && in.Type.Bits() == 64 && isInteger(in.Type) && isInteger(in.SrcType) && in.SrcType.Bits() < 32:
		f := extend[uint64, uint32](extensionOf(in, 64))
		out.Widening = func(d *Vector, a, _ *Words, _ *Vector) { f(d, a) }
	default:
		return false
	}
	if out.Widening == nil {
		out.Widening = vec.Widening(op)
	}
	if out.Widening == nil {
		out.Widening = plain
	}
	out.D, out.A = d.vectorDest(0, 64), d.word(0)
	if len(in.Src) > 1 {
		out.B = d.word(1)
	}
	if len(in.Src) > 2 {
		out.C = d.vector(2)
	}
	return true
}

// wideningFloat decodes a conversion from or to floating-point numbers with a wide result of a narrow source, and is false if
// the processor has no function for it.
func (d *decoder) wideningFloat(out *Instr) bool {
	in := d.in
	if in.Op != isa.Cvt || len(in.Src) != 1 || convertLanes(in, 64).none() {
		return false
	}
	if c, ok := converts(in, 64); ok {
		out.Widening = vec.ConvertWidening(c)
	}
	if out.Widening == nil {
		return false
	}
	out.D, out.A = d.vectorDest(0, 64), d.word(0)
	return true
}

// mixed decodes other common operations on operands of different widths: nil if the
// instruction is none of them, or its registers have other widths.
func (d *decoder) mixed(width int) Operation {
	in := d.in
	from, to := in.SrcType, in.Type
	switch {
	case in.Op == isa.Cvt && len(in.Src) == 1 && (from.IsFloat() || to.IsFloat()):
		return d.narrowingFloat(width)
	case !in.HasOnly(0):
	case in.Op == isa.Cvt && len(in.Src) == 1 && width == 32 && to.Bits() == 32 && from.Bits() == 64 && isInteger(to) && isInteger(from):
		return &narrowing{f: vec.Truncate, d: d.wordDest(0, 32), a: d.vector(0)}
	case in.Op == isa.Cvt && len(in.Src) == 1 && width <= 32 && to.Bits() <= 32 && from.Bits() == 64 && isInteger(to) && isInteger(from):
		return &narrowing{f: extend[uint32, uint64](extensionOf(in, width)), d: d.wordDest(0, to.Bits()), a: d.vector(0)}
	case in.Op == isa.Popc && to == isa.B64:
		return &narrowing{f: popc64, d: d.wordDest(0, 32), a: d.vector(0)}
	case in.Op == isa.Clz && to == isa.B64:
		return &narrowing{f: clz64, d: d.wordDest(0, 32), a: d.vector(0)}
	case in.Op == isa.Bfind && to == isa.U64:
		return &narrowing{f: bfind64, d: d.wordDest(0, 32), a: d.vector(0)}
	case in.Op == isa.Bfind && to == isa.S64:
		return &narrowing{f: bfindSigned64, d: d.wordDest(0, 32), a: d.vector(0)}
	case in.Op == isa.Shl && to == isa.B64:
		return d.wideShift(vec.Shl64, shl64)
	case in.Op == isa.Shr && to.Bits() == 64 && to.IsSigned():
		return &wideShift{f: shrS64, d: d.vectorDest(0, 64), a: d.vector(0), b: d.word(1)}
	case in.Op == isa.Shr && (to == isa.U64 || to == isa.B64):
		return d.wideShift(vec.ShrU64, shrU64)
	}
	return nil
}

// narrowingFloat decodes a conversion from a wide register to a narrow one: nil if the processor has no function for it.
func (d *decoder) narrowingFloat(width int) Operation {
	c, ok := converts(d.in, width)
	if !ok || width > 32 || convertLanes(d.in, width).none() {
		return nil
	}
	if f := vec.ConvertNarrowing(c); f != nil {
		return &narrowing{f: f, d: d.wordDest(0, d.in.Type.Bits()), a: d.vector(0)}
	}
	return nil
}

func isInteger(t isa.Type) bool { return t.Class() == isa.Unsigned || t.Class() == isa.Signed }

// wideShift shifts a Vector by Words.
type wideShift struct {
	f       vec.ShiftFunc
	d, a, b int32
}

func (d *decoder) wideShift(op vec.ShiftOp, plain vec.ShiftFunc) Operation {
	w := &wideShift{f: vec.Shift(op), d: d.vectorDest(0, 64), a: d.vector(0), b: d.word(1)}
	if w.f == nil {
		w.f = plain
	}
	return w
}

func (op *wideShift) Exec(r *Registers, mask uint64) {
	all := mask == r.Full
	for k := range r.Chunks {
		v, b := r.Vecs[k], r.Words[k][op.b]
		if all {
			op.f(v[op.d], v[op.a], b)
			continue
		}
		op.f(&r.Scratch.vec, v[op.a], b)
		vec.SelectVector(v[op.d], &r.Scratch.vec, v[op.d], Half(mask, k))
	}
}

// narrowing computes Words of a Vector.
type narrowing struct {
	f    vec.NarrowingFunc
	d, a int32
}

func (op *narrowing) Exec(r *Registers, mask uint64) {
	all := mask == r.Full
	for k := range r.Chunks {
		d, a := r.Words[k][op.d], r.Vecs[k][op.a]
		if all {
			op.f(d, a)
			continue
		}
		op.f(&r.Scratch.word, a)
		vec.SelectWords(d, &r.Scratch.word, d, Half(mask, k))
	}
}

// wide returns the values of a slot in chunk k as a Vector: its own, or a copy that is valid
// until the next call.
func (r *Registers) wide(s Slot, k int) *Vector {
	if s.Wide() {
		return r.Vecs[k][^s]
	}
	vec.Extend(&r.Scratch.vec, r.Words[k][s])
	return &r.Scratch.vec
}

// Narrow returns the lower halves of the lanes of a slot in chunk k: its own Words, or a copy that
// is valid until the next call of a method.
func (r *Registers) Narrow(s Slot, k int) *Words {
	if !s.Wide() {
		return r.Words[k][s]
	}
	vec.Truncate(&r.Scratch.word, r.Vecs[k][^s])
	return &r.Scratch.word
}

// Widen gives the lanes of mask in chunk k of a wide slot what Narrow returned for it.
func (r *Registers) Widen(s Slot, k int, mask uint32) {
	vec.Extend(&r.Scratch.vec, &r.Scratch.word)
	vec.SelectVector(r.Vecs[k][^s], &r.Scratch.vec, r.Vecs[k][^s], mask)
}

// assign gives the lanes of mask in chunk k of a slot their values in v.
func (r *Registers) assign(s Slot, k int, v *Vector, mask uint64) {
	if s.Wide() {
		vec.SelectVector(r.Vecs[k][^s], v, r.Vecs[k][^s], Half(mask, k))
		return
	}
	vec.Truncate(&r.Scratch.word, v)
	vec.SelectWords(r.Words[k][s], &r.Scratch.word, r.Words[k][s], Half(mask, k))
}

// AssignWords gives the lanes of mask in chunk k of a slot their values in w.
func (r *Registers) AssignWords(s Slot, k int, w *Words, mask uint64) {
	if s.Wide() {
		vec.Extend(&r.Scratch.vec, w)
		vec.SelectVector(r.Vecs[k][^s], &r.Scratch.vec, r.Vecs[k][^s], Half(mask, k))
		return
	}
	vec.SelectWords(r.Words[k][s], w, r.Words[k][s], Half(mask, k))
}

func extendWordU32(d *Vector, a, _ *Words, _ *Vector) { vec.Extend(d, a) }

func extendWordS32(d *Vector, a, _ *Words, _ *Vector) {
	_, _ = *d, *a
	for i := range d {
		d[i] = uint64(int32(a[i]))
	}
}

func shl64(d, a *Vector, b *Words) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = a[i] << b[i]
	}
}

func shrU64(d, a *Vector, b *Words) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = a[i] >> b[i]
	}
}

func shrS64(d, a *Vector, b *Words) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(int64(a[i]) >> b[i])
	}
}

// lanesOf returns the table of chunk k of the type of lanes, and storage for a result.
func lanesOf[L vec.Lane](r *Registers, k int) ([]*vec.Of[L], *vec.Of[L]) {
	switch table := any(&r.Words[k]).(type) {
	case *[]*vec.Of[L]:
		return *table, any(&r.Scratch.word).(*vec.Of[L])
	}
	return *any(&r.Vecs[k]).(*[]*vec.Of[L]), any(&r.Scratch.vec).(*vec.Of[L])
}

// choose gives d the lanes of mask from a and the others from b.
func choose[L vec.Lane](d, a, b *vec.Of[L], mask uint32) {
	switch d := any(d).(type) {
	case *Words:
		vec.SelectWords(d, any(a).(*Words), any(b).(*Words), mask)
	case *Vector:
		vec.SelectVector(d, any(a).(*Vector), any(b).(*Vector), mask)
	}
}

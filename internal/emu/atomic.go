package emu

import (
	"encoding/binary"
	"math/bits"

	"warpbound/internal/isa"
)

// atomic reads elements, replaces each by a function of what it was, and gives
// what they were. Lanes take their turns in ascending order.
type atomic struct {
	access
	elems   []exchange
	adds    bool // words, as integers
	c       slot // of the only element
	f       func(old, b, c uint64) uint64
	flushed func(old, b, c uint64) uint64 // in global memory, where it differs from f
}

// exchange is what an element is joined with, and where its old value goes.
type exchange struct{ d, b slot }

func (op *atomic) exec(w *Warp, mask uint64, eff *Effect) error {
	op.begin(eff)
	if r := op.common(w, mask); r != nil && r.stride == 0 && w.chunks() == 1 && op.together(w.vecs[0], uint32(mask), r, &eff.Access) {
		op.all(r, mask, eff)
		return nil
	}
	low := lowBits(8 * op.bytes)
	c := cursor{access: &op.access, w: w, eff: eff}
	var old [8]uint64
	for k := range w.chunks() {
		vecs := w.vecs[k]
		base, y := vecs[op.base], vecs[op.c]
		for m := half(mask, k); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) % lanes
			data, err := c.locate(k*lanes+lane, base[lane])
			if err != nil {
				return err
			}
			f := op.within(c.r)
			for i, e := range op.elems { // a result may have the place of a later source
				part := data[i*op.bytes:]
				old[i] = get(part, op.bytes)
				put(part, op.bytes, f(old[i], vecs[e.b][lane]&low, y[lane]&low))
			}
			for i, e := range op.elems {
				vecs[e.d][lane] = old[i]
			}
		}
	}
	c.end(mask)
	return nil
}

// within returns the function of the operation in a region.
func (op *atomic) within(r *region) func(old, b, c uint64) uint64 {
	if op.flushed != nil && r.space == isa.Global {
		return op.flushed
	}
	return op.f
}

// together joins one element for each lane of mask, and is false if one of them lies
// outside of the region or is not aligned. Then nothing is changed but addresses.
func (op *atomic) together(vecs []*vector, mask uint32, r *region, acc *Access) (ok bool) {
	e, addr := op.elems[0], acc.chunk(0)
	if acc.Apart, ok = op.reach(addr, vecs[op.base], mask, r); !ok {
		return false
	}
	if op.adds {
		addWords(vecs[e.d], addr, vecs[e.b], mask, r)
		return true
	}
	b, c, f, low := vecs[e.b], vecs[op.c], op.within(r), lowBits(8*op.bytes)
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) % lanes
		data := r.data[addr[i]-r.base:]
		old := get(data, op.bytes)
		put(data, op.bytes, f(old, b[i]&low, c[i]&low))
		vecs[e.d][i] = old
	}
	return true
}

// reach computes the address of every lane of mask, and is not ok if an element lies
// outside of the region or is not aligned.
func (op *access) reach(addr, base *vector, mask uint32, r *region) (apart uint64, ok bool) {
	last, align := r.size-uint64(op.bytes), uint64(op.bytes)-1
	wrong, one := uint64(0), base[bits.TrailingZeros32(mask)%lanes]+op.offset
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) % lanes
		addr[i] = base[i] + op.offset
		apart |= addr[i] ^ one
		at := addr[i] - r.base
		wrong |= at&align | uint64(bit(at > last))
	}
	return apart, wrong == 0
}

// addWords adds a word for each lane of mask, the commonest of atomic operations.
//
//go:noinline
func addWords(d, addr, b *vector, mask uint32, r *region) {
	_, _, _ = *d, *addr, *b
	data, start := r.data, r.base
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) % lanes
		at := addr[i] - start
		word := data[at : at+4 : at+4]
		old := binary.LittleEndian.Uint32(word)
		binary.LittleEndian.PutUint32(word, old+uint32(b[i]))
		d[i] = uint64(old)
	}
}

func (d *decoder) atomic() operation {
	in := d.in
	t := in.Type
	n := len(in.Src) - 1
	if in.Atom == isa.AtomCas {
		n /= 2
	}
	if n < 1 || n > 8 || in.Op == isa.Atom && len(in.Dst) != n || n > 1 && !joint(in, n) {
		d.unsupported()
		return nil
	}
	if in.Atom == isa.AtomCas && n > 1 {
		return d.wideSwap()
	}
	op := &atomic{access: d.access(Atomic, n)}
	for i := range n {
		e := exchange{b: d.source(1 + i)}
		if in.Op == isa.Atom {
			e.d = d.dest(i, t.Bits())
		}
		op.elems = append(op.elems, e)
	}
	if in.Atom == isa.AtomCas {
		op.c = d.source(2)
	}
	op.f = atomicFor(in.Atom, t)
	op.adds = in.Atom == isa.AtomAdd && t.Bits() == 32 && !t.IsFloat()
	if extreme := in.Atom == isa.AtomMin || in.Atom == isa.AtomMax; extreme && n > 1 {
		op.f = atomicExtreme(in.Atom, t)
	}
	if t == isa.F32 {
		op.flushed = func(old, b, _ uint64) uint64 {
			return single32.flush(single32.add(single32.flush(old), single32.flush(b), isa.RoundRN))
		}
	}
	switch in.Space {
	case isa.Generic, isa.Global, isa.Shared:
	default:
		d.unsupported()
	}
	if op.f == nil {
		d.unsupported()
	}
	return op
}

// joint reports whether an atomic operation on n > 1 elements exists: on floats,
// or the exchange of a pair of words for one twice as wide.
func joint(in *isa.Instr, n int) bool {
	if in.Atom == isa.AtomExch || in.Atom == isa.AtomCas {
		return n == 2 && in.Type == isa.B64
	}
	return in.Type.IsFloat()
}

// atomicFor returns the function of an atomic operation, nil if there is none on
// the type.
func atomicFor(op isa.AtomOp, t isa.Type) func(old, b, c uint64) uint64 {
	size, class := t.Bits(), t.Class()
	long := size == 32 || size == 64
	e := extenderOf(t)
	switch {
	case op == isa.AtomAdd && class == isa.Float:
		return atomicFloatAdd(t)
	case op == isa.AtomAdd && long && (class == isa.Unsigned || t == isa.S32):
		return func(old, b, _ uint64) uint64 { return old + b }
	case op == isa.AtomMin && long && class == isa.Unsigned:
		return func(old, b, _ uint64) uint64 { return min(old, b) }
	case op == isa.AtomMax && long && class == isa.Unsigned:
		return func(old, b, _ uint64) uint64 { return max(old, b) }
	case op == isa.AtomMin && long && class == isa.Signed:
		return func(old, b, _ uint64) uint64 { return uint64(min(int64(e.extend(old)), int64(e.extend(b)))) }
	case op == isa.AtomMax && long && class == isa.Signed:
		return func(old, b, _ uint64) uint64 { return uint64(max(int64(e.extend(old)), int64(e.extend(b)))) }
	case op == isa.AtomInc && t == isa.U32:
		return func(old, b, _ uint64) uint64 {
			if old >= b {
				return 0
			}
			return old + 1
		}
	case op == isa.AtomDec && t == isa.U32:
		return func(old, b, _ uint64) uint64 {
			if old == 0 || old > b {
				return b
			}
			return old - 1
		}
	case op == isa.AtomCas && class == isa.Bits && size >= 16 && size <= 64:
		return func(old, b, c uint64) uint64 {
			if old == b {
				return c
			}
			return old
		}
	case class != isa.Bits || !long:
		return nil
	case op == isa.AtomAnd:
		return func(old, b, _ uint64) uint64 { return old & b }
	case op == isa.AtomOr:
		return func(old, b, _ uint64) uint64 { return old | b }
	case op == isa.AtomXor:
		return func(old, b, _ uint64) uint64 { return old ^ b }
	case op == isa.AtomExch:
		return func(_, b, _ uint64) uint64 { return b }
	}
	return nil
}

func atomicFloatAdd(t isa.Type) func(old, b, c uint64) uint64 {
	f, ok := formatOf(t)
	if !ok || t == isa.F32x2 {
		return nil
	}
	return paired(f, t, func(x, y uint64) uint64 { return f.add(x, y, isa.RoundRN) })
}

// atomicExtreme returns the lesser or the greater of two numbers of half
// precision.
func atomicExtreme(op isa.AtomOp, t isa.Type) func(old, b, c uint64) uint64 {
	f, ok := formatOf(t)
	if !ok || f != half16 && f != brain16 {
		return nil
	}
	return paired(f, t, func(x, y uint64) uint64 { return f.extreme(x, y, false, op == isa.AtomMin) })
}

// paired applies a function to numbers, or to both halves of pairs.
func paired(f format, t isa.Type, g func(x, y uint64) uint64) func(old, b, c uint64) uint64 {
	if t.Bits() == f.bits() {
		return func(old, b, _ uint64) uint64 { return g(old, b) }
	}
	return func(old, b, _ uint64) uint64 {
		const low = 1<<16 - 1
		return g(old&low, b&low) | g(old>>16, b>>16)<<16
	}
}

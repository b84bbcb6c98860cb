package emu

import (
	"math/bits"

	"warpbound/internal/isa"
)

// atomic reads an element, replaces it by a function of what it was, and gives
// what it was. Lanes take their turns in ascending order.
type atomic struct {
	access
	d, b, c slot
	f       func(old, b, c uint64) uint64
	flushed func(old, b, c uint64) uint64 // in global memory, where it differs from f
}

func (op *atomic) exec(w *Warp, mask uint64, eff *Effect) error {
	op.begin(eff)
	low := lowBits(8 * op.bytes)
	c := cursor{access: &op.access, w: w, eff: eff}
	for k := range w.chunks() {
		vecs := w.vecs[k]
		base, x, y, d := vecs[op.base], vecs[op.b], vecs[op.c], vecs[op.d]
		for m := half(mask, k); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) % lanes
			data, err := c.locate(k*lanes+lane, base[lane])
			if err != nil {
				return err
			}
			f := op.f
			if op.flushed != nil && c.r.space == isa.Global {
				f = op.flushed
			}
			old := get(data, op.bytes)
			put(data, op.bytes, f(old, x[lane]&low, y[lane]&low))
			d[lane] = old
		}
	}
	c.end(mask)
	return nil
}

func (d *decoder) atomic() operation {
	in := d.in
	t := in.Type
	op := &atomic{access: d.access(Atomic, 1)}
	op.b = d.source(1)
	if len(in.Src) > 2 {
		op.c = d.source(2)
	}
	if in.Op == isa.Atom {
		op.d = d.dest(0, t.Bits())
	}
	op.f = atomicFor(in.Atom, t)
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
	if op.f == nil || (in.Atom == isa.AtomCas) != (len(in.Src) > 2) {
		d.unsupported()
	}
	return op
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
	f, _ := formatOf(t)
	if t == isa.F16x2 || t == isa.BF16x2 {
		return func(old, b, _ uint64) uint64 {
			const low = 1<<16 - 1
			return f.add(old&low, b&low, isa.RoundRN) | f.add(old>>16, b>>16, isa.RoundRN)<<16
		}
	}
	return func(old, b, _ uint64) uint64 { return f.add(old, b, isa.RoundRN) }
}

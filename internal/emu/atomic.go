package emu

import (
	"encoding/binary"
	"math/bits"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// atomic reads elements, replaces each by a function of what it was, and gives
// what they were. Lanes take their turns in ascending order.
type atomic struct {
	access
	elems    []exchange
	adds     bool     // words, as integers
	c        alu.Slot // of the only element
	update   alu.Update
	inGlobal alu.Update // in global memory, where it differs
}

// exchange is what an element is joined with, and where its old value goes.
type exchange struct{ d, b alu.Slot }

func (op *atomic) exec(w *Warp, mask uint64, eff *Effect) error {
	op.begin(eff)
	if r := op.common(w, mask); op.simple && r != nil && r.stride == 0 && w.regs.Chunks == 1 && op.together(w, uint32(mask), r, eff) {
		op.all(r, mask, eff)
		return nil
	}
	low := alu.LowBits(8 * op.bytes)
	c := cursor{access: &op.access, w: w, eff: eff}
	var old [8]uint64
	changed := uint64(0)
	for k := range w.regs.Chunks {
		for m := alu.Half(mask, k); m != 0; m &= m - 1 {
			lane := k*lanes + bits.TrailingZeros32(m)
			data, err := c.locate(lane, w.regs.At(op.base, lane))
			if err != nil {
				return err
			}
			f := op.within(c.r)
			for i, e := range op.elems { // a result may have the place of a later source
				part := data[i*op.bytes:]
				old[i] = get(part, op.bytes)
				x := f(old[i], w.regs.At(e.b, lane)&low, w.regs.At(op.c, lane)&low)
				put(part, op.bytes, x)
				changed |= (x ^ old[i]) & low
			}
			for i, e := range op.elems {
				w.regs.Set(e.d, lane, old[i])
			}
		}
	}
	c.end(mask)
	eff.Changed = changed != 0
	return nil
}

// within returns the function of the operation in a region.
func (op *atomic) within(r *region) alu.Update {
	if op.inGlobal != nil && r.space == isa.Global {
		return op.inGlobal
	}
	return op.update
}

// together joins one element for each lane of mask, and is false if one of them lies
// outside of the region or is not aligned. Then nothing is changed but addresses.
func (op *atomic) together(w *Warp, mask uint32, r *region, eff *Effect) (ok bool) {
	acc := &eff.Access
	e, addr := op.elems[0], acc.chunk(0)
	if acc.AddrDiff, ok = op.reach(addr, op.bases(w, 0, addr), mask, r); !ok {
		return false
	}
	if op.adds && !e.d.Wide() && !e.b.Wide() {
		eff.Changed = addWords(w.regs.Words[0][e.d], w.regs.Words[0][e.b], addr, mask, r)
		return true
	}
	f, low := op.within(r), alu.LowBits(8*op.bytes)
	if op.bytes == 4 && !e.d.Wide() && !e.b.Wide() && !op.c.Wide() {
		eff.Changed = updateWords(w.regs.Words[0][e.d], w.regs.Words[0][e.b], w.regs.Words[0][op.c], addr, mask, r, f)
		return true
	}
	changed := uint64(0)
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) % lanes
		data := r.data[addr[i]-r.base:]
		old := get(data, op.bytes)
		x := f(old, w.regs.At(e.b, i)&low, w.regs.At(op.c, i)&low)
		put(data, op.bytes, x)
		changed |= (x ^ old) & low
		w.regs.Set(e.d, i, old)
	}
	eff.Changed = changed != 0
	return true
}

// addWords adds a word for each lane of mask, the commonest of atomic operations, and reports
// whether one of them is not zero.
//
//go:noinline
func addWords(d, b *vec.Words, addr *vec.Vector, mask uint32, r *region) bool {
	_, _, _ = *d, *addr, *b
	data, start, changed := r.data, r.base, uint32(0)
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) % lanes
		at := addr[i] - start
		word := data[at : at+4 : at+4]
		old := binary.LittleEndian.Uint32(word)
		added := b[i]
		binary.LittleEndian.PutUint32(word, old+added)
		d[i] = old
		changed |= added
	}
	return changed != 0
}

// updateWords executes an operation on a word for each lane of mask, and reports whether that
// changes one.
//
//go:noinline
func updateWords(d, b, c *vec.Words, addr *vec.Vector, mask uint32, r *region, f alu.Update) bool {
	_, _, _, _ = *d, *addr, *b, *c
	data, start, changed := r.data, r.base, uint32(0)
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) % lanes
		at := addr[i] - start
		word := data[at : at+4 : at+4]
		old := binary.LittleEndian.Uint32(word)
		x := uint32(f(uint64(old), uint64(b[i]), uint64(c[i])))
		binary.LittleEndian.PutUint32(word, x)
		d[i] = old
		changed |= x ^ old
	}
	return changed != 0
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
		e := exchange{b: d.source(1+i, t.Bits() > 32)}
		if in.Op == isa.Atom {
			e.d = d.dest(i, t.Bits())
		}
		op.elems = append(op.elems, e)
	}
	if in.Atom == isa.AtomCas {
		op.c = d.source(2, t.Bits() > 32)
	}
	op.update, op.inGlobal = alu.UpdateFor(in.Atom, t, n)
	op.adds = in.Atom == isa.AtomAdd && t.Bits() == 32 && !t.IsFloat()
	switch in.Space {
	case isa.Generic, isa.Global, isa.Shared:
	default:
		d.unsupported()
	}
	if op.update == nil {
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

package emu

import (
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// pack joins values into one register, the first the least significant.
type pack struct {
	d     slot
	elems []slot
	bits  int // of each
}

func (op *pack) exec(w *Warp, mask uint64, _ *Effect) error {
	for k := range w.chunks() {
		v := w.vecs[k]
		joined := vector{}
		for i, e := range op.elems {
			for lane, x := range v[e] {
				joined[lane] |= x & lowBits(op.bits) << (i * op.bits)
			}
		}
		v[op.d].Merge(&joined, half(mask, k))
	}
	return nil
}

func (d *decoder) pack() operation {
	bits := d.in.Type.Bits()
	op := &pack{d: d.dest(0, bits), bits: bits / len(d.in.Src)}
	for i := range d.in.Src {
		op.elems = append(op.elems, d.source(i))
	}
	d.checkPacked(len(op.elems))
	return op
}

// checkPacked refuses a packed value that n elements do not fill.
func (d *decoder) checkPacked(n int) {
	if bits := d.in.Type.Bits(); d.in.Type.Class() != isa.Bits || bits > 64 || bits/n < 8 || n&(n-1) != 0 {
		d.unsupported()
	}
}

// unpack takes a value apart into registers, the least significant first.
type unpack struct {
	a     slot
	elems []slot
	bits  int
}

func (op *unpack) exec(w *Warp, mask uint64, _ *Effect) error {
	for k := range w.chunks() {
		v := w.vecs[k]
		whole, part := *v[op.a], vector{}
		for i, e := range op.elems {
			for lane, x := range whole {
				part[lane] = x >> (i * op.bits) & lowBits(op.bits)
			}
			v[e].Merge(&part, half(mask, k))
		}
	}
	return nil
}

func (d *decoder) unpack() operation {
	n := len(d.in.Dst)
	op := &unpack{a: d.source(0), bits: d.in.Type.Bits() / n}
	for i := range n {
		op.elems = append(op.elems, d.dest(i, op.bits))
	}
	d.checkPacked(n)
	return op
}

// move copies the low bits of its source.
func move(bits int) aluFunc {
	switch bits {
	case 8:
		return copyLow[uint8]
	case 16:
		return copyLow[uint16]
	case 32:
		return fast(vec.Copy32, copyLow[uint32])
	case 64:
		return copyLow[uint64]
	}
	return nil
}

func copyLow[U unsigned](d, a, _, _ *vector) {
	_, _ = *d, *a
	for i := range d {
		d[i] = uint64(U(a[i]))
	}
}

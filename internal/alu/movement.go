package alu

import (
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// pack joins values into one register, the first the least significant.
type pack struct {
	d     Slot
	elems []Slot
	bits  int // of each
}

func (op *pack) Exec(r *Registers, mask uint64) {
	for k := range r.Chunks {
		v := r.Vecs[k]
		joined := Vector{}
		for i, e := range op.elems {
			for lane, x := range v[e] {
				joined[lane] |= x & LowBits(op.bits) << (i * op.bits)
			}
		}
		v[op.d].Merge(&joined, Half(mask, k))
	}
}

func (d *decoder) pack() Operation {
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
	a     Slot
	elems []Slot
	bits  int
}

func (op *unpack) Exec(r *Registers, mask uint64) {
	for k := range r.Chunks {
		v := r.Vecs[k]
		whole, part := *v[op.a], Vector{}
		for i, e := range op.elems {
			for lane, x := range whole {
				part[lane] = x >> (i * op.bits) & LowBits(op.bits)
			}
			v[e].Merge(&part, Half(mask, k))
		}
	}
}

func (d *decoder) unpack() Operation {
	n := len(d.in.Dst)
	op := &unpack{a: d.source(0), bits: d.in.Type.Bits() / n}
	for i := range n {
		op.elems = append(op.elems, d.dest(i, op.bits))
	}
	d.checkPacked(n)
	return op
}

// move copies the low bits of its source.
func move(bits int) Func {
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

func copyLow[U unsigned](d, a, _, _ *Vector) {
	_, _ = *d, *a
	for i := range d {
		d[i] = uint64(U(a[i]))
	}
}

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
		if n := len(op.elems); n == 2 && op.bits == 32 {
			low := *r.Narrow(op.elems[0], k)
			high := r.Narrow(op.elems[1], k)
			var joined Vector
			for i := range joined {
				joined[i] = uint64(low[i]) | uint64(high[i])<<32
			}
			r.assign(op.d, k, &joined, mask)
			continue
		} else if n*op.bits <= 32 {
			joined := op.word(r, k)
			r.AssignWords(op.d, k, &joined, mask)
			continue
		}
		joined := Vector{}
		for i, e := range op.elems {
			for lane, x := range r.wide(e, k) {
				joined[lane] |= x & LowBits(op.bits) << (i * op.bits)
			}
		}
		r.assign(op.d, k, &joined, mask)
	}
}

// word returns the values of chunk k, of up to 32 bits.
func (op *pack) word(r *Registers, k int) Words {
	joined := *r.Narrow(op.elems[0], k)
	for i, e := range op.elems[1:] {
		vec.Join(&joined, &joined, r.Narrow(e, k), (i+1)*op.bits)
	}
	vec.Part(&joined, &joined, 0, len(op.elems)*op.bits)
	return joined
}

func (d *decoder) pack() Operation {
	bits := d.in.Type.Bits()
	op := &pack{d: d.dest(0, bits), bits: bits / len(d.in.Src)}
	for i := range d.in.Src {
		op.elems = append(op.elems, d.source(i, op.bits > 32))
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
		if len(op.elems)*op.bits <= 32 {
			whole, part := *r.Narrow(op.a, k), Words{}
			for i, e := range op.elems {
				vec.Part(&part, &whole, i*op.bits, op.bits)
				r.AssignWords(e, k, &part, mask)
			}
			continue
		}
		whole, part := *r.wide(op.a, k), Words{}
		for i, e := range op.elems {
			if op.bits > 32 {
				r.assign(e, k, &whole, mask)
				continue
			}
			shift, kept := i*op.bits%64, uint32(LowBits(op.bits))
			for lane := range part {
				part[lane] = uint32(whole[lane]>>shift) & kept
			}
			r.AssignWords(e, k, &part, mask)
		}
	}
}

func (d *decoder) unpack() Operation {
	n, bits := len(d.in.Dst), d.in.Type.Bits()
	op := &unpack{a: d.source(0, bits > 32), bits: bits / n}
	for i := range n {
		op.elems = append(op.elems, d.dest(i, op.bits))
	}
	d.checkPacked(n)
	return op
}

// move copies the low bits of its source.
func move(bits int, wide bool) lanewise {
	switch {
	case bits == 8 && wide:
		return lanewise{wide: copyLow[uint64, uint8]}
	case bits == 16 && wide:
		return lanewise{wide: copyLow[uint64, uint16]}
	case bits == 32 && wide:
		return lanewise{wide: copyLow[uint64, uint32]}
	case bits == 64:
		return lanewise{wide: fastWide(vec.Copy64, copyAll[uint64])}
	case bits == 8:
		return lanewise{word: copyLow[uint32, uint8]}
	case bits == 16:
		return lanewise{word: copyLow[uint32, uint16]}
	case bits == 32:
		return lanewise{word: fastWord(vec.Copy32, copyAll[uint32])}
	}
	return lanewise{}
}

func copyAll[L vec.Lane](d, a, _, _ *vec.Of[L]) { *d = *a }

func copyLow[L vec.Lane, U unsigned](d, a, _, _ *vec.Of[L]) {
	_, _ = *d, *a
	for i := range d {
		d[i] = L(U(a[i]))
	}
}

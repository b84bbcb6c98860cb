package alu

import (
	"math/bits"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// bitFor returns the function of an operation on bits.
func bitFor(in *isa.Instr) Func {
	t := in.Type
	isBits := t.Class() == isa.Bits
	isWord := t == isa.B32
	var allowed isa.Modifiers
	switch in.Op {
	case isa.ShfL, isa.ShfR, isa.Szext, isa.Bmsk:
		allowed = isa.ModWrap
	case isa.Bfind:
		allowed = isa.ModShiftAmt
	case isa.Prmt:
		allowed = isa.ModPermute
	}
	if !in.HasOnly(allowed) || t.Class() == isa.Packed {
		return nil
	}
	switch op := in.Op; {
	case op == isa.And && isBits:
		return sized3(t, bitAnd[uint16], fast(vec.And32, bitAnd[uint32]), fast(vec.And64, bitAnd[uint64]))
	case op == isa.Or && isBits:
		return sized3(t, bitOr[uint16], fast(vec.Or32, bitOr[uint32]), fast(vec.Or64, bitOr[uint64]))
	case op == isa.Xor && isBits:
		return sized3(t, bitXor[uint16], fast(vec.Xor32, bitXor[uint32]), fast(vec.Xor64, bitXor[uint64]))
	case op == isa.Not && isBits:
		return sized3(t, bitNot[uint16], bitNot[uint32], bitNot[uint64])
	case op == isa.Cnot && isBits:
		return sized3(t, cnot[uint16], cnot[uint32], cnot[uint64])
	case op == isa.Shl && isBits:
		return sized3(t, shl[uint16], fast(vec.Shl32, shl[uint32]), fast(vec.Shl64, shl[uint64]))
	case op == isa.Shr:
		return typed(t, shr[uint16], fast(vec.ShrU32, shr[uint32]), fast(vec.ShrU64, shr[uint64]),
			shrSigned[int16, uint16], fast(vec.ShrS32, shrSigned[int32, uint32]), shrSigned[int64, uint64])
	case op == isa.ShfL && isWord && in.Wrap:
		return funnelLeftWrap
	case op == isa.ShfL && isWord:
		return funnelLeft
	case op == isa.ShfR && isWord && in.Wrap:
		return funnelRightWrap
	case op == isa.ShfR && isWord:
		return funnelRight
	case op == isa.Prmt && isWord:
		return permutation(in.Permute)
	case op == isa.Lop3 && isWord && len(in.Src) == 4 && in.Src[3].Kind == isa.KindImm:
		return lop3(uint8(in.Src[3].Imm))
	case op == isa.Popc && isBits:
		return sized3(t, nil, popc[uint32], popc[uint64])
	case op == isa.Clz && isBits:
		return sized3(t, nil, clz[uint32], clz[uint64])
	case op == isa.Brev && isBits:
		return sized3(t, nil, brev[uint32], brev[uint64])
	case op == isa.Bmsk && isWord:
		return bitMask(in.Wrap)
	case op == isa.Fns && isWord:
		return findNthSet
	case op == isa.Szext && !isBits:
		return typed(t, nil, extendBits(in.Wrap, false), nil, nil, extendBits(in.Wrap, true), nil)
	case op == isa.Bfind && in.ShiftAmt && !isBits:
		return typed(t, nil, bfindShift[uint32], bfindShift[uint64],
			nil, bfindShiftSigned[int32, uint32], bfindShiftSigned[int64, uint64])
	case op == isa.Bfind && !isBits:
		return typed(t, nil, bfind[uint32], bfind[uint64],
			nil, bfindSigned[int32, uint32], bfindSigned[int64, uint64])
	case op == isa.Bfe && !isBits:
		return typed(t, nil, bfe[uint32], bfe[uint64], nil, bfeSigned[int32, uint32], bfeSigned[int64, uint64])
	}
	return nil
}

func bitAnd[U unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(U(a[i] & b[i]))
	}
}

func bitOr[U unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(U(a[i] | b[i]))
	}
}

func bitXor[U unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(U(a[i] ^ b[i]))
	}
}

func bitNot[U unsigned](d, a, _, _ *Vector) {
	_, _ = *d, *a
	for i := range d {
		d[i] = uint64(^U(a[i]))
	}
}

// cnot is the logical complement of C: 1 for zero and 0 for all else.
func cnot[U unsigned](d, a, _, _ *Vector) {
	for i := range d {
		d[i] = uint64(bit(U(a[i]) == 0))
	}
}

// The amounts of shifts are 32 bits wide. Those beyond the width of the type
// count as the width.

func shl[U unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(U(a[i]) << uint32(b[i]))
	}
}

func shr[U unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(U(a[i]) >> uint32(b[i]))
	}
}

func shrSigned[S signed, U unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(U(S(a[i]) >> uint32(b[i])))
	}
}

// The funnel shifts move the 64 bits of b (high) and a (low) by c and keep one
// half: the high half of a left shift, the low half of a right one.

func funnelLeft(d, a, b, c *Vector) {
	for i := range d {
		d[i] = uint64(uint32(joined(a[i], b[i]) << min(uint32(c[i]), 32) >> 32))
	}
}

func funnelLeftWrap(d, a, b, c *Vector) {
	for i := range d {
		d[i] = uint64(uint32(joined(a[i], b[i]) << (c[i] % 32) >> 32))
	}
}

func funnelRight(d, a, b, c *Vector) {
	for i := range d {
		d[i] = uint64(uint32(joined(a[i], b[i]) >> min(uint32(c[i]), 32)))
	}
}

func funnelRightWrap(d, a, b, c *Vector) {
	for i := range d {
		d[i] = uint64(uint32(joined(a[i], b[i]) >> (c[i] % 32)))
	}
}

func joined(low, high uint64) uint64 { return high<<32 | uint64(uint32(low)) }

// lop3 returns the function that looks each bit up in a truth table: bit
// 4a + 2b + c of the table is the result.
func lop3(table uint8) Func {
	var minterms [8]uint32
	for i := range minterms {
		minterms[i] = -uint32(table >> i & 1)
	}
	return func(d, a, b, c *Vector) {
		for i := range d {
			x, y, z := uint32(a[i]), uint32(b[i]), uint32(c[i])
			low := ^x & (^y&(^z&minterms[0]|z&minterms[1]) | y&(^z&minterms[2]|z&minterms[3]))
			high := x & (^y&(^z&minterms[4]|z&minterms[5]) | y&(^z&minterms[6]|z&minterms[7]))
			d[i] = uint64(low | high)
		}
	}
}

func popc[U unsigned](d, a, _, _ *Vector) {
	for i := range d {
		d[i] = uint64(bits.OnesCount64(uint64(U(a[i]))))
	}
}

// width returns the number of bits of a type.
func width[U unsigned]() int { return bits.Len64(uint64(^U(0))) }

func clz[U unsigned](d, a, _, _ *Vector) {
	n := width[U]()
	for i := range d {
		d[i] = uint64(n - bits.Len64(uint64(U(a[i]))))
	}
}

func brev[U unsigned](d, a, _, _ *Vector) {
	n := width[U]()
	for i := range d {
		d[i] = bits.Reverse64(uint64(U(a[i]))) >> (64 - n)
	}
}

// The searches for the highest bit that is set, or that differs from the sign,
// give all ones if there is none: its position, or its distance from the top.

func bfind[U unsigned](d, a, _, _ *Vector) {
	for i := range d {
		d[i] = uint64(uint32(bits.Len64(uint64(U(a[i]))) - 1))
	}
}

func bfindSigned[S signed, U unsigned](d, a, _, _ *Vector) {
	for i := range d {
		x := S(a[i])
		d[i] = uint64(uint32(bits.Len64(uint64(max(x, ^x))) - 1))
	}
}

func bfindShift[U unsigned](d, a, _, _ *Vector) {
	bfind[U](d, a, nil, nil)
	fromTop(d, width[U]())
}

func bfindShiftSigned[S signed, U unsigned](d, a, _, _ *Vector) {
	bfindSigned[S, U](d, a, nil, nil)
	fromTop(d, width[U]())
}

// fromTop turns positions into distances from the highest of n bits.
func fromTop(d *Vector, n int) {
	for i, at := range d {
		if at != 1<<32-1 {
			d[i] = uint64(n-1) - at
		}
	}
}

// The bit field operations take position and length from the low 8 bits of
// their sources. Bits beyond the type's are zero, or copies of the sign: that of
// the field, or of the source if the field reaches beyond it.

func bfe[U unsigned](d, a, b, c *Vector) {
	_, _, _, _ = *d, *a, *b, *c
	for i := range d {
		pos, length := b[i]&0xff, c[i]&0xff
		d[i] = uint64(U(a[i])>>pos) & (1<<length - 1)
	}
}

func bfeSigned[S signed, U unsigned](d, a, b, c *Vector) {
	n := uint64(width[U]())
	for i := range d {
		pos, length := b[i]&0xff, c[i]&0xff
		x := int64(S(a[i])) >> pos
		switch {
		case length == 0:
			x = 0
		case pos+length <= n:
			x = x << (64 - length) >> (64 - length)
		}
		d[i] = uint64(U(x))
	}
}

// insert replaces a bit field of b by the low bits of a.
type insert struct {
	d, a, b, pos, length Slot
	width                uint64
}

func (op *insert) Exec(r *Registers, mask uint64) {
	for k := range r.Chunks {
		v := r.Vecs[k]
		d := r.Scratch
		a, b, pos, length := v[op.a], v[op.b], v[op.pos], v[op.length]
		for i := range d {
			p := pos[i] & 0xff
			field := uint64(1)<<(length[i]&0xff) - 1
			d[i] = (b[i]&^(field<<p) | a[i]&field<<p) & op.width
		}
		v[op.d].Merge(d, Half(mask, k))
	}
}

func (d *decoder) bfi() Operation {
	in := d.in
	if in.Type != isa.B32 && in.Type != isa.B64 {
		d.unsupported()
		return nil
	}
	bits := d.in.Type.Bits()
	return &insert{
		d: d.dest(0, bits), a: d.source(0), b: d.source(1), pos: d.source(2), length: d.source(3),
		width: LowBits(bits),
	}
}

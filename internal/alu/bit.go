package alu

import (
	"math/bits"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// bitFor returns the function of an operation on bits.
func bitFor(in *isa.Instr) lanewise {
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
		return lanewise{}
	}
	switch op := in.Op; {
	case op == isa.And && isBits:
		return sized3(t, bitAnd[uint32, uint16], fastWord(vec.And32, bitAnd[uint32, uint32]), fastWide(vec.And64, bitAnd[uint64, uint64]))
	case op == isa.Or && isBits:
		return sized3(t, bitOr[uint32, uint16], fastWord(vec.Or32, bitOr[uint32, uint32]), fastWide(vec.Or64, bitOr[uint64, uint64]))
	case op == isa.Xor && isBits:
		return sized3(t, bitXor[uint32, uint16], fastWord(vec.Xor32, bitXor[uint32, uint32]), fastWide(vec.Xor64, bitXor[uint64, uint64]))
	case op == isa.Not && isBits:
		return sized3(t, bitNot[uint32, uint16], bitNot[uint32, uint32], bitNot[uint64, uint64])
	case op == isa.Cnot && isBits:
		return sized3(t, cnot[uint32, uint16], cnot[uint32, uint32], cnot[uint64, uint64])
	case op == isa.Shl && isBits:
		return sized3(t, shl[uint16], fastWord(vec.Shl32, shl[uint32]), nil)
	case op == isa.Shr:
		return typed(t, shr[uint16], fastWord(vec.ShrU32, shr[uint32]), nil,
			shrSigned[int16, uint16], fastWord(vec.ShrS32, shrSigned[int32, uint32]), nil)
	case op == isa.ShfL && isWord && in.Wrap:
		return lanewise{word: funnelLeftWrap}
	case op == isa.ShfL && isWord:
		return lanewise{word: funnelLeft}
	case op == isa.ShfR && isWord && in.Wrap:
		return lanewise{word: funnelRightWrap}
	case op == isa.ShfR && isWord:
		return lanewise{word: funnelRight}
	case op == isa.Prmt && isWord:
		return lanewise{word: permutation(in.Permute)}
	case op == isa.Lop3 && isWord && len(in.Src) == 4 && in.Src[3].Kind == isa.KindImm:
		return lanewise{word: lop3(uint8(in.Src[3].Imm))}
	case op == isa.Popc && isBits:
		return sized3(t, nil, popc, nil)
	case op == isa.Clz && isBits:
		return sized3(t, nil, clz, nil)
	case op == isa.Brev && isBits:
		return sized3(t, nil, brev[uint32, uint32], brev[uint64, uint64])
	case op == isa.Bmsk && isWord:
		return lanewise{word: bitMask(in.Wrap)}
	case op == isa.Fns && isWord:
		return lanewise{word: findNthSet}
	case op == isa.Szext && !isBits:
		return typed(t, nil, extendBits(in.Wrap, false), nil, nil, extendBits(in.Wrap, true), nil)
	case op == isa.Bfind && in.ShiftAmt && !isBits:
		return typed(t, nil, bfindShift[uint32, uint32], bfindShift[uint64, uint64],
			nil, bfindShiftSigned[uint32, int32, uint32], bfindShiftSigned[uint64, int64, uint64])
	case op == isa.Bfind && !isBits:
		return typed(t, nil, bfind[uint32, uint32], bfind[uint64, uint64],
			nil, bfindSigned[uint32, int32, uint32], bfindSigned[uint64, int64, uint64])
	case op == isa.Bfe && !isBits:
		return typed(t, nil, fastWord(vec.FieldU32, bfe[uint32, uint32]), bfe[uint64, uint64], nil, bfeSigned[uint32, int32, uint32], bfeSigned[uint64, int64, uint64])
	}
	return lanewise{}
}

func bitAnd[L vec.Lane, U unsigned](d, a, b, _ *vec.Of[L]) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = L(U(a[i] & b[i]))
	}
}

func bitOr[L vec.Lane, U unsigned](d, a, b, _ *vec.Of[L]) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = L(U(a[i] | b[i]))
	}
}

func bitXor[L vec.Lane, U unsigned](d, a, b, _ *vec.Of[L]) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = L(U(a[i] ^ b[i]))
	}
}

func bitNot[L vec.Lane, U unsigned](d, a, _, _ *vec.Of[L]) {
	_, _ = *d, *a
	for i := range d {
		d[i] = L(^U(a[i]))
	}
}

// cnot is the logical complement of C: 1 for zero and 0 for all else.
func cnot[L vec.Lane, U unsigned](d, a, _, _ *vec.Of[L]) {
	for i := range d {
		d[i] = L(bit(U(a[i]) == 0))
	}
}

// The amounts of shifts are 32 bits wide. Those beyond the width of the type
// count as the width.

func shl[U unsigned](d, a, b, _ *Words) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint32(U(a[i]) << b[i])
	}
}

func shr[U unsigned](d, a, b, _ *Words) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint32(U(a[i]) >> b[i])
	}
}

func shrSigned[S signed, U unsigned](d, a, b, _ *Words) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint32(U(S(a[i]) >> b[i]))
	}
}

// The funnel shifts move the 64 bits of b (high) and a (low) by c and keep one
// half: the high half of a left shift, the low half of a right one.

func funnelLeft(d, a, b, c *Words) {
	for i := range d {
		d[i] = uint32(joined(a[i], b[i]) << min(c[i], 32) >> 32)
	}
}

func funnelLeftWrap(d, a, b, c *Words) {
	for i := range d {
		d[i] = uint32(joined(a[i], b[i]) << (c[i] % 32) >> 32)
	}
}

func funnelRight(d, a, b, c *Words) {
	for i := range d {
		d[i] = uint32(joined(a[i], b[i]) >> min(c[i], 32))
	}
}

func funnelRightWrap(d, a, b, c *Words) {
	for i := range d {
		d[i] = uint32(joined(a[i], b[i]) >> (c[i] % 32))
	}
}

func joined(low, high uint32) uint64 { return uint64(high)<<32 | uint64(low) }

// lop3 returns the function that looks each bit up in a truth table: bit
// 4a + 2b + c of the table is the result.
func lop3(table uint8) WordFunc {
	var minterms [8]uint32
	for i := range minterms {
		minterms[i] = -uint32(table >> i & 1)
	}
	return func(d, a, b, c *Words) {
		for i := range d {
			x, y, z := a[i], b[i], c[i]
			low := ^x & (^y&(^z&minterms[0]|z&minterms[1]) | y&(^z&minterms[2]|z&minterms[3]))
			high := x & (^y&(^z&minterms[4]|z&minterms[5]) | y&(^z&minterms[6]|z&minterms[7]))
			d[i] = low | high
		}
	}
}

func popc(d, a, _, _ *Words) {
	for i, x := range a {
		d[i] = uint32(bits.OnesCount32(x))
	}
}

// width returns the number of bits of a type.
func width[U unsigned]() int { return bits.Len64(uint64(^U(0))) }

func clz(d, a, _, _ *Words) {
	for i, x := range a {
		d[i] = uint32(bits.LeadingZeros32(x))
	}
}

func brev[L vec.Lane, U unsigned](d, a, _, _ *vec.Of[L]) {
	n := width[U]()
	for i := range d {
		d[i] = L(bits.Reverse64(uint64(U(a[i]))) >> (64 - n))
	}
}

// The searches for the highest bit that is set, or that differs from the sign,
// give all ones if there is none: its position, or its distance from the top.

func bfind[L vec.Lane, U unsigned](d, a, _, _ *vec.Of[L]) {
	for i := range d {
		d[i] = L(uint32(bits.Len64(uint64(U(a[i]))) - 1))
	}
}

func bfindSigned[L vec.Lane, S signed, U unsigned](d, a, _, _ *vec.Of[L]) {
	for i := range d {
		x := S(a[i])
		d[i] = L(uint32(bits.Len64(uint64(max(x, ^x))) - 1))
	}
}

func bfindShift[L vec.Lane, U unsigned](d, a, _, _ *vec.Of[L]) {
	bfind[L, U](d, a, nil, nil)
	fromTop(d, width[U]())
}

func bfindShiftSigned[L vec.Lane, S signed, U unsigned](d, a, _, _ *vec.Of[L]) {
	bfindSigned[L, S, U](d, a, nil, nil)
	fromTop(d, width[U]())
}

// popc64, clz64, bfind64 and bfindSigned64 give words for wide sources.

func popc64(d *Words, a *Vector) {
	for i, x := range a {
		d[i] = uint32(bits.OnesCount64(x))
	}
}

func clz64(d *Words, a *Vector) {
	for i, x := range a {
		d[i] = uint32(bits.LeadingZeros64(x))
	}
}

func bfind64(d *Words, a *Vector) {
	for i, x := range a {
		d[i] = uint32(bits.Len64(x) - 1)
	}
}

func bfindSigned64(d *Words, a *Vector) {
	for i, x := range a {
		d[i] = uint32(bits.Len64(x^uint64(int64(x)>>63)) - 1)
	}
}

// fromTop turns positions into distances from the highest of n bits.
func fromTop[L vec.Lane](d *vec.Of[L], n int) {
	for i, at := range d {
		if at != 1<<32-1 {
			d[i] = L(n-1) - at
		}
	}
}

// The bit field operations take position and length from the low 8 bits of
// their sources. Bits beyond the type's are zero, or copies of the sign: that of
// the field, or of the source if the field reaches beyond it.

func bfe[L vec.Lane, U unsigned](d, a, b, c *vec.Of[L]) {
	_, _, _, _ = *d, *a, *b, *c
	for i := range d {
		pos, length := b[i]&0xff, c[i]&0xff
		d[i] = L(uint64(U(a[i])>>pos) & (1<<length - 1))
	}
}

func bfeSigned[L vec.Lane, S signed, U unsigned](d, a, b, c *vec.Of[L]) {
	n := uint64(width[U]())
	for i := range d {
		pos, length := uint64(b[i]&0xff), uint64(c[i]&0xff)
		x := int64(S(a[i])) >> pos
		switch {
		case length == 0:
			x = 0
		case pos+length <= n:
			x = x << (64 - length) >> (64 - length)
		}
		d[i] = L(U(x))
	}
}

// insert replaces a bit field of b by the low bits of a.
type insert[L vec.Lane] struct {
	d, a, b, pos, length int32
}

func (op *insert[L]) Exec(r *Registers, mask uint64) {
	for k := range r.Chunks {
		table, d := lanesOf[L](r, k)
		a, b := table[op.a], table[op.b]
		pos, length := r.Words[k][op.pos], r.Words[k][op.length]
		for i := range d {
			p := pos[i] & 0xff
			field := L(uint64(1)<<(length[i]&0xff) - 1)
			d[i] = b[i]&^(field<<p) | a[i]&field<<p
		}
		choose(table[op.d], d, table[op.d], Half(mask, k))
	}
}

func (d *decoder) bfi() Operation {
	switch d.in.Type {
	case isa.B32:
		return &insert[uint32]{d: d.wordDest(0, 32), a: d.word(0), b: d.word(1), pos: d.word(2), length: d.word(3)}
	case isa.B64:
		return &insert[uint64]{d: d.vectorDest(0, 64), a: d.vector(0), b: d.vector(1), pos: d.word(2), length: d.word(3)}
	}
	d.unsupported()
	return nil
}

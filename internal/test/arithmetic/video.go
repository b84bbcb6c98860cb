package arithmetic

import (
	"math/big"

	"warpbound/internal/isa"
)

// rowOfVideo returns the rows of PTX ISA, "Video Instructions", of one part and of several.
func rowOfVideo(in *isa.Instr, sources int) *Row {
	v := in.Video
	mix := func(t isa.Type) bool { return t == isa.U32 || t == isa.S32 }
	if v == nil || !mix(in.Type) || !mix(in.SrcType) || !mix(v.TypeB) || in.Combine != isa.CombineNone {
		return nil
	}
	plain := *in
	plain.Cmp, plain.Atom = isa.CmpNone, isa.AtomNone
	scalar := v.Parts == 1
	merges := v.Width != 32
	secondary := in.Atom != isa.AtomNone
	if in.Op == isa.VMad {
		if !scalar || merges || secondary || in.Cmp != isa.CmpNone || sources != 3 || !has(&plain, isa.ModSat) {
			return nil
		}
		return rowOfVideoMad(in)
	}
	allowed := isa.ModSat
	switch in.Op {
	case isa.VSet:
		allowed = 0
		if in.Type != isa.U32 {
			return nil
		}
	case isa.VShl, isa.VShr:
		allowed |= isa.ModWrap
		if !scalar || v.TypeB != isa.U32 {
			return nil
		}
	case isa.VAvrg:
		if scalar {
			return nil
		}
	}
	compares := in.Cmp >= isa.Eq && in.Cmp <= isa.Ge
	switch {
	case !has(&plain, allowed), v.Minus || v.MinusC || v.PlusOne || v.Shift > 0,
		compares != (in.Op == isa.VSet), !compares && in.Cmp != isa.CmpNone:
		return nil
	case scalar && (secondary && merges || sources != choose(secondary || merges, 3, 2)):
		return nil
	case scalar && secondary && in.Atom != isa.AtomAdd && in.Atom != isa.AtomMin && in.Atom != isa.AtomMax:
		return nil
	case !scalar && (sources != 3 || secondary && (in.Atom != isa.AtomAdd || in.Sat)):
		return nil
	}
	return rowOf(isa.U32, times(sources, isa.U32), func(s []uint64) uint64 {
		if scalar {
			return scalarVideo(in, s)
		}
		return simdVideo(in, s)
	})
}

// scalarVideo is the semantics of the scalar instructions: parts of a and b, saturation to what d
// takes, and a second operation with c or the merging into it.
func scalarVideo(in *isa.Instr, s []uint64) uint64 {
	v := in.Video
	select1 := func(x uint64, from isa.Selection, t isa.Type) *big.Int {
		return readInteger(x>>(int(from.At[0])*int(from.Bits)), int(from.Bits), t == isa.S32)
	}
	d := videoOperation(in, select1(s[0], v.A, in.SrcType), select1(s[1], v.B, v.TypeB))
	if in.Atom != isa.AtomNone {
		c := readInteger(s[2], 32, in.Type == isa.S32)
		switch in.Atom {
		case isa.AtomAdd:
			d = sum(d, c)
		default:
			d = lesser(d, c, in.Atom == isa.AtomMin)
		}
		return wrap(d, 32)
	}
	if v.Width == 32 {
		return wrap(d, 32)
	}
	c := s[2]
	for at := range 32 / int(v.Width) {
		if v.Into>>at&1 != 0 {
			c = insert(c, wrap(d, int(v.Width)), at, int(v.Width))
		}
	}
	return c
}

// insert replaces a part of a word.
func insert(word, part uint64, at, width int) uint64 {
	return word&^(lowBits(width)<<(at*width)) | part<<(at*width)
}

// simdVideo is the semantics of the instructions on two or four parts: each part of {a, b} that the
// selections name. Those that the mask names are computed, and with .add they are added to c.
func simdVideo(in *isa.Instr, s []uint64) uint64 {
	v := in.Video
	both := s[1]<<32 | s[0]&lowBits(32)
	c := s[2]
	total := readInteger(s[2], 32, in.Type == isa.S32)
	for i := range v.Parts {
		if v.Into>>i&1 == 0 {
			continue
		}
		part := func(from isa.Selection, t isa.Type) *big.Int {
			return readInteger(both>>(int(from.At[i])*int(from.Bits)), int(from.Bits), t == isa.S32)
		}
		d := videoOperation(in, part(v.A, in.SrcType), part(v.B, v.TypeB))
		total = sum(total, d)
		c = insert(c, wrap(d, int(v.Width)), i, int(v.Width))
	}
	if in.Atom == isa.AtomAdd {
		return wrap(total, 32)
	}
	return c
}

// videoOperation returns what an operation gives of two parts: clamped with .sat to what a part of
// the result holds, and otherwise 33 bits, with a sign.
func videoOperation(in *isa.Instr, a, b *big.Int) *big.Int {
	var d *big.Int
	switch in.Op {
	case isa.VAdd:
		d = sum(a, b)
	case isa.VSub:
		d = difference(a, b)
	case isa.VAbsDiff:
		d = difference(a, b)
		d.Abs(d)
	case isa.VMin, isa.VMax:
		d = lesser(a, b, in.Op == isa.VMin)
	case isa.VAvrg: // (a + b + (a + b >= 0)) >> 1
		d = sum(a, b)
		if d.Sign() >= 0 {
			d = sum(d, big.NewInt(1))
		}
		d = shiftRight(d, 1)
	case isa.VShl, isa.VShr:
		amount := b.Uint64()
		amount = choose(in.Wrap, amount&31, min(amount, 32))
		if in.Op == isa.VShl {
			d = new(big.Int).Lsh(a, uint(amount))
		} else {
			d = shiftRight(a, int(amount))
		}
	default: // VSet
		d = big.NewInt(choose[int64](relations[in.Cmp].holds(a.Cmp(b)), 1, 0))
	}
	if in.Sat {
		return clampTo(d, int(in.Video.Width), in.Type == isa.S32)
	}
	return readInteger(wrap(d, 33), 33, true)
}

// rowOfVideoMad returns the rows of vmad. The result has a sign if a source has, if the product is
// negated or if c is; where the product and the result differ in that, there is neither .sat nor a
// shift.
func rowOfVideoMad(in *isa.Instr) *Row {
	v := in.Video
	signedProduct := in.SrcType == isa.S32 || v.TypeB == isa.S32 || v.Minus
	signed := signedProduct || v.MinusC
	if signedProduct != signed && (in.Sat || v.Shift > 0) || v.Minus && v.MinusC || v.PlusOne && (v.Minus || v.MinusC) {
		return nil
	}
	return rowOf(isa.U32, times(3, isa.U32), func(s []uint64) uint64 {
		part := func(x uint64, from isa.Selection, t isa.Type) *big.Int {
			return readInteger(x>>(int(from.At[0])*int(from.Bits)), int(from.Bits), t == isa.S32)
		}
		d := product(part(s[0], v.A, in.SrcType), part(s[1], v.B, v.TypeB))
		c := readInteger(s[2], 32, signed)
		if v.Minus {
			d.Neg(d)
		}
		if v.MinusC {
			c.Neg(c)
		}
		d = sum(d, c)
		if v.PlusOne {
			d = sum(d, big.NewInt(1))
		}
		d = shiftRight(d, int(v.Shift))
		if in.Sat {
			d = clampTo(d, 32, signed)
		}
		return wrap(d, 32)
	})
}

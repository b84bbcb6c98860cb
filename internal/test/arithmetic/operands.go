package arithmetic

import (
	"math/big"
	"math/rand/v2"
	"sync"

	"warpbound/internal/isa"
)

// specials are the special values by type.
var specials = sync.OnceValue(func() map[isa.Type][]uint64 {
	lists := make(map[isa.Type][]uint64)
	for _, t := range Types() {
		lists[t] = specialOf(t)
	}
	return lists
})

// specialOf returns values of a type at which instructions have corners: of numbers zeros,
// infinities, NaN, the ends of subnormal and of normal numbers, and numbers at which integers and
// rounding begin or end; of integers the ends of all widths and their neighbours.
func specialOf(t isa.Type) []uint64 {
	if t == isa.Pred {
		return []uint64{0, 1}
	}
	f, ok := formats[t]
	if !ok || t == isa.TF32 {
		list := []uint64{0, 1, 2, 3, 7, 8, 15, 16, 24, 31, 32, 33, 63, 64, 65, 255, 256}
		for _, n := range []int{8, 16, 24, 32, 63, 64} {
			list = append(list, 1<<(n-1)-1, 1<<(n-1), lowBits(n), lowBits(n)-1)
		}
		return list
	}
	one, top := f.one(), f.infinite()
	list := []uint64{
		0, 1, 2, f.normal() - 1, f.normal(), f.normal() + 1, one - 1, one, one + 1, one + f.normal()/2, // to 1.5
		f.greatest() - 1, f.greatest(), top, top + 1, f.canonical(),
		one - f.normal(), one + f.normal(), one + f.normal() + f.normal()/4, // 0.5, 2, 2.5
		uint64(f.bias()+min(f.fraction, f.bias()-1))<<f.fraction | 1,
	}
	for _, x := range list {
		list = append(list, x|f.sign())
	}
	if stride := stride(t); t.Bits() > f.width() { // each beside another one
		for i, n := 0, len(list); i < n; i++ {
			list = append(list, list[i]|list[(5*i+3)%n]<<stride)
		}
		return list[len(list)/2:]
	}
	return list
}

// DrawSources draws sources of a row: special values, equal ones, such of which the result lies
// next to a corner of the rounding, and any.
func (row *Row) DrawSources(r *rand.Rand, in *isa.Instr) []uint64 {
	s := make([]uint64, len(row.Sources))
	for i, t := range row.Sources {
		s[i] = Draw(r, t)
		if i > 0 && t == row.Sources[i-1] && r.IntN(4) == 0 {
			s[i] = s[i-1]
		}
	}
	if in.Op == isa.Cvt && r.IntN(2) == 0 {
		drawConverted(r, in, s)
	}
	if in.Op == isa.Fns && r.IntN(2) == 0 { // a bit that there may be
		s[1], s[2] = r.Uint64N(34), r.Uint64N(13)-6
	}
	if f := formats[in.Type]; in.Op == isa.Ex2 && r.IntN(3) == 0 { // a power of two in range, or just beyond
		quarters := 4 * int64(f.bias()+f.fraction+2)
		x := wholeNumber(big.NewInt(r.Int64N(2*quarters) - quarters))
		x.exponent = -2
		s[0] = f.write(x, isa.RoundRN) * (lowBits(in.Type.Bits()) / lowBits(f.width())) // in each part
	}
	if last := len(s) - 1; (in.Op == isa.Bfe || in.Op == isa.Bfi) && r.IntN(3) == 0 { // a field that ends at the top
		pos := r.IntN(in.Type.Bits())
		s[last-1], s[last] = uint64(pos), uint64(in.Type.Bits()-pos+r.IntN(3)-1)
	}
	if f, ok := formats[in.Type]; ok && len(s) == 3 && in.Op == isa.Fma && r.IntN(3) == 0 && in.SrcType == isa.Invalid {
		cancel(r, f, in.Type, s)
	}
	return s
}

// Draw draws a value of a type that an operation on it may treat in a special way.
func Draw(r *rand.Rand, t isa.Type) uint64 {
	n := t.Bits()
	f, isFloat := formats[t]
	if r.IntN(3) == 0 {
		special := specials()[t]
		return special[r.IntN(len(special))] & lowBits(n)
	}
	if !isFloat || t == isa.TF32 {
		return drawInteger(r, n)
	}
	x := drawFloat(r, f)
	if n > f.width() {
		x |= drawFloat(r, f) << stride(t)
	}
	return x
}

// drawInteger draws n bits: near a power of two or its negative, small, with few bits, or any.
func drawInteger(r *rand.Rand, n int) uint64 {
	x := r.Uint64()
	switch r.IntN(6) {
	case 0:
		x = 1<<r.IntN(n) + r.Uint64N(3) - 1
	case 1:
		x = -(1<<r.IntN(n) + r.Uint64N(3) - 1)
	case 2:
		x = r.Uint64N(70) - 3
	case 3:
		x >>= r.IntN(64)
	}
	return x & lowBits(n)
}

// drawFloat draws a code: with any exponent or near one, and with few bits, or all but few, or any.
func drawFloat(r *rand.Rand, f format) uint64 {
	fraction := r.Uint64() & (f.normal() - 1)
	switch r.IntN(4) {
	case 0:
		fraction = 1 << r.IntN(f.fraction)
	case 1:
		fraction = (f.normal() - 1) &^ (1 << r.IntN(f.fraction)) &^ lowBits(r.IntN(f.fraction)+1)
	}
	exponent := r.IntN(1 << f.exponent)
	switch r.IntN(4) {
	case 0, 1:
		exponent = min(max(f.bias()+r.IntN(2*f.fraction+2)-f.fraction, 0), 1<<f.exponent-2)
	case 2:
		exponent = r.IntN(2)
	}
	return r.Uint64N(2)*f.sign() | uint64(exponent)<<f.fraction | fraction
}

// drawConverted replaces sources of a conversion by numbers next to those of the result: integers
// and quarters beside the limits of a type, numbers of the format and the ties between them.
func drawConverted(r *rand.Rand, in *isa.Instr, s []uint64) {
	from, ok := formats[in.SrcType]
	if !ok || in.SrcType.Bits() > from.width() {
		return
	}
	g, isFloat := formats[in.Type]
	for i := range min(len(s), 2) {
		var v number
		if isFloat {
			code := r.Uint64N(g.infinite() + 4)
			if r.IntN(4) == 0 { // about the greatest, and the least
				code = choose(r.IntN(2) == 0, g.greatest()-r.Uint64N(3), r.Uint64N(4))
			}
			v = g.read(code)
			if v.nan || v.infinite {
				v = power(g.bias() + 1)
			}
			v = number{size: new(big.Int).Lsh(v.size, 2), exponent: v.exponent - 2}
		} else {
			x := wholeNumber(integerOf(drawInteger(r, in.Type.Bits()), in.Type))
			if r.IntN(2) == 0 {
				minimum, maximum := limits(in.Type.Bits(), in.Type.IsSigned())
				x = wholeNumber(choose(r.IntN(2) == 0, minimum, maximum))
			}
			v = number{negative: x.negative, size: new(big.Int).Lsh(x.size, 2), exponent: -2}
		}
		v.size.Add(v.size, big.NewInt(r.Int64N(9)-2))
		v.size.Abs(v.size)
		if isFloat || r.IntN(8) == 0 {
			v.negative = r.IntN(2) == 0
		}
		s[i] = from.write(v, isa.RoundRN)
	}
}

// cancel makes the third source of a product and sum nearly or exactly the negative of the product.
func cancel(r *rand.Rand, f format, t isa.Type, s []uint64) {
	for at := 0; at < t.Bits(); at += f.width() {
		p := f.write(f.read(s[0]>>at).times(f.read(s[1]>>at)), isa.RoundRN)
		if f.isNaN(p) || f.read(p).infinite {
			continue
		}
		p = p ^ f.sign() + r.Uint64N(3) - 1
		s[2] = s[2]&^(lowBits(f.width())<<at) | p&lowBits(f.width())<<at
	}
}

// DrawVideo draws a video instruction, which the manual mostly has, and the number of its sources.
func DrawVideo(r *rand.Rand) (isa.Instr, int) {
	rarely := func() bool { return r.IntN(12) == 0 }
	mix := func() isa.Type {
		if rarely() {
			return []isa.Type{isa.U16, isa.S64, isa.F32}[r.IntN(3)]
		}
		return []isa.Type{isa.U32, isa.S32}[r.IntN(2)]
	}
	op := isa.VAdd + isa.Op(r.IntN(int(isa.VMad-isa.VAdd)+1))
	v := &isa.Video{TypeB: mix(), Parts: []int{1, 1, 2, 4}[r.IntN(4)]}
	in := isa.Instr{Op: op, Type: mix(), SrcType: mix(), Video: v, Sat: r.IntN(3) == 0, Wrap: rarely()}
	shifts := op == isa.VShl || op == isa.VShr
	if shifts {
		in.Wrap, v.TypeB = r.IntN(2) == 0, isa.U32
	}
	if shifts || op == isa.VMad {
		v.Parts = 1
	}
	if op == isa.VSet {
		in.Cmp, in.Type, in.Sat = isa.Eq+isa.Cmp(r.IntN(6)), isa.U32, rarely()
	}
	if rarely() {
		in.Cmp = []isa.Cmp{isa.CmpNone, isa.Lt, isa.LtU}[r.IntN(3)]
	}
	v.Width = uint8(32 / v.Parts)
	v.Into = uint8(r.IntN(1<<v.Parts-1) + 1)
	v.A, v.B = drawSelection(r, v), drawSelection(r, v)
	sources := 3
	switch r.IntN(4) {
	case 0:
		in.Atom = []isa.AtomOp{isa.AtomAdd, isa.AtomMin, isa.AtomMax, isa.AtomExch}[r.IntN(4)]
	case 1:
		if v.Parts == 1 {
			v.Width = []uint8{8, 16}[r.IntN(2)]
			v.Into = 1 << r.IntN(32/int(v.Width))
		}
	case 2:
		if v.Parts == 1 && op != isa.VMad {
			sources = 2
		}
	}
	if op == isa.VMad || rarely() {
		v.Minus, v.MinusC, v.PlusOne = r.IntN(4) == 0, r.IntN(4) == 0, r.IntN(4) == 0
		v.Shift = []uint8{0, 7, 15}[r.IntN(3)]
	}
	return in, sources
}

// drawSelection draws which parts a video instruction takes of a source.
func drawSelection(r *rand.Rand, v *isa.Video) isa.Selection {
	s := isa.Selection{Bits: v.Width}
	count := 2 * v.Parts
	if v.Parts == 1 {
		s.Bits = []uint8{8, 16, 32}[r.IntN(3)]
		count = 32 / int(s.Bits)
	}
	for i := range v.Parts {
		s.At[i] = uint8(r.IntN(count))
	}
	return s
}

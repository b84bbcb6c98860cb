package alu

import (
	"math"

	"warpbound/internal/isa"
)

// small is a format that only conversions know. Those with infinities have them
// and NaN in the greatest exponent, as the formats of arithmetic do; the others
// have NaN in the greatest number of all, or no NaN.
type small struct {
	format
	infinite bool
	noNaN    bool
	shift    int // of the number in its register
	stride   int // bits from one number of a pair to the other
}

// smallOf returns the format that results of a type have, or each of a pair.
func smallOf(t isa.Type) (small, bool) {
	switch t {
	case isa.E4M3x2:
		return small{format: format{4, 3}, stride: 8}, true
	case isa.E5M2x2:
		return small{format: format{5, 2}, infinite: true, stride: 8}, true
	case isa.E2M1x2:
		return small{format: format{2, 1}, noNaN: true, stride: 4}, true
	case isa.E2M3x2:
		return small{format: format{2, 3}, noNaN: true, stride: 8}, true
	case isa.E3M2x2:
		return small{format: format{3, 2}, noNaN: true, stride: 8}, true
	case isa.TF32:
		return small{format: format{8, 10}, infinite: true, shift: 13}, true
	case isa.F16, isa.F16x2:
		return small{format: half16, infinite: true, stride: 16}, true
	case isa.BF16, isa.BF16x2:
		return small{format: brain16, infinite: true, stride: 16}, true
	}
	return small{}, false
}

// greatest returns the greatest finite number.
func (f small) greatest() uint64 {
	switch {
	case f.infinite:
		return f.inf() - 1
	case f.noNaN:
		return f.nan()
	}
	return f.nan() - 1
}

// The bits of single precision.
const (
	singleFrac      = 23
	singleMagnitude = 1<<31 - 1
	singleInf       = 0xff << singleFrac
)

// rounding returns the function that rounds numbers in single precision, of which infinity is
// infinite and any greater one NaN. A conversion may clamp to the finite numbers and to those
// that are not negative. A format without infinities clamps always, and one without NaN has its
// greatest number instead.
func (f small) rounding(infinity float64, in *isa.Instr) *rounder {
	r := &rounder{
		infinity: math.Float32bits(float32(infinity)), limit: f.single(f.greatest() + 1),
		nan: uint32(f.nan()) << f.shift, inf: uint32(f.greatest()) << f.shift,
		minimum: uint32(single32.bias()-f.bias()+1) << singleFrac,
		drop:    singleFrac - f.frac, shift: f.shift, sign: uint32(f.sign()) << f.shift,
		toZero: in.Round == isa.RoundRZ, away: in.Round == isa.RoundRNA,
	}
	if f.infinite && !in.Finite {
		r.inf = uint32(f.inf()) << f.shift
	}
	if !f.infinite || in.Finite || r.toZero {
		r.limit = f.single(f.greatest())
	}
	if in.Relu {
		r.relu = ^uint32(0)
	}
	if f.bits() <= 8 {
		r.makeTable()
	}
	return r
}

// single gives the bits in single precision of a number that is not negative; they may be those of
// the first beyond the greatest.
func (f small) single(x uint64) uint32 {
	return uint32(x<<(singleFrac-f.frac)) + uint32(single32.bias()-f.bias())<<singleFrac
}

// rounder says how numbers in single precision are rounded. Magnitudes are compared as integers.
type rounder struct {
	infinity     uint32 // the source's
	limit        uint32 // finite magnitudes are clamped to it
	nan, inf     uint32 // results of NaN and infinity
	minimum      uint32 // the least normal number of the result's format
	drop         int    // bits of fraction that the result has less
	shift        int    // of the result in its register
	sign         uint32 // of the result, in its register
	relu         uint32 // all ones to make zeros of negative numbers
	toZero, away bool   // instead of to nearest even; away from zero at ties
	table        *[2 * tableMagnitudes]uint8
	scale        *scale // to powers of two instead
}

// round rounds what is in a.
func (r *rounder) round(d, a *Words) {
	switch {
	case r.scale != nil:
		r.scale.round(d, a)
	case r.table != nil:
		r.byTable(d, a)
	case r.minimum == 1<<singleFrac:
		r.sameRange(d, a)
	default:
		r.narrowRange(d, a)
	}
}

// sameRange rounds to a format with the exponents of single precision: adding to the bits that are
// dropped carries into the others.
func (r *rounder) sameRange(d, a *Words) {
	drop, shift := r.drop&31, r.shift&31
	half := uint32(1) << (drop - 1)
	add, odd := half-1, uint32(1)
	switch {
	case r.toZero:
		add, odd = 0, 0
	case r.away:
		add, odd = half, 0
	}
	limit, sign, relu := r.limit, r.sign, r.relu
	for i, x := range a {
		m := x & singleMagnitude
		if m >= singleInf {
			d[i] = r.special(x)
			continue
		}
		m = min(m, limit)
		y := (m + add + m>>drop&odd) >> drop << shift
		neg := uint32(int32(x) >> 31)
		d[i] = (y | neg&sign) &^ (neg & relu)
	}
}

// narrowRange rounds to a format with fewer exponents. A sum has the unit in the last place of its
// greater operand, a power of two that is chosen such that this is the unit of the result.
func (r *rounder) narrowRange(d, a *Words) {
	infinity, limit, minimum, sign, relu, toZero := r.infinity, r.limit, r.minimum, r.sign, r.relu, r.toZero
	drop, raise := r.drop&31, uint32(r.drop)<<singleFrac
	for i, x := range a {
		m := x & singleMagnitude
		if m >= infinity {
			d[i] = r.special(x)
			continue
		}
		m = min(m, limit)
		exp := max(m&singleInf, minimum)
		power := math.Float32frombits(exp + raise)
		sum := math.Float32frombits(m) + power
		y := math.Float32bits(sum) - raise - exp + (exp-minimum)>>drop
		if toZero && sum-power > math.Float32frombits(m) {
			y--
		}
		neg := uint32(int32(x) >> 31)
		d[i] = (y | neg&sign) &^ (neg & relu)
	}
}

// A table has so many entries for magnitudes, which keep so many bits of fraction. The last is that of NaN.
const (
	tableMagnitudes = 2048
	tableFrac       = 5
	tableRest       = singleFrac - tableFrac
)

// makeTable tabulates narrowRange for a format with at most tableFrac-2 bits of fraction that clamps.
// Its results depend on so many bits and on whether any of the others is set, which counts as the last.
func (r *rounder) makeTable() {
	table := new([2 * tableMagnitudes]uint8) // the second half for negative numbers
	for k := 0; k < tableMagnitudes; k += lanes {
		var plus, minus Words
		for i := range plus {
			plus[i] = r.lowest() + uint32(k+i)<<tableRest
			minus[i] = plus[i] | 1<<31
		}
		r.narrowRange(&plus, &plus)
		r.narrowRange(&minus, &minus)
		for i := range plus {
			table[k+i], table[tableMagnitudes+k+i] = uint8(plus[i]), uint8(minus[i])
		}
	}
	table[tableMagnitudes-1], table[2*tableMagnitudes-1] = uint8(r.nan), uint8(r.nan)
	r.table = table
}

// lowest returns the first magnitude of the table, less than half of the least number.
func (r *rounder) lowest() uint32 { return r.minimum - tableFrac<<singleFrac }

// byTable is narrowRange by the table.
func (r *rounder) byTable(d, a *Words) {
	_ = *d
	table, at := r.table, r.entries()
	for i, x := range a {
		d[i] = uint32(table[at.entry(x)])
	}
}

// pairByTable rounds two sources, of which the first is multiplied by weight.
func (r *rounder) pairByTable(d, a, b *Words, weight uint32) {
	_, _ = *d, *b
	table, at := r.table, r.entries()
	for i, x := range a {
		d[i] = uint32(table[at.entry(x)])*weight + uint32(table[at.entry(b[i])])
	}
}

// entries tells where numbers are in the table.
type entries struct {
	lowest   int32
	greatest int32 // what is counted from there; greater ones are clamped
	infinity int32
}

func (r *rounder) entries() entries {
	return entries{int32(r.lowest()), int32(r.limit - r.lowest()), int32(r.infinity)}
}

// entry returns the number of the entry of x.
func (e entries) entry(x uint32) uint32 {
	m := int32(x & singleMagnitude)
	k := min(max(m-e.lowest, 0), e.greatest)
	k = (k | (k&(1<<tableRest-1) + (1<<tableRest - 1))) >> tableRest
	if m > e.infinity {
		k = tableMagnitudes - 1
	}
	return uint32(k)%tableMagnitudes | x>>31*tableMagnitudes
}

// special gives the result for NaN, infinity and what counts as it.
func (r *rounder) special(x uint32) uint32 {
	if x&singleMagnitude > r.infinity {
		return r.nan
	}
	neg := uint32(int32(x) >> 31)
	return (r.inf | neg&r.sign) &^ (neg & r.relu)
}

// to gives the number in format g, which holds it exactly.
func (f small) to(g format, x uint64) uint64 {
	x &= LowBits(f.bits())
	switch {
	case f.infinite:
		return g.convert(f.format, x, isa.RoundRN)
	case !f.noNaN && x&f.nan() == f.nan():
		return g.nan()
	case f.isZero(x):
		return g.zero(x != 0)
	}
	return g.pack(f.unpack(x), false, isa.RoundRN)
}

// isTiny reports whether a type is a pair of floats of at most 8 bits, and whether
// they have 8.
func isTiny(t isa.Type) (tiny, eight bool) {
	switch t {
	case isa.E4M3x2, isa.E5M2x2:
		return true, true
	case isa.E2M1x2, isa.E2M3x2, isa.E3M2x2:
		return true, false
	}
	return false, false
}

// convertSmall returns the function of a conversion to or from pairs or formats
// that have no arithmetic, or with their modifiers; nil if it is none of these.
func convertSmall(in *isa.Instr) lanewise {
	from, to := in.SrcType, in.Type
	switch {
	case in.Round == isa.RoundRS:
		return convertStochastic(in)
	case from == isa.UE8M0x2 || to == isa.UE8M0x2:
		return convertScale(in)
	}
	f, ok := smallOf(to)
	fromSmall, _ := smallOf(from)
	fromTiny, _ := isTiny(from)
	tiny, eight := isTiny(to)
	nearest := in.Round == isa.RoundRN
	near := nearest || in.Round == isa.RoundRZ
	switch n := len(in.Src); {
	case !ok:
		return lanewise{}
	case to == isa.F16x2 && fromTiny:
		if n > 1 || !nearest || !in.HasOnly(isa.ModNearest|isa.ModRelu) {
			return lanewise{}
		}
		return expanded(fromSmall.stride, func(x uint64) uint64 {
			y := fromSmall.to(half16, x)
			if in.Relu && !half16.isNaN(y) {
				y = half16.relu(y)
			}
			return y
		})
	case eight && from == isa.F16x2 && n == 1 && nearest && in.Finite && in.HasOnly(isa.ModNearest|isa.ModRelu|isa.ModFinite):
		return ofHalves(8, f.rounding(65536, in))
	case from != isa.F32 || !in.HasOnly(isa.ModNearest|isa.ModDirected|isa.ModAway|isa.ModRelu|isa.ModFinite):
		return lanewise{}
	case n > 2:
	case n == 2:
		if pair := isPair(to); pair && near || tiny && nearest && in.Finite {
			return joinedPair(f.stride, f.rounding(math.Inf(1), in))
		}
	case to == isa.TF32 && (near || in.Round == isa.RoundRNA && !in.Relu),
		(to == isa.F16 || to == isa.BF16) && near && (in.Relu || in.Finite):
		r := f.rounding(math.Inf(1), in)
		return lanewise{word: func(d, a, _, _ *Words) { r.round(d, a) }}
	}
	return lanewise{}
}

// convertScale returns the function of a conversion between floats and pairs of
// powers of two.
func convertScale(in *isa.Instr) lanewise {
	from, to, n := in.SrcType, in.Type, len(in.Src)
	directed := (in.Round == isa.RoundRZ || in.Round == isa.RoundRP) && in.HasOnly(isa.ModDirected|isa.ModFinite)
	switch {
	case from == isa.F32 && n == 2 && directed:
		return joinedPair(8, toScale(in.Round, in.Finite))
	case from == isa.BF16x2 && n == 1 && directed:
		return ofBrains(8, toScale(in.Round, in.Finite))
	case to == isa.BF16x2 && n == 1 && in.Round == isa.RoundRN && in.HasOnly(isa.ModNearest):
		return expanded(8, fromScale)
	}
	return lanewise{}
}

// The power of two x is 2^(x-127), and nanScale is NaN.
const nanScale = 0xff

// scale rounds the magnitudes of floats to powers of two.
type scale struct {
	up       uint32 // added to what is cut
	greatest uint32
}

func toScale(mode isa.Round, finite bool) *rounder {
	s := &scale{greatest: nanScale}
	if mode == isa.RoundRP {
		s.up = 1<<singleFrac - 1
	}
	if finite {
		s.greatest--
	}
	return &rounder{scale: s}
}

func (s *scale) round(d, a *Words) {
	for i, x := range a {
		m := x & singleMagnitude
		switch {
		case m > singleInf:
			d[i] = nanScale
		case m <= 1<<(singleFrac-1): // the least power, or below it
			d[i] = 0
		default:
			d[i] = min((m+s.up)>>singleFrac, s.greatest)
		}
	}
}

// fromScale gives a power of two as a bfloat16.
func fromScale(x uint64) uint64 {
	switch x {
	case nanScale:
		return brain16.nan()
	case 0: // subnormal
		return 1 << (brain16.frac - 1)
	}
	return x << brain16.frac
}

// expanded returns the function that gives numbers of at most 8 bits in 16 bits, both of a pair,
// by a table. One number lies stride bits above the other.
func expanded(stride int, one func(x uint64) uint64) lanewise {
	table := new([256]uint16)
	for x := range table {
		table[x] = uint16(one(uint64(x)))
	}
	return lanewise{word: func(d, a, _, _ *Words) {
		for i, x := range a {
			d[i] = uint32(table[uint8(x)]) | uint32(table[uint8(x>>(stride&31))])<<16
		}
	}}
}

// joinedPair returns the function that rounds two sources, of which the first lies so many bits
// above the second.
func joinedPair(stride int, r *rounder) lanewise {
	return lanewise{word: func(d, a, b, _ *Words) { r.pair(d, a, b, 1<<stride) }}
}

// pair rounds two sources, of which the first is multiplied by weight.
func (r *rounder) pair(d, a, b *Words, weight uint32) {
	if r.table != nil {
		r.pairByTable(d, a, b, weight)
		return
	}
	var upper Words
	r.round(&upper, a)
	r.round(d, b)
	for i, x := range upper {
		d[i] += x * weight
	}
}

// ofBrains returns the function that rounds both halves of a source of bfloat16.
func ofBrains(stride int, r *rounder) lanewise {
	return lanewise{word: func(d, a, _, _ *Words) {
		var upper, lower Words
		for i, x := range a {
			upper[i], lower[i] = x&0xffff0000, x<<16
		}
		r.pair(d, &upper, &lower, 1<<stride)
	}}
}

// ofHalves returns the function that rounds both halves of a source in half precision to a format with at
// most three bits of fraction, by a table. Results depend on all but so many bits of a half, and on
// whether any of these is set, which counts as the last of the others.
func ofHalves(stride int, r *rounder) lanewise {
	const rest = 5
	const low = (1<<rest - 1) * (1<<16 + 1) // of both halves
	table := new([1 << (16 - rest)]uint8)
	for k := 0; k < len(table); k += lanes {
		var x Words
		for i := range x {
			x[i] = halfWord(uint32(k+i) << rest)
		}
		r.round(&x, &x)
		for i, y := range x {
			table[k+i] = uint8(y)
		}
	}
	weight := uint32(1) << stride
	return lanewise{word: func(d, a, _, _ *Words) {
		for i, x := range a {
			x |= x&low + low
			d[i] = uint32(table[x>>(16+rest)])*weight + uint32(table[x>>rest%uint32(len(table))])
		}
	}}
}

// halfWord widens a number in half precision. Infinity becomes 65536, and NaN a greater number.
func halfWord(x uint32) uint32 {
	const rebias = 1 << (127 - 15)
	return x&0x8000<<16 | math.Float32bits(math.Float32frombits(x&0x7fff<<13)*rebias)
}

// clampAndJoin returns the function of CvtPack.
func clampAndJoin(in *isa.Instr) lanewise {
	t, joins := in.Type, len(in.Src) > 2
	signed := t == isa.S16 || t == isa.S8 || t == isa.S4 || t == isa.S2
	unsigned := t == isa.U16 || t == isa.U8 || t == isa.U4 || t == isa.U2
	n := t.Bits()
	if !in.HasOnly(isa.ModSat) || !in.Sat || !signed && !unsigned || (n == 16) == joins {
		return lanewise{}
	}
	minimum, maximum := int32(0), int32(LowBits(n))
	if signed {
		maximum >>= 1
		minimum = -maximum - 1
	}
	kept := uint32(LowBits(n))
	return lanewise{word: func(d, a, b, c *Words) {
		for i := range d {
			x, y := min(max(int32(a[i]), minimum), maximum), min(max(int32(b[i]), minimum), maximum)
			z := uint32(0)
			if joins {
				z = c[i]
			}
			d[i] = uint32(x)&kept<<n | uint32(y)&kept | z<<(2*n)
		}
	}}
}

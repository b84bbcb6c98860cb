package job

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"warpbound/internal/isa"
)

// generator returns the random numbers of one parameter in one test vector. They
// depend on nothing else, so inputs do not depend on the order in which they are
// made. The generator is PCG-DXSM; its two seed words come from the splitmix64
// finaliser applied in turn to the seed, the vector and the parameter.
func generator(seed int64, vector, param int) rand.PCG {
	h := mix(uint64(seed))
	h = mix(h ^ uint64(vector))
	h = mix(h ^ uint64(param))
	var rng rand.PCG
	rng.Seed(h, mix(h))
	return rng
}

// mix is splitmix64: one step of its counter and its finaliser (Steele, Lea and
// Flood, "Fast splittable pseudorandom number generators", 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// upTo draws an integer from 0 to maximum inclusive without bias: Lemire, "Fast
// random integer generation in an interval", 2019.
func upTo(rng *rand.PCG, maximum uint64) uint64 {
	n := maximum + 1
	if n == 0 {
		return rng.Uint64()
	}
	hi, lo := bits.Mul64(rng.Uint64(), n)
	for lo < n && lo < -n%n {
		hi, lo = bits.Mul64(rng.Uint64(), n)
	}
	return hi
}

// between draws a float of the type, at least low and less than high unless both
// are equal. The conversion of the product keeps it from being fused with the
// addition, which some computers would do.
func between(rng *rand.PCG, typ isa.Type, low, high float64) uint64 {
	unit := float64(rng.Uint64()>>11) * 0x1p-53
	word := floatBits(typ, low+float64((high-low)*unit))
	if floatValue(typ, word) >= high && low < high {
		return below(typ, high)
	}
	return word
}

// below returns the bits of the next value of a float type that is less than x,
// which the type can represent.
func below(typ isa.Type, x float64) uint64 {
	word := floatBits(typ, x)
	sign := uint64(1) << (typ.Bits() - 1)
	switch {
	case x == 0:
		return sign | 1
	case x < 0:
		return word + 1
	}
	return word - 1
}

// fill makes the content as elements of the type.
func (c *Content) fill(dst []byte, typ isa.Type, rng *rand.PCG) {
	size := typ.Bytes()
	switch {
	case c.Kind == Zeros || c.Kind == Unset:
		clear(dst)
	case c.Kind == Fixed:
		copy(dst, c.Data)
	case c.Kind == Iota:
		countFrom(dst, typ, 0)
	case typ.IsFloat():
		for ; len(dst) > 0; dst = dst[size:] {
			putBits(dst[:size], between(rng, typ, c.Low, c.High))
		}
	default:
		for ; len(dst) > 0; dst = dst[size:] {
			putBits(dst[:size], c.Base+upTo(rng, c.Span))
		}
	}
}

// countFrom makes elements of the type that count from first on.
func countFrom(dst []byte, typ isa.Type, first int) {
	size := typ.Bytes()
	for i := range len(dst) / size {
		word := uint64(first + i)
		if typ.IsFloat() {
			word = floatBits(typ, float64(first+i))
		}
		putBits(dst[i*size:(i+1)*size], word)
	}
}

// makePart returns n bytes from an offset of the content of a buffer, nil if there are none without all others.
func (c *Content) makePart(typ isa.Type, offset, n int) []byte {
	size := typ.Bytes()
	first := offset / size
	switch {
	case c.Kind == Zeros || c.Kind == Unset:
		return make([]byte, n)
	case c.Kind == Iota:
		elements := make([]byte, ((offset+n-1)/size+1-first)*size)
		countFrom(elements, typ, first)
		return elements[offset-first*size:][:n]
	case c.Kind == Fixed && c.Pointers == nil:
		return c.Data[offset:][:n]
	}
	return nil
}

// iotaMax is how many elements of the type can be counted through without
// passing to infinity. Integers begin anew at zero.
func iotaMax(typ isa.Type) int64 {
	if typ == isa.F16 {
		return 65520
	}
	return math.MaxInt64
}

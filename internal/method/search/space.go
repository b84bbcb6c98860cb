package search

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"warpbound/internal/method/search/genetic"
	"warpbound/internal/symexec"
)

// Space is the inputs of a launch that may vary.
type Space struct {
	Params []Param `json:"params"` // of the kernel, all of them

	// Settle changes inputs that are within the ranges of their elements to such as there are, where these depend on each
	// other. What is such an input does not change. Nil if all are.
	Settle func(Inputs) `json:"-"`
}

// Param is a parameter of a kernel. The elements of one that varies are its own, independent of
// each other but for Space.Settle.
type Param struct {
	Name    string          `json:"name"`
	Count   int             `json:"count"`   // of elements; 0 if the parameter is fixed
	Element symexec.Element `json:"element"` // of which floats of two bytes are of IEEE's format
	Array   string          `json:"array"`   // that holds the elements in symbolic execution
	Offset  int             `json:"offset"`  // of the first element in the array, in bytes
}

// Inputs is the contents of parameters that vary, by parameter, little-endian; nil for what is
// fixed.
type Inputs = [][]byte

// Check returns what is wrong with the space.
func (s *Space) Check() error {
	varies := false
	for _, p := range s.Params {
		if p.Count == 0 {
			continue
		}
		varies = true
		e := p.Element
		switch e.Bytes {
		case 1, 2, 4, 8:
		default:
			return fmt.Errorf("parameter %s has elements of %d bytes: 1, 2, 4 or 8 are known", p.Name, e.Bytes)
		}
		if e.Float && (e.Bytes == 1 || !(number(e.Bytes, e.Low) <= number(e.Bytes, e.High))) {
			return fmt.Errorf("parameter %s has no numbers from 0x%x to 0x%x", p.Name, e.Low, e.High)
		}
	}
	if !varies {
		return fmt.Errorf("no parameter varies: give one a range, or a buffer random contents")
	}
	return nil
}

// New returns memory for inputs.
func (s *Space) New() Inputs {
	in := make(Inputs, len(s.Params))
	for i, p := range s.Params {
		if p.Count > 0 {
			in[i] = make([]byte, p.Count*p.Element.Bytes)
		}
	}
	return in
}

// Put sets an element of a parameter.
func (s *Space) Put(in Inputs, param, element int, value uint64) {
	n := s.Params[param].Element.Bytes
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], value)
	copy(in[param][element*n:(element+1)*n], all[:n])
}

// Get returns an element of a parameter.
func (s *Space) Get(in Inputs, param, element int) uint64 {
	n := s.Params[param].Element.Bytes
	var all [8]byte
	copy(all[:], in[param][element*n:(element+1)*n])
	return binary.LittleEndian.Uint64(all[:])
}

// Advance returns the integer of an element that is n above one, modulo the range of the element; n may be the two's complement
// of a negative number.
func Advance(e symexec.Element, value, n uint64) uint64 {
	all := ^uint64(0) >> (64 - 8*e.Bytes)
	at, span := (value-e.Low)&all, (e.High-e.Low)&all
	if span == all {
		return (value + n) & all
	}
	count := span + 1
	if int64(n) < 0 {
		n = count - -n%count
	}
	n %= count
	if left := count - at; n >= left {
		at = n - left
	} else {
		at += n
	}
	return (e.Low + at) & all
}

// Draw returns an element that a seed stands for, the which-th of several: the least for
// genetic.Low, the greatest for genetic.High, else any with equal probability. Integers go
// from Low to High modulo their width, as unsigned as well as signed numbers do.
func Draw(e symexec.Element, seed, which uint64) uint64 {
	switch seed {
	case genetic.Low:
		return e.Low
	case genetic.High:
		return e.High
	}
	x := genetic.Mix(seed, which)
	if e.Float {
		return uniform(e, float64(x>>11)/(1<<53))
	}
	width := 8 * e.Bytes
	all := ^uint64(0) >> (64 - width)
	span := (e.High - e.Low) & all
	if span != math.MaxUint64 {
		x, _ = bits.Mul64(x, span+1)
	}
	return (e.Low + x) & all
}

// Spread returns the i-th of n elements that go evenly from the least to the greatest; the least if n is 1.
func Spread(e symexec.Element, i, n uint64) uint64 {
	switch {
	case n <= 1:
		return e.Low
	case e.Float:
		return uniform(e, float64(i)/float64(n-1))
	}
	all := ^uint64(0) >> (64 - 8*e.Bytes)
	high, low := bits.Mul64((e.High-e.Low)&all, i)
	above, _ := bits.Div64(high, low, n-1)
	return (e.Low + above) & all
}

// Sample returns inputs that a seed stands for, each element as Draw has it.
func (s *Space) Sample(seed uint64) Inputs {
	in, which := s.New(), uint64(0)
	for i, p := range s.Params {
		for e := range p.Count {
			s.Put(in, i, e, Draw(p.Element, seed, which))
			which++
		}
	}
	return in
}

// uniform returns the float at a share of the way from the least to the greatest.
func uniform(e symexec.Element, share float64) uint64 {
	low, high := number(e.Bytes, e.Low), number(e.Bytes, e.High)
	x := float64(low*(1-share)) + float64(high*share) // does not overflow, as high-low may
	switch {
	case x <= low:
		return e.Low
	case x >= high:
		return e.High
	}
	switch e.Bytes {
	case 2:
		return half(x)
	case 4:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// number returns the float of some bits.
func number(bytes int, bits uint64) float64 {
	switch bytes {
	case 4:
		return float64(math.Float32frombits(uint32(bits)))
	case 8:
		return math.Float64frombits(bits)
	}
	sign, exp, frac := 1-2*float64(bits>>15), int(bits>>10&31), float64(bits&1023)
	switch exp {
	case 0:
		return sign * math.Ldexp(frac, -24)
	case 31:
		return math.NaN() // also infinities: they bound no range
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

// half returns the bits of the 16-bit float next to x, which is in its range.
func half(x float64) uint64 {
	sign := uint64(0)
	if math.Signbit(x) {
		sign, x = 1<<15, -x
	}
	if x == 0 {
		return sign
	}
	_, exp := math.Frexp(x) // x < 2^exp
	exp = max(exp, -13)
	n := uint64(math.RoundToEven(math.Ldexp(x, 11-exp))) // 2^11 stands for the next exponent
	return sign | uint64(exp+13)<<10 + n
}

package smt

import "fmt"

// Kind is a kind of sorts.
type Kind uint8

// The kinds of sorts. The zero value is no sort.
const (
	NoKind Kind = iota
	BoolKind
	BitsKind
	ArrayKind
)

// MaxWidth is the largest width of a bit-vector in bits.
const MaxWidth = 64

// Sort is what values a term has.
type Sort struct {
	Kind  Kind
	Width int // bits of a bit-vector, or of an array's index; 1 for truth values
	Elem  int // bits of an array's elements
}

// Bool is the sort of truth values.
var Bool = Sort{Kind: BoolKind, Width: 1}

// Bits returns the sort of bit-vectors of a width from 1 to MaxWidth.
func Bits(width int) Sort { return Sort{Kind: BitsKind, Width: width} }

// Array returns the sort of arrays with indices and elements of the given widths.
func Array(index, elem int) Sort { return Sort{Kind: ArrayKind, Width: index, Elem: elem} }

// String returns the sort as SMT-LIB writes it.
func (s Sort) String() string {
	switch s.Kind {
	case BoolKind:
		return "Bool"
	case BitsKind:
		return fmt.Sprintf("(_ BitVec %d)", s.Width)
	case ArrayKind:
		return fmt.Sprintf("(Array %v %v)", Bits(s.Width), Bits(s.Elem))
	}
	return "invalid"
}

// valid reports whether there is such a sort.
func (s Sort) valid() bool {
	in := func(n int) bool { return n >= 1 && n <= MaxWidth }
	switch s.Kind {
	case BoolKind:
		return s == Bool
	case BitsKind:
		return in(s.Width) && s.Elem == 0
	case ArrayKind:
		return in(s.Width) && in(s.Elem)
	}
	return false
}

// mask returns the bits of a bit-vector or of a truth value.
func (s Sort) mask() uint64 { return ones(s.Width) }

// ones returns n set bits.
func ones(n int) uint64 { return ^uint64(0) >> (MaxWidth - n) }

// signed returns the number that the bits of a bit-vector are in two's complement.
func signed(x uint64, width int) int64 { return int64(x<<(MaxWidth-width)) >> (MaxWidth - width) }

// Format is a binary interchange format of IEEE 754: a sign, Exp bits of exponent, and
// Frac bits of fraction without the hidden one.
type Format struct{ Exp, Frac int }

// The formats of the floating-point types of GPUs.
var (
	Half   = Format{5, 10}
	BFloat = Format{8, 7}
	Single = Format{8, 23}
	Double = Format{11, 52}
)

// Width returns the size of the format in bits.
func (f Format) Width() int { return 1 + f.Exp + f.Frac }

// NaN returns the bits of the NaN that operations give: all but the sign.
func (f Format) NaN() uint64 { return f.Sign() - 1 }

// Sign returns the bit of the sign.
func (f Format) Sign() uint64 { return 1 << (f.Exp + f.Frac) }

// Inf returns the bits of positive infinity.
func (f Format) Inf() uint64 { return (1<<f.Exp - 1) << f.Frac }

// One returns the bits of the number one.
func (f Format) One() uint64 { return uint64(f.bias()) << f.Frac }

func (f Format) bias() int { return 1<<(f.Exp-1) - 1 }

// String returns the sort of the format's numbers as SMT-LIB writes it.
func (f Format) String() string { return fmt.Sprintf("(_ FloatingPoint %d %d)", f.Exp, f.Frac+1) }

// Mode is a rounding mode.
type Mode uint8

// The rounding modes of IEEE 754.
const (
	NearestEven Mode = iota
	NearestAway
	TowardZero
	TowardNegative
	TowardPositive
	numModes
)

var modeNames = [numModes]string{"RNE", "RNA", "RTZ", "RTN", "RTP"}

// String returns the mode's name in SMT-LIB.
func (m Mode) String() string { return modeNames[m] }

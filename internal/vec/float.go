package vec

// Rounding says how results are rounded, as processors have it in MXCSR.
type Rounding uint8

// The roundings: to nearest, ties to even; towards negative and positive infinity; and to zero.
const (
	Nearest Rounding = iota
	Down
	Up
	Zero
)

// Format is a format of floating-point numbers. Those of half precision are in the lower halves of
// words, or in both halves of pairs.
type Format uint8

// The formats.
const (
	F16 Format = iota
	BF16
	F32
	F64
)

// Form says how an operation treats floating-point numbers.
type Form struct {
	Round Rounding
	Flush bool // subnormal sources and results become zeros of the same sign
	Relu  bool // negative results become +0
	Sat   bool // results are clamped to [+0, 1], NaN becomes +0; after Relu
	Upper bool // of doubles, with Flush: only the upper words of sources count, and results have no others
}

// Float is an operation on floating-point numbers.
type Float uint8

// The operations. Those behind Fused are only on single and double precision, those behind Quotient only on single
// and some on half precision.
const (
	Sum         Float = iota // d = a + b
	Difference               // d = a - b
	Product                  // d = a * b
	Fused                    // d = a*b + c
	Division                 // d = a / b
	Root                     // d = sqrt(a)
	Reciprocal               // d = 1 / a
	Negative                 // d = -a, of any NaN too
	Magnitude                // d = |a|, of any NaN too
	InverseRoot              // d = 1 / sqrt(a), of a double that is rounded
	Quotient                 // d = a / b, where b of more than 2^126 counts as infinite
	Log2                     // approximations of base 2, by doubles that are rounded
	Exp2
	Tanh
	Sine
	Cosine
)

// NarrowingFunc computes narrow results of wide sources.
type NarrowingFunc func(d *Words, a *Vector)

// Number is a type that conversions know: a format, or an integer of so many bits.
type Number struct {
	Format
	Bits   int // of an integer; zero for a format
	Signed bool
}

// Conversion is one from numbers to others. Integers are rounded to as the form says, and clamped
// to the range of their type. Of NaN they are zero, but of a double, or with 64 bits, the one of
// which only the highest bit is set.
type Conversion struct {
	To, From Number
	Form            // Flush is for single precision, as a source and as a result
	Integral bool   // floating-point numbers are rounded to integers first, which is all that the Form says of rounding
	Register uint32 // the bits that the register of a result of at most 32 bits has
}

// wide reports whether registers of the number have 64 bits.
func (n Number) wide() bool { return n.Bits == 64 || n.Bits == 0 && n.Format == F64 }

// isFloat reports whether the number is none of the integers.
func (n Number) isFloat() bool { return n.Bits == 0 }

// FloatTest is a comparison of numbers in single precision that does not hold for NaN.
type FloatTest uint8

// The comparisons.
const (
	Equal       FloatTest = iota // a == b
	LessOrMore                   // a < b or a > b
	Less                         // a < b
	LessOrEqual                  // a <= b
	Ordered                      // neither is NaN
)

// Series are the coefficients of the polynomials from which approximations are computed, from the lowest power up.
type Series struct {
	Exp    []float64 // (e^x - 1) / x
	Artanh []float64 // artanh(x)/x, in x^2
	Sin    []float64 // sin(x)/x, in x^2
	Cos    []float64 // cos(x), in x^2
}

// Extreme says which of several numbers is taken.
type Extreme struct {
	Greater   bool // the greatest, else the least
	KeepNaN   bool // NaN if one of them is, else a number unless all are NaN
	Flush     bool // subnormal numbers are zeros of the same sign
	Magnitude bool // all are taken without their signs
	XorSign   bool // the result, unless NaN, has the exclusive disjunction of the signs
	Three     bool // of three numbers
}

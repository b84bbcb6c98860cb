package vec

// PartOp is an operation on integers of up to 16 bits.
type PartOp uint8

// The operations on parts.
const (
	PartSum PartOp = iota
	PartDifference
	PartDistance // the magnitude of the difference
	PartMin
	PartMax
	PartAverage // a half counts up if the sum is not negative
	PartEqual   // one if a == b, zero if not
	PartGreater // one if a > b
)

// Parted is an operation on the bytes of words, or on their halves.
type Parted struct {
	Op     PartOp
	Halves bool
	A, B   Parts
	Into   [4]bool // the parts of the result that are computed; the others are those of c
	Adds   bool    // what is computed is added to c instead
	Not    bool    // of comparisons, the reverse
	Clamp  bool    // what is computed is clamped to
	Min    int32
	Max    int32
}

// Parts says which parts of two words an operation takes for each result. Those of the second word are
// counted behind those of the first.
type Parts struct {
	At     [4]uint8
	Signed bool
}

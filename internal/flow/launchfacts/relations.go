package launchfacts

// Sum is a relation between parameters: the sum of coefficients times what they are, read as unsigned numbers, is at
// most Max.
type Sum struct {
	Terms []SumTerm
	Max   int64
}

// SumTerm is a coefficient times a parameter.
type SumTerm struct {
	Offset, Bits int // of the parameter, in the parameter block: in bytes, and its width
	Coef         int64
}

//go:build !amd64 || purego

package vec

// Word returns nil.
func Word(WordOp) WordFunc { return nil }

// Wide returns nil.
func Wide(Op) Func { return nil }

// Widening returns nil.
func Widening(WideningOp) WideningFunc { return nil }

// Shift returns nil.
func Shift(ShiftOp) ShiftFunc { return nil }

// WordTests returns nil.
func WordTests(WordTest) WordTestFunc { return nil }

// WideTests returns nil.
func WideTests(Test) TestFunc { return nil }

// WordAccess returns nil.
func WordAccess(store bool) WordAccessFunc { return nil }

// WideAccess returns nil.
func WideAccess(store bool) AccessFunc { return nil }

// MergeWords copies the lanes of mask from src.
func MergeWords(d, src *Words, mask uint32) { merge(d, src, mask) }

// MergeVector copies the lanes of mask from src.
func MergeVector(d, src *Vector, mask uint32) { merge(d, src, mask) }

// Extend copies words, extended by zeros.
func Extend(d *Vector, a *Words) { extend(d, a) }

// Truncate copies the lower halves of lanes.
func Truncate(d *Words, a *Vector) { truncate(d, a) }

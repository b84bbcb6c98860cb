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

// SelectWords gives d the lanes of mask from a and the others from b.
func SelectWords(d, a, b *Words, mask uint32) { choose(d, a, b, mask) }

// SelectVector gives d the lanes of mask from a and the others from b.
func SelectVector(d, a, b *Vector, mask uint32) { choose(d, a, b, mask) }

// Extend copies words, extended by zeros.
func Extend(d *Vector, a *Words) { extend(d, a) }

// Truncate copies the lower halves of lanes.
func Truncate(d *Words, a *Vector) { truncate(d, a) }

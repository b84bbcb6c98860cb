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

// Reach returns nil.
func Reach() WordAccessFunc { return nil }

// EqualWords returns the lanes that have the value x.
func EqualWords(a *Words, x uint32) uint32 { return equal(a, x) }

// Mark returns the set of the numbers that the lanes of mask have in the bits from shift up that last has. Last is
// below 64.
func Mark(a *Vector, mask uint32, shift int, last uint64) uint64 {
	return markEach(a, mask, shift, last)
}

// FillWords assigns x to every lane.
func FillWords(d *Words, x uint32) { d.Fill(x) }

// Shuffle returns nil.
func Shuffle(ShuffleMode) ShuffleFunc { return nil }

// Permute returns false.
func Permute(d, a, b, c *Words) bool { return false }

// Join puts b above so many low bits of a.
func Join(d, a, b *Words, bits int) { joinEach(d, a, b, bits) }

// Part gives so many bits of a, from shift up.
func Part(d, a *Words, shift, bits int) { partEach(d, a, shift, bits) }

// SignedPart gives so many bits of a, from shift up, extended by their sign.
func SignedPart(d, a *Words, shift, bits int) { signedPartEach(d, a, shift, bits) }

// Match gives every lane of mask the mask of those that have the same numbers in a and in b, other lanes anything.
func Match(d, a, b *Words, mask uint32) { matchEach(d, a, b, mask) }

// Gather returns false.
func Gather(x *Words, addr *Vector, data *byte, start uint64, bytes int) bool { return false }

// Scatter returns false.
func Scatter(x *Words, addr *Vector, data *byte, start uint64, bytes int) bool { return false }

// GatherWide returns false.
func GatherWide(x, addr *Vector, data *byte, start uint64) bool { return false }

// ScatterWide returns false.
func ScatterWide(x, addr *Vector, data *byte, start uint64) bool { return false }

// SelectWords gives d the lanes of mask from a and the others from b.
func SelectWords(d, a, b *Words, mask uint32) { choose(d, a, b, mask) }

// SelectVector gives d the lanes of mask from a and the others from b.
func SelectVector(d, a, b *Vector, mask uint32) { choose(d, a, b, mask) }

// ExtendSigned copies words, extended by their signs.
func ExtendSigned(d *Vector, a *Words) { extendSigned(d, a) }

// Extend copies words, extended by zeros.
func Extend(d *Vector, a *Words) { extend(d, a) }

// Truncate copies the lower halves of lanes.
func Truncate(d *Words, a *Vector) { truncate(d, a) }

// PartedWord returns nil.
func PartedWord(Parted) WordFunc { return nil }

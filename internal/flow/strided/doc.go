// Package strided is the abstract domain of sets of words: strided intervals that may wrap around,
// with known bits.
//
// An Interval says of a register of 1 to 64 bits which words it can hold, without regard to
// whether they are read as signed or unsigned numbers. Its operations are those of the
// instructions on integers; each returns a set that holds the results for all words of its
// operands. The lattice has an order (Leq), upper bounds (Join, Widen) and lower ones (Meet,
// Narrow). As in wrapped intervals it is none in the strict sense: two sets may have several
// smallest common upper bounds, of which Join chooses the one with fewer words.
//
// interval.go has the sets and what can be asked of them, lattice.go their order, arithmetic.go,
// products.go and bits.go the operations, truth.go those on each bit alone, known.go what is known
// of bits, numbers.go what all of them calculate with.
package strided

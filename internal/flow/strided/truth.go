package strided

import "math/bits"

// TruthTable is a logical function of three bits: bit 4a + 2b + c of it is the result, as
// for Lop3.
type TruthTable uint8

// The truth tables of functions of the first two bits, and of the choice between the first
// two by the third.
const (
	tableAnd    TruthTable = 0b11000000
	tableOr     TruthTable = 0b11111100
	tableXor    TruthTable = 0b00111100
	tableChoice TruthTable = 0b11100100 // c ? a : b
)

// Apply returns the words that a truth table gives, bit by bit. Their least and their
// greatest word are exact for intervals.
func (table TruthTable) Apply(s, t, u Interval) Interval {
	return s.joinOverPieces(func(s Interval) Interval {
		return t.joinOverPieces(func(t Interval) Interval {
			return u.joinOverPieces(func(u Interval) Interval {
				of := [3]Interval{s, t, u}
				lo, hi := table.extremeWord(of, 0), table.extremeWord(of, 1)
				unknown := table.possibleBits(of, 0) & table.possibleBits(of, 1) & Mask(s.bits)
				zero, one := table.knownBits(of)
				r := FromSpan(s.bits, lo, hi-lo, PowerOf2Divisor(unknown)).WithKnownBits(zero, one)
				if s.hasKnownBits() || t.hasKnownBits() || u.hasKnownBits() { // which the ends do not know of
					r = r.Narrow(FromKnownBits(s.bits, one, ^zero&^one))
				}
				return r
			})
		})
	})
}

// applyToWords looks words up bit by bit.
func (table TruthTable) applyToWords(a, b, c uint64) uint64 {
	return table.bitsThatGive(1, [3]uint64{^a, ^b, ^c}, [3]uint64{a, b, c})
}

// bitsThatGive returns the bits at which the table can give a result, where zero and one tell
// at which bits the words can have zeros and ones.
func (table TruthTable) bitsThatGive(result TruthTable, zero, one [3]uint64) uint64 {
	all := uint64(0)
	for i := range 8 {
		if table>>i&1 != result {
			continue
		}
		term := ^uint64(0)
		for k := range 3 {
			if i>>(2-k)&1 != 0 {
				term &= one[k]
			} else {
				term &= zero[k]
			}
		}
		all |= term
	}
	return all
}

// possibleBits returns the bits at which the table can give a result, if only the residues of the
// words are known.
func (table TruthTable) possibleBits(s [3]Interval, result TruthTable) uint64 {
	var zero, one [3]uint64
	for k := range s {
		free := -PowerOf2Divisor(s[k].step)
		if s[k].n == 0 {
			free = 0
		}
		zero[k], one[k] = ^s[k].lo|free, s[k].lo|free
	}
	return table.bitsThatGive(result, zero, one)
}

// knownBits returns the bits at which the table gives 0, and those at which it gives 1, for all words.
func (table TruthTable) knownBits(s [3]Interval) (zeros, ones uint64) {
	var zero, one [3]uint64
	for k := range s {
		value, unknown := s[k].KnownBits()
		zero[k], one[k] = ^value, value|unknown
	}
	return ^table.bitsThatGive(1, zero, one), ^table.bitsThatGive(0, zero, one)
}

// extremeWord returns the least word that the table gives, or the greatest if prefer is 1, for
// sets that do not wrap around. It goes from the highest bit to the lowest and knows the
// ways to come to the best bits so far: a way is for each of the three words whether its
// bits are those of its least and of its greatest value.
func (table TruthTable) extremeWord(s [3]Interval, prefer TruthTable) uint64 {
	differ := uint64(0)
	for _, x := range s {
		differ |= x.lo ^ x.last()
	}
	at := bits.Len64(differ)
	result := table.applyToWords(s[0].lo, s[1].lo, s[2].lo) &^ (1<<at - 1)
	ways := uint64(1) << 0b111111
	d := newEndBits(s)
	for at--; at >= 0 && ways&1 == 0; at-- {
		var next [2]uint64
		fixed, value := d.fixedChoice(at)
		for ; ways != 0; ways &= ways - 1 {
			way := bits.TrailingZeros64(ways)
			for choice := range 8 {
				if choice&fixed != value {
					continue
				}
				if to, ok := d.followPath(way, choice, at); ok {
					next[table>>choice&1] |= 1 << to
				}
			}
		}
		got := prefer
		if next[got] == 0 {
			got = 1 - got
		}
		ways = next[got]
		result |= uint64(got) << at
	}
	rest := uint64(1)<<(at+1) - 1 // on a way without limits each bit is as good as it can be
	if prefer == 1 {
		result |= table.possibleBits(s, 1) & rest
	} else {
		result |= rest &^ table.possibleBits(s, 0)
	}
	return result & Mask(s[0].bits)
}

// endBits are the bits of the ends of three sets, and which bits all words of one have in common
// because of its residue.
type endBits struct{ lo, hi, same [3]uint64 }

func newEndBits(s [3]Interval) *endBits {
	d := new(endBits)
	for k, x := range s {
		d.lo[k], d.hi[k], d.same[k] = x.lo, x.last(), PowerOf2Divisor(x.step)-1
		if x.n == 0 {
			d.same[k] = ^uint64(0)
		}
	}
	return d
}

// fixedChoice returns which of the three words have the same bit at a place whatever is chosen, and
// these bits, as a choice has them.
func (d *endBits) fixedChoice(at int) (which, choice int) {
	for k := range d.same {
		which |= int(d.same[k]>>at&1) << (2 - k)
		choice |= int((d.same[k]&d.lo[k])>>at&1) << (2 - k)
	}
	return which, choice
}

// followPath returns the way on which three words are that have chosen their bits at a place;
// false if one of them cannot.
func (d *endBits) followPath(way, choice, at int) (to int, ok bool) {
	for k := range d.lo {
		bit := uint64(choice >> (2 - k) & 1)
		lo, hi := d.lo[k]>>at&1, d.hi[k]>>at&1
		atMin, atMax := way>>(2*k)&1 != 0, way>>(2*k+1)&1 != 0
		if atMin && bit < lo || atMax && bit > hi {
			return 0, false
		}
		if atMin && bit == lo {
			to |= 1 << (2 * k)
		}
		if atMax && bit == hi {
			to |= 2 << (2 * k)
		}
	}
	return to, true
}

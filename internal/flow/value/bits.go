package value

import "math/bits"

// pieces returns one set or two that hold the words of s together and do not wrap around
// at zero.
func (s Strided) pieces() []Strided {
	m := mask(s.bits)
	if s.span() <= m-s.lo {
		return []Strided{s}
	}
	n := (m - s.lo) / s.step // steps before the wrap
	rest := s.n - n - 1
	return []Strided{
		arc(s.bits, s.lo, n*s.step, s.step),
		arc(s.bits, s.lo+(n+1)*s.step, rest*s.step, s.step),
	}
}

// eachPiece joins the results of an operation on the pieces of a set.
func (s Strided) eachPiece(f func(Strided) Strided) Strided {
	var all Strided
	for i, p := range s.pieces() {
		if r := f(p); i == 0 {
			all = r
		} else {
			all = all.Join(r)
		}
	}
	return all
}

// maxListed limits the words of sets that operations go through one by one.
const maxListed = 64

// eachPair joins the results of an operation on the words of two sets; false if there are
// too many.
func eachPair(s, t Strided, f func(x, y uint64) Strided) (Strided, bool) {
	if s.n >= maxListed || t.n >= maxListed || (s.n+1)*(t.n+1) > maxListed {
		return Strided{}, false
	}
	all := f(s.lo, t.lo)
	for i := range s.n + 1 {
		for j := range t.n + 1 {
			all = all.Join(f((s.lo+i*s.step)&mask(s.bits), (t.lo+j*t.step)&mask(t.bits)))
		}
	}
	return all, true
}

// known returns the bits that all words of a set have in common, and which bits they do not
// have in common.
func (s Strided) known() (value, unknown uint64) {
	u := s.unsigned()
	unknown = below(u.lo^u.last()) &^ (power(u.step) - 1)
	return u.lo &^ unknown, unknown
}

// withUnknown is the set of the words that have the bits of value, and any where unknown has
// ones.
func withUnknown(width uint8, value, unknown uint64) Strided {
	return arc(width, value, unknown, power(unknown))
}

// truthTable is a logical function of three bits: bit 4a + 2b + c of it is the result, as
// for Lop3.
type truthTable uint8

// The truth tables of functions of the first two bits, and of the choice between the first
// two by the third.
const (
	tableAnd    truthTable = 0b11000000
	tableOr     truthTable = 0b11111100
	tableXor    truthTable = 0b00111100
	tableChoice truthTable = 0b11100100 // c ? a : b
)

// lookup returns the words that a truth table gives, bit by bit. Their least and their
// greatest word are exact for intervals.
func (table truthTable) lookup(s, t, u Strided) Strided {
	return s.eachPiece(func(s Strided) Strided {
		return t.eachPiece(func(t Strided) Strided {
			return u.eachPiece(func(u Strided) Strided {
				of := [3]Strided{s, t, u}
				lo, hi := table.extreme(of, 0), table.extreme(of, 1)
				unknown := table.can(of, 0) & table.can(of, 1) & mask(s.bits)
				return arc(s.bits, lo, hi-lo, power(unknown))
			})
		})
	})
}

// apply looks words up bit by bit.
func (table truthTable) apply(a, b, c uint64) uint64 {
	return table.minterms(1, [3]uint64{^a, ^b, ^c}, [3]uint64{a, b, c})
}

// minterms returns the bits at which the table can give a result, where zero and one tell
// at which bits the words can have zeros and ones.
func (table truthTable) minterms(result truthTable, zero, one [3]uint64) uint64 {
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

// can returns the bits at which the table can give a result, if only the residues of the
// words are known.
func (table truthTable) can(s [3]Strided, result truthTable) uint64 {
	var zero, one [3]uint64
	for k := range s {
		free := -power(s[k].step)
		if s[k].n == 0 {
			free = 0
		}
		zero[k], one[k] = ^s[k].lo|free, s[k].lo|free
	}
	return table.minterms(result, zero, one)
}

// extreme returns the least word that the table gives, or the greatest if prefer is 1, for
// sets that do not wrap around. It goes from the highest bit to the lowest and knows the
// ways to come to the best bits so far: a way is for each of the three words whether its
// bits are those of its least and of its greatest value.
func (table truthTable) extreme(s [3]Strided, prefer truthTable) uint64 {
	differ := uint64(0)
	for _, x := range s {
		differ |= x.lo ^ x.last()
	}
	at := bits.Len64(differ)
	result := table.apply(s[0].lo, s[1].lo, s[2].lo) &^ (1<<at - 1)
	ways := uint64(1) << 0b111111
	d := newDigits(s)
	for at--; at >= 0 && ways&1 == 0; at-- {
		var next [2]uint64
		fixed, value := d.fixed(at)
		for ; ways != 0; ways &= ways - 1 {
			way := bits.TrailingZeros64(ways)
			for choice := range 8 {
				if choice&fixed != value {
					continue
				}
				if to, ok := d.follow(way, choice, at); ok {
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
		result |= table.can(s, 1) & rest
	} else {
		result |= rest &^ table.can(s, 0)
	}
	return result & mask(s[0].bits)
}

// digits are the bits of the ends of three sets, and which bits all words of one have in common
// because of its residue.
type digits struct{ lo, hi, same [3]uint64 }

func newDigits(s [3]Strided) *digits {
	d := new(digits)
	for k, x := range s {
		d.lo[k], d.hi[k], d.same[k] = x.lo, x.last(), power(x.step)-1
		if x.n == 0 {
			d.same[k] = ^uint64(0)
		}
	}
	return d
}

// fixed returns which of the three words have the same bit at a place whatever is chosen, and
// these bits, as a choice has them.
func (d *digits) fixed(at int) (which, choice int) {
	for k := range d.same {
		which |= int(d.same[k]>>at&1) << (2 - k)
		choice |= int((d.same[k]&d.lo[k])>>at&1) << (2 - k)
	}
	return which, choice
}

// follow returns the way on which three words are that have chosen their bits at a place;
// false if one of them cannot.
func (d *digits) follow(way, choice, at int) (to int, ok bool) {
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

// countOnes returns how many bits of the words are set, in 32 bits.
func (s Strided) countOnes() Strided {
	return s.eachPiece(func(s Strided) Strided {
		lo, hi := s.lo, s.last()
		maximum, minimum := bits.OnesCount64(hi), bits.OnesCount64(lo)
		for at := range int(s.bits) {
			low := uint64(1)<<at - 1
			if y := hi&^low&^(1<<at) | low; hi>>at&1 != 0 && y >= lo {
				maximum = max(maximum, bits.OnesCount64(y))
			}
			if y := lo&^low | 1<<at; y <= hi && y >= lo {
				minimum = min(minimum, bits.OnesCount64(y))
			}
		}
		return Between(32, uint64(minimum), uint64(maximum))
	})
}

// leadingZeros returns how many of the upper bits of the words are zeros, in 32 bits.
func (s Strided) leadingZeros() Strided {
	return s.eachPiece(func(s Strided) Strided {
		zeros := func(x uint64) uint64 { return uint64(int(s.bits) - bits.Len64(x)) }
		return Between(32, zeros(s.last()), zeros(s.lo))
	})
}

// highest returns the positions of the highest bits that are set, or that differ from the
// sign, in 32 bits: from the top if fromTop is set, and all ones where there is none.
func (s Strided) highest(sign, fromTop bool) Strided {
	none := Const(32, mask(32))
	return s.eachPiece(func(s Strided) Strided {
		var all Strided
		half := mask(s.bits)/2 + 1
		for i, part := range []Strided{Between(int(s.bits), 0, half-1), Between(int(s.bits), half, mask(s.bits))} {
			p, ok := s.Meet(part)
			if !ok {
				continue
			}
			if sign && i == 1 {
				p = p.Not()
			}
			lo, hi := p.Unsigned()
			from, to := bits.Len64(lo)-1, bits.Len64(hi)-1
			found := arc(32, uint64(from), uint64(to-from), 1)
			switch last := int(s.bits) - 1; {
			case fromTop && to < 0:
				found = none
			case fromTop && from < 0:
				found = Between(32, uint64(last-to), uint64(last)).Join(none)
			case fromTop:
				found = Between(32, uint64(last-to), uint64(last-from))
			}
			if all.bits > 0 {
				found = found.Join(all)
			}
			all = found
		}
		return all
	})
}

// reversed returns the words with their bits in reverse order.
func (s Strided) reversed() Strided {
	return s.eachPiece(func(s Strided) Strided {
		value, unknown := s.known()
		by := 64 - int(s.bits)
		return withUnknown(s.bits, bits.Reverse64(value)>>by, bits.Reverse64(unknown)>>by)
	})
}

// field returns n bits of the words from a position up, as unsigned or signed numbers, as
// Bfe does: beyond the width there are zeros, or copies of the sign.
func (s Strided) field(at, n uint64, sign bool) Strided {
	width := uint64(s.bits)
	from := Const(32, min(at, width))
	switch {
	case n == 0:
		return Const(int(width), 0)
	case at+n > width || at+n == width && !sign:
		return s.Shr(from, sign)
	case sign:
		return s.Shr(from, false).Cut(int(n)).Extend(int(width), true)
	}
	return s.Shr(from, false).And(Const(int(width), 1<<n-1))
}

// fields does so for sets of positions and numbers of bits, of which the low 8 bits count.
func (s Strided) fields(at, n Strided, sign bool) Strided {
	low := Const(32, 0xff)
	at, n = at.And(low), n.And(low)
	if r, ok := eachPair(at, n, func(at, n uint64) Strided { return s.field(at, n, sign) }); ok {
		return r
	}
	from, _ := at.Unsigned()
	_, longest := n.Unsigned()
	longest = min(longest, uint64(s.bits))
	if sign {
		half := uint64(1) << (longest - 1) // there is more than one number, so that one is not zero
		return Between(int(s.bits), -half, half-1)
	}
	_, hi := s.Shr(Const(32, min(from, uint64(s.bits))), false).Unsigned()
	return Between(int(s.bits), 0, min(hi, mask(uint8(longest))))
}

// inserted returns the words of t with n bits from a position up replaced by the low bits of
// those of s, where the low 8 bits of the positions and numbers count.
func (s Strided) inserted(t, at, n Strided) Strided {
	low := Const(32, 0xff)
	width := int(s.bits)
	r, ok := eachPair(at.And(low), n.And(low), func(at, n uint64) Strided {
		if n == 0 || at >= uint64(width) {
			return t
		}
		field := Const(width, mask(uint8(min(n, uint64(width))))<<at)
		shifted := s.Shl(Const(32, at))
		return tableChoice.lookup(shifted, t, field).narrowed(shifted.And(field).Add(t.And(field.Not())))
	})
	if !ok {
		return Any(width)
	}
	return r
}

// narrowed returns what is in both of two sets that hold the same words.
func (s Strided) narrowed(t Strided) Strided {
	if both, ok := s.Meet(t); ok {
		return both
	}
	return s
}

// amounts returns the amounts of shifts that an instruction on 32 bits uses: modulo 32, or
// at most 32.
func amounts(s Strided, wrap bool) Strided {
	if wrap {
		return s.And(Const(32, 31))
	}
	return s.Min(Const(32, 32), false)
}

// lowBits returns n low bits of the words of 32 bits, extended by zeros or the highest of
// them.
func (s Strided) lowBits(n Strided, sign bool) Strided {
	r, ok := eachPair(n, Const(32, 0), func(n, _ uint64) Strided {
		if n == 0 {
			return Const(32, 0)
		}
		return s.Cut(int(n)).Extend(32, sign)
	})
	if !ok {
		return Any(32)
	}
	return r
}

// masks returns words of n ones from a position up, in 32 bits.
func masks(at, n Strided) Strided {
	lo, hi := at.Unsigned()
	few, many := n.Unsigned()
	if hi+many > 32 {
		return multiples(32, 1<<lo, 0)
	}
	from, to := (uint64(1)<<few-1)<<lo, (uint64(1)<<many-1)<<hi
	return arc(32, from, to-from, 1<<lo)
}

// joined returns words of 64 bits, of which the halves are given.
func joined(low, high Strided) Strided {
	return high.Extend(64, false).Times(1 << 32).Add(low.Extend(64, false))
}

// permuted returns words of four bytes that a selector picks among eight, four bits for
// each; the fourth of them copies the byte's sign into all of its bits.
func permuted(from Strided, selector uint64) Strided {
	sum := Const(32, 0)
	for i := uint64(0); i < 4; {
		pick := selector >> (4 * i) & 0xf
		if pick >= 8 {
			sign := from.field(8*(pick&7)+7, 1, false).Cut(32).Times(0xff)
			sum = sum.Add(sign.Times(1 << (8 * i)))
			i++
			continue
		}
		n := uint64(1) // bytes that lie side by side
		for i+n < 4 && pick+n < 8 && selector>>(4*(i+n))&0xf == pick+n {
			n++
		}
		sum = sum.Add(from.field(8*pick, 8*n, false).Cut(32).Times(1 << (8 * i)))
		i += n
	}
	return sum
}

package strided

import "math/bits"

// splitAtSouthPole returns one set or two that hold the words of s together and do not wrap around
// at zero.
func (s Interval) splitAtSouthPole() []Interval {
	m := Mask(s.bits)
	if s.Span() <= m-s.lo {
		return []Interval{s}
	}
	n := (m - s.lo) / s.step // steps before the wrap
	rest := s.n - n - 1
	return []Interval{
		FromSpan(s.bits, s.lo, n*s.step, s.step).WithKnownBits(s.zeros, s.ones),
		FromSpan(s.bits, s.lo+(n+1)*s.step, rest*s.step, s.step).WithKnownBits(s.zeros, s.ones),
	}
}

// joinOverPieces joins the results of an operation on the pieces of a set.
func (s Interval) joinOverPieces(f func(Interval) Interval) Interval {
	var all Interval
	for i, p := range s.splitAtSouthPole() {
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

// JoinOverPairs joins the results of an operation on the words of two sets; false if there are
// too many.
func JoinOverPairs(s, t Interval, f func(x, y uint64) Interval) (Interval, bool) {
	if s.n >= maxListed || t.n >= maxListed || (s.n+1)*(t.n+1) > maxListed {
		return Interval{}, false
	}
	all := f(s.lo, t.lo)
	for i := range s.n + 1 {
		for j := range t.n + 1 {
			all = all.Join(f((s.lo+i*s.step)&Mask(s.bits), (t.lo+j*t.step)&Mask(t.bits)))
		}
	}
	return all, true
}

// CountOnes returns how many bits of the words are set, in 32 bits.
func (s Interval) CountOnes() Interval {
	return s.joinOverPieces(func(s Interval) Interval {
		lo, hi := s.lo, s.last()
		maximum, minimum := bits.OnesCount64(hi), bits.OnesCount64(lo)
		for at := range s.bits {
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

// LeadingZeros returns how many of the upper bits of the words are zeros, in 32 bits.
func (s Interval) LeadingZeros() Interval {
	return s.joinOverPieces(func(s Interval) Interval {
		zeros := func(x uint64) uint64 { return uint64(s.bits - bits.Len64(x)) }
		return Between(32, zeros(s.last()), zeros(s.lo))
	})
}

// HighestBit returns the positions of the highest bits that are set, or that differ from the
// sign, in 32 bits: from the top if fromTop is set, and all ones where there is none.
func (s Interval) HighestBit(sign, fromTop bool) Interval {
	none := Const(32, Mask(32))
	return s.joinOverPieces(func(s Interval) Interval {
		var all Interval
		half := Mask(s.bits)/2 + 1
		for i, part := range []Interval{Between(s.bits, 0, half-1), Between(s.bits, half, Mask(s.bits))} {
			p, ok := s.Meet(part)
			if !ok {
				continue
			}
			if sign && i == 1 {
				p = p.Not()
			}
			lo, hi := p.Unsigned()
			from, to := bits.Len64(lo)-1, bits.Len64(hi)-1
			found := FromSpan(32, uint64(from), uint64(to-from), 1)
			switch last := s.bits - 1; {
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

// ReverseBits returns the words with their bits in reverse order.
func (s Interval) ReverseBits() Interval {
	return s.joinOverPieces(func(s Interval) Interval {
		value, unknown := s.KnownBits()
		by := 64 - s.bits
		return FromKnownBits(s.bits, bits.Reverse64(value)>>by, bits.Reverse64(unknown)>>by)
	})
}

// BitField returns n bits of the words from a position up, as unsigned or signed numbers, as
// Bfe does: beyond the width there are zeros, or copies of the sign.
func (s Interval) BitField(at, n uint64, sign bool) Interval {
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

// BitFields does so for sets of positions and numbers of bits, of which the low 8 bits count.
func (s Interval) BitFields(at, n Interval, sign bool) Interval {
	low := Const(32, 0xff)
	at, n = at.And(low), n.And(low)
	if r, ok := JoinOverPairs(at, n, func(at, n uint64) Interval { return s.BitField(at, n, sign) }); ok {
		return r
	}
	from, _ := at.Unsigned()
	_, longest := n.Unsigned()
	longest = min(longest, uint64(s.bits))
	if sign {
		half := uint64(1) << (longest - 1) // there is more than one number, so that one is not zero
		return Between(s.bits, -half, half-1)
	}
	_, hi := s.Shr(Const(32, min(from, uint64(s.bits))), false).Unsigned()
	return Between(s.bits, 0, min(hi, Mask(int(longest))))
}

// InsertBits returns the words of t with n bits from a position up replaced by the low bits of
// those of s, where the low 8 bits of the positions and numbers count.
func (s Interval) InsertBits(t, at, n Interval) Interval {
	low := Const(32, 0xff)
	width := s.bits
	r, ok := JoinOverPairs(at.And(low), n.And(low), func(at, n uint64) Interval {
		if n == 0 || at >= uint64(width) {
			return t
		}
		field := Const(width, Mask(int(min(n, uint64(width))))<<at)
		shifted := s.Shl(Const(32, at))
		return tableChoice.Apply(shifted, t, field).Narrow(shifted.And(field).Add(t.And(field.Not())))
	})
	if !ok {
		return Any(width)
	}
	return r
}

// ShiftAmounts returns the amounts of shifts that an instruction on 32 bits uses: modulo 32, or
// at most 32.
func ShiftAmounts(s Interval, wrap bool) Interval {
	if wrap {
		return s.And(Const(32, 31))
	}
	return s.Min(Const(32, 32), false)
}

// LowBits returns n low bits of the words of 32 bits, extended by zeros or the highest of
// them.
func (s Interval) LowBits(n Interval, sign bool) Interval {
	r, ok := JoinOverPairs(n, Const(32, 0), func(n, _ uint64) Interval {
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

// OnesAt returns words of n ones from a position up, in 32 bits.
func OnesAt(at, n Interval) Interval {
	lo, hi := at.Unsigned()
	few, many := n.Unsigned()
	if hi+many > 32 {
		return ResidueClass(32, 1<<lo, 0)
	}
	from, to := (uint64(1)<<few-1)<<lo, (uint64(1)<<many-1)<<hi
	return FromSpan(32, from, to-from, 1<<lo)
}

// Concat returns words of 64 bits, of which the halves are given.
func Concat(low, high Interval) Interval {
	return high.Extend(64, false).Times(1 << 32).Add(low.Extend(64, false))
}

// PermuteBytes returns words of four bytes that a selector picks among eight, four bits for
// each; the fourth of them copies the byte's sign into all of its bits.
func PermuteBytes(from Interval, selector uint64) Interval {
	sum := Const(32, 0)
	for i := uint64(0); i < 4; {
		pick := selector >> (4 * i) & 0xf
		if pick >= 8 {
			sign := from.BitField(8*(pick&7)+7, 1, false).Cut(32).Times(0xff)
			sum = sum.Add(sign.Times(1 << (8 * i)))
			i++
			continue
		}
		n := uint64(1) // bytes that lie side by side
		for i+n < 4 && pick+n < 8 && selector>>(4*(i+n))&0xf == pick+n {
			n++
		}
		sum = sum.Add(from.BitField(8*pick, 8*n, false).Cut(32).Times(1 << (8 * i)))
		i += n
	}
	return sum
}

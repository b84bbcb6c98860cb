// Package words holds sets of machine words, as the checker of certificates knows them: an interval that may wrap around, with a
// stride. Operations return a set that holds all results on words of their operands.
//
// It is part of what is to be read of the checker, and imports nothing of this project.
package words

import "math/bits"

// Set is a set of words: Low, Low+Step, ... Low+Count*Step, modulo 2 to the power of Bits. Count*Step is less
// than that; Step is zero exactly if Count is.
type Set struct {
	Bits             int
	Low, Step, Count uint64
}

func Mask(bits int) uint64 { return ^uint64(0) >> (64 - bits) }

func One(bits int, x uint64) Set { return Set{bits, x & Mask(bits), 0, 0} }

// Every returns all words that leave the remainder of x modulo step, of which a power of two is taken.
func Every(bits int, x, step uint64) Set {
	g := step & -step
	if step == 0 || g > Mask(bits) {
		return One(bits, x)
	}
	return Set{bits, x & (g - 1), g, Mask(bits) / g}
}

func Anything(bits int) Set { return Every(bits, 0, 1) }

// Span returns the words from x on that are at most length away from it, in steps.
func Span(bits int, x, step, length uint64) Set {
	if step == 0 || length < step {
		return One(bits, x)
	}
	if g := step & -step; g == step && length/step == Mask(bits)/step {
		return Every(bits, x, step)
	}
	return Set{bits, x & Mask(bits), step, length / step}
}

// Valid reports whether a set that somebody else wrote down is one.
func (w Set) Valid() bool {
	if w.Bits < 1 || w.Bits > 64 || w.Low > Mask(w.Bits) || (w.Step == 0) != (w.Count == 0) {
		return false
	}
	high, length := bits.Mul64(w.Step, w.Count)
	return high == 0 && length <= Mask(w.Bits)
}

func (w Set) length() uint64 { return w.Step * w.Count }
func (w Set) Last() uint64   { return (w.Low + w.length()) & Mask(w.Bits) }

// IsAny reports whether all words of the width are in the set.
func (w Set) IsAny() bool { return w == Anything(w.Bits) }

func (w Set) whole() bool { return w == Every(w.Bits, w.Low, w.Step) && w.Step > 0 }

// Holds reports whether all words of v are words of w.
func (w Set) Holds(v Set) bool {
	d := (v.Low - w.Low) & Mask(w.Bits)
	switch {
	case w.Bits != v.Bits:
		return false
	case w.Step == 0:
		return d == 0 && v.Count == 0
	case w.whole():
		return d%w.Step == 0 && v.Step%w.Step == 0
	}
	return d%w.Step == 0 && v.Step%w.Step == 0 && d <= w.length() && v.length() <= w.length()-d
}

// Flip exchanges signed and unsigned order: what is said of unsigned numbers holds of signed ones there.
func (w Set) Flip(sign bool) Set {
	if sign {
		w.Low = (w.Low + Mask(w.Bits)/2 + 1) & Mask(w.Bits)
	}
	return w
}

// Straight returns a set that holds w and does not wrap around at 0.
func (w Set) Straight() Set {
	if w.length() <= Mask(w.Bits)-w.Low {
		return w
	}
	return Every(w.Bits, w.Low, w.Step)
}

// Range returns the least and the greatest word, read as unsigned or as signed numbers.
func (w Set) Range(signed bool) (lo, hi uint64) {
	s := w.Flip(signed).Straight().Flip(signed)
	return s.Low, s.Last()
}

// Signed reads a word as a signed number.
func Signed(x uint64, bits int) int64 { return int64(x<<(64-bits)) >> (64 - bits) }

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (w Set) Plus(v Set) Set {
	step := gcd(w.Step, v.Step)
	if v.length() > Mask(w.Bits)-w.length() {
		return Every(w.Bits, w.Low+v.Low, step)
	}
	return Span(w.Bits, w.Low+v.Low, step, w.length()+v.length())
}

func (w Set) Negated() Set { return Set{w.Bits, -w.Last() & Mask(w.Bits), w.Step, w.Count} }

// Times multiplies by a constant.
func (w Set) Times(k uint64) Set {
	if k &= Mask(w.Bits); k > Mask(w.Bits)/2+1 {
		return w.Times(-k).Negated()
	}
	high, length := bits.Mul64(w.length(), k)
	if high != 0 || length > Mask(w.Bits) {
		if wide, step := bits.Mul64(w.Step, k); wide == 0 {
			return Every(w.Bits, w.Low*k, step)
		}
		return Anything(w.Bits)
	}
	return Span(w.Bits, w.Low*k, w.Step*k, length)
}

// Multiplied multiplies by a set of one word, or by what is not known.
func (w Set) Multiplied(v Set) Set {
	switch {
	case v.Count == 0:
		return w.Times(v.Low)
	case w.Count == 0:
		return v.Times(w.Low)
	}
	return Anything(w.Bits)
}

// Shifted shifts right by a constant.
func (w Set) Shifted(k uint64, sign bool) Set {
	if k >= uint64(w.Bits) && !sign {
		return One(w.Bits, 0)
	}
	k = min(k, uint64(w.Bits-1))
	lo, hi := w.Range(sign)
	if sign {
		lo, hi = uint64(Signed(lo, w.Bits)>>k), uint64(Signed(hi, w.Bits)>>k)
	} else {
		lo, hi = lo>>k, hi>>k
	}
	step := uint64(1)
	if s := w.Flip(sign).Straight().Step; s&(1<<k-1) == 0 {
		step = max(s>>k, 1)
	}
	return Span(w.Bits, lo, step, hi-lo)
}

// Masked is the conjunction with a constant.
func (w Set) Masked(k uint64) Set {
	lo, hi := w.Range(false)
	ones := uint64(1)<<bits.Len64(hi) - 1 // hi and what is less has no other bits
	switch {
	case w.Count == 0:
		return One(w.Bits, w.Low&k)
	case hi < 1<<63 && k&ones == ones:
		return w.Straight()
	case (k|(k-1))&Mask(w.Bits) == Mask(w.Bits): // only low bits are cleared, which keeps the order
		return Span(w.Bits, lo&k, k&-k, hi&k-lo&k)
	}
	if g := w.Step & -w.Step; k&(k+1) == 0 { // only low bits are kept, which leave the remainder of w
		return Span(w.Bits, w.Low&k&(g-1), g, k-w.Low&k&(g-1))
	}
	return Span(w.Bits, 0, k&-k, min(hi, k))
}

// Conjoined is the conjunction with a set.
func (w Set) Conjoined(v Set) Set {
	if w.Count == 0 {
		w, v = v, w
	}
	if v.Count == 0 {
		return w.Masked(v.Low)
	}
	_, a := w.Range(false)
	_, b := v.Range(false)
	return Span(w.Bits, 0, 1, min(a, b))
}

// United holds the words that have no bits but those that words of the two sets can have, thus all that combine these bit by
// bit and have no bit where neither has one.
func (w Set) United(v Set) Set {
	_, a := w.Range(false)
	_, b := v.Range(false)
	ones := uint64(1)<<bits.Len64(a|b) - 1 // all, if the shift leaves nothing
	return Span(w.Bits, 0, 1, ones)
}

// Remainder is that of the division by a set, of which nothing is known if it holds 0 or negative numbers.
func (w Set) Remainder(v Set, sign bool) Set {
	low, high := w.Range(sign)
	first, last := v.Range(sign)
	top := Mask(w.Bits)/2 + 1
	switch {
	case first == 0 || sign && (low >= top || first >= top):
		return Anything(w.Bits)
	case high < first:
		return w.Flip(sign).Straight().Flip(sign)
	}
	return Span(w.Bits, 0, 1, min(high, last-1))
}

// Extreme is the less or the greater of two numbers.
func (w Set) Extreme(v Set, sign, greater bool) Set {
	a, b := w.Flip(sign).Straight(), v.Flip(sign).Straight()
	low, high := min(a.Low, b.Low), min(a.Last(), b.Last())
	if greater {
		low, high = max(a.Low, b.Low), max(a.Last(), b.Last())
	}
	if low == high {
		return One(w.Bits, low).Flip(sign)
	}
	return Span(w.Bits, low, gcd(gcd(a.Step, b.Step), max(a.Low, b.Low)-min(a.Low, b.Low)), high-low).Flip(sign)
}

// Resized returns the low bits, or the numbers in more bits.
func (w Set) Resized(to int, sign bool) Set {
	switch {
	case to < w.Bits:
		return w.Cut(to)
	case to > w.Bits:
		return w.Extended(to, sign)
	}
	return w
}

// Extended returns the numbers of the set in more bits.
func (w Set) Extended(to int, sign bool) Set {
	s := w.Flip(sign).Straight().Flip(sign)
	if sign {
		s.Low = uint64(Signed(s.Low, s.Bits)) & Mask(to)
	}
	s.Bits = to
	return s
}

// Cut returns the low bits.
func (w Set) Cut(to int) Set {
	if w.length() > Mask(to) {
		return Every(to, w.Low, w.Step)
	}
	return Span(to, w.Low, w.Step, w.length())
}

// Joined returns a set that holds both.
func (w Set) Joined(v Set) Set {
	if w.Holds(v) {
		return w
	}
	best := Every(w.Bits, w.Low, gcd(gcd(w.Step, v.Step), (v.Low-w.Low)&Mask(w.Bits)))
	for _, p := range [][2]Set{{w, v}, {v, w}} {
		d := (p[1].Low - p[0].Low) & Mask(w.Bits)
		if p[1].length() > Mask(w.Bits)-d {
			continue
		}
		all := Span(w.Bits, p[0].Low, gcd(gcd(w.Step, v.Step), d), max(p[0].length(), d+p[1].length()))
		if all.length() < best.length() {
			best = all
		}
	}
	return best
}

// Within returns the words from lo to hi, read as unsigned or signed numbers; false if there are none.
func (w Set) Within(lo, hi uint64, sign bool) (Set, bool) {
	lo, hi = One(w.Bits, lo).Flip(sign).Low, One(w.Bits, hi).Flip(sign).Low
	s := w.Flip(sign).Straight()
	if lo > hi || s.Low > hi || s.Last() < lo {
		return w, false
	}
	if s.Step > 0 && s.Low < lo {
		skipped := (lo - s.Low + s.Step - 1) / s.Step
		if skipped > s.Count {
			return w, false
		}
		s = Span(s.Bits, s.Low+skipped*s.Step, s.Step, s.length()-skipped*s.Step)
	}
	if s.Low > hi {
		return w, false
	}
	if s.Last() > hi {
		s = Span(s.Bits, s.Low, s.Step, hi-s.Low)
	}
	return s.Flip(sign), true
}

// Steps is how often a step fits between two numbers; at most 2^63 - 1.
func Steps(high, low uint64, step int64) int64 {
	if high < low {
		return 0
	}
	return int64(min((high-low)/uint64(step), 1<<63-1))
}

// Without returns the words but one; false if there are none.
func (w Set) Without(x uint64) (Set, bool) {
	switch {
	case w.Count == 0:
		return w, w.Low != x
	case w.Low == x:
		return Span(w.Bits, w.Low+w.Step, w.Step, w.length()-w.Step), true
	case w.Last() == x:
		return Span(w.Bits, w.Low, w.Step, w.length()-w.Step), true
	case w.whole() && x%w.Step == w.Low: // a circle without a word begins behind it
		return Span(w.Bits, x+w.Step, w.Step, w.length()-w.Step), true
	}
	return w, true
}

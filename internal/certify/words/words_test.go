package words

import "testing"

// width is that of the words of the tests, which try all sets.
const width = 4

// all returns every set of words of a width.
func all(bits int) []Set {
	var sets []Set
	for low := range uint64(1) << bits {
		sets = append(sets, One(bits, low))
		for step := uint64(1); step <= Mask(bits); step++ {
			for count := uint64(1); count*step <= Mask(bits); count++ {
				sets = append(sets, Set{bits, low, step, count})
			}
		}
	}
	return sets
}

// elements returns the words of a set.
func (w Set) elements() []uint64 {
	var list []uint64
	for i := range w.Count + 1 {
		list = append(list, (w.Low+i*w.Step)&Mask(w.Bits))
	}
	return list
}

// contains is the obvious test.
func (w Set) contains(x uint64) bool {
	for _, y := range w.elements() {
		if x == y {
			return true
		}
	}
	return false
}

// number reads a word as a number.
func number(x uint64, bits int, sign bool) int64 {
	if sign {
		return Signed(x, bits)
	}
	return int64(x)
}

func TestOneSet(t *testing.T) {
	for _, s := range all(width) {
		if !s.Valid() {
			t.Fatalf("%v is not valid", s)
		}
		check := func(name string, got Set, of func(x uint64) uint64) {
			t.Helper()
			if !got.Valid() {
				t.Fatalf("%s of %v is %v", name, s, got)
			}
			for _, x := range s.elements() {
				if y := of(x) & Mask(got.Bits); !got.contains(y) {
					t.Fatalf("%s of %v is %v, without %d of %d", name, s, got, y, x)
				}
			}
		}
		check("negation", s.Negated(), func(x uint64) uint64 { return -x })
		check("cut", s.Cut(2), func(x uint64) uint64 { return x })
		for _, sign := range []bool{false, true} {
			check("extension", s.Extended(7, sign), func(x uint64) uint64 { return uint64(number(x, width, sign)) })
			lo, hi := s.Range(sign)
			for _, x := range s.elements() {
				if n := number(x, width, sign); n < number(lo, width, sign) || n > number(hi, width, sign) {
					t.Fatalf("%v is from %d to %d, without %d", s, lo, hi, n)
				}
			}
		}
		for k := range uint64(1) << width {
			check("product", s.Times(k), func(x uint64) uint64 { return x * k })
			check("conjunction", s.Masked(k), func(x uint64) uint64 { return x & k })
			check("shift", s.Shifted(k, false), func(x uint64) uint64 { return x >> k })
			check("shift", s.Shifted(k, true), func(x uint64) uint64 { return uint64(Signed(x, width) >> k) })
			rest, ok := s.Without(k)
			for _, x := range s.elements() {
				if x != k && (!ok || !rest.contains(x)) {
					t.Fatalf("%v without %d is %v", s, k, rest)
				}
			}
		}
	}
}

func TestTwoSets(t *testing.T) {
	sets := all(width)
	for i, s := range sets {
		for k := i % 23; k < len(sets); k += 23 { // some of all pairs
			v := sets[k]
			if (i+k)%4 == 0 { // which takes longer
				checkPair(t, s, v)
			}
			sum, both, product := s.Plus(v), s.Joined(v), s.Multiplied(v)
			holds := true
			for _, y := range v.elements() {
				holds = holds && s.contains(y)
				if !both.contains(y) {
					t.Fatalf("%v and %v are %v", s, v, both)
				}
				for _, x := range s.elements() {
					if !sum.contains((x + y) & Mask(width)) {
						t.Fatalf("%v plus %v is %v", s, v, sum)
					}
					if !product.contains(x * y & Mask(width)) {
						t.Fatalf("%v times %v is %v", s, v, product)
					}
				}
			}
			for _, x := range s.elements() {
				if !both.contains(x) {
					t.Fatalf("%v and %v are %v", s, v, both)
				}
			}
			if s.Holds(v) && !holds {
				t.Fatalf("%v does not hold %v", s, v)
			}
			if !both.Holds(s) || !both.Holds(v) || !s.Holds(s) {
				t.Fatalf("%v does not hold %v and %v", both, s, v)
			}
		}
		for _, sign := range []bool{false, true} {
			for lo := range uint64(1) << width {
				for hi := range uint64(1) << width {
					part, ok := s.Within(lo, hi, sign)
					for _, x := range s.elements() {
						n := number(x, width, sign)
						if n >= number(lo, width, sign) && n <= number(hi, width, sign) && (!ok || !part.contains(x)) {
							t.Fatalf("%v from %d to %d is %v", s, lo, hi, part)
						}
					}
				}
			}
		}
	}
}

func TestValid(t *testing.T) {
	for _, s := range []Set{{}, {Bits: 65}, {Bits: 4, Low: 16}, {Bits: 4, Step: 1}, {Bits: 4, Count: 1}, {Bits: 4, Step: 8, Count: 2}, {Bits: 64, Step: 1 << 63, Count: 1 << 63}} {
		if s.Valid() {
			t.Errorf("%v is taken for a set", s)
		}
	}
}

// checkPair compares operations on two sets that have obvious definitions with these.
func checkPair(t *testing.T, s, v Set) {
	t.Helper()
	check := func(name string, got Set, of func(x, y uint64) uint64) {
		t.Helper()
		if !got.Valid() {
			t.Fatalf("%s of %v and %v is %v", name, s, v, got)
		}
		for _, x := range s.elements() {
			for _, y := range v.elements() {
				if z := of(x, y); !got.contains(z & Mask(width)) {
					t.Fatalf("%s of %v and %v is %v, without %d of %d and %d", name, s, v, got, z, x, y)
				}
			}
		}
	}
	check("conjunction", s.Conjoined(v), func(x, y uint64) uint64 { return x & y })
	check("disjunction", s.United(v), func(x, y uint64) uint64 { return x | y })
	check("difference of bits", s.United(v), func(x, y uint64) uint64 { return x ^ y })
	for _, sign := range []bool{false, true} {
		check("remainder", s.Remainder(v, sign), func(x, y uint64) uint64 {
			if y == 0 {
				return x
			}
			return uint64(number(x, width, sign) % number(y, width, sign))
		})
		for _, greater := range []bool{false, true} {
			check("extreme", s.Extreme(v, sign, greater), func(x, y uint64) uint64 {
				if (number(x, width, sign) > number(y, width, sign)) == greater {
					return x
				}
				return y
			})
		}
	}
}

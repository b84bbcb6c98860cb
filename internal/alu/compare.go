package alu

import (
	"math"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// test is a comparison of two sources: of Words or of Vectors.
type test struct {
	word vec.WordTestFunc
	wide vec.TestFunc
	swap bool   // the sources are exchanged first
	not  uint64 // complement of the result
}

// holds is the function of a test: one of the two, or none.
type holds struct {
	word vec.WordTestFunc
	wide vec.TestFunc
}

// test makes a test of a comparison.
func (h holds) test(swap bool, not uint64) test { return test{h.word, h.wide, swap, not} }

// Every order is made of less and less-or-equal by exchange of the sources, and
// every comparison that holds for NaN is the complement of one that does not.

// integerTest returns the comparison of integers, none if there is none on the type.
func integerTest(cmp isa.Cmp, t isa.Type) test {
	equal := sizedTest(t, eq[uint32, uint16], fastWordTest(vec.Eq32, eq[uint32, uint32]), fastTest(vec.Eq64, eq[uint64, uint64]))
	below := sizedTest(t, lt[uint32, uint16], fastWordTest(vec.LtU32, lt[uint32, uint32]), fastTest(vec.LtU64, lt[uint64, uint64]))
	notAbove := sizedTest(t, le[uint32, uint16], fastWordTest(vec.LeU32, le[uint32, uint32]), fastTest(vec.LeU64, le[uint64, uint64]))
	less, lessOrEqual := below, notAbove
	switch t.Class() {
	case isa.Packed:
		return test{}
	case isa.Bits:
		less, lessOrEqual = holds{}, holds{}
	case isa.Signed:
		less = sizedTest(t, lt[uint32, int16], fastWordTest(vec.LtS32, lt[uint32, int32]), fastTest(vec.LtS64, lt[uint64, int64]))
		lessOrEqual = sizedTest(t, le[uint32, int16], fastWordTest(vec.LeS32, le[uint32, int32]), fastTest(vec.LeS64, le[uint64, int64]))
	}
	const not = ^uint64(0)
	switch cmp {
	case isa.Eq:
		return equal.test(false, 0)
	case isa.Ne:
		return equal.test(false, not)
	case isa.Lt:
		return less.test(false, 0)
	case isa.Le:
		return lessOrEqual.test(false, 0)
	case isa.Gt:
		return less.test(true, 0)
	case isa.Ge:
		return lessOrEqual.test(true, 0)
	case isa.Lo:
		return below.test(false, 0)
	case isa.Ls:
		return notAbove.test(false, 0)
	case isa.Hi:
		return below.test(true, 0)
	case isa.Hs:
		return notAbove.test(true, 0)
	}
	return test{}
}

func sizedTest(t isa.Type, f16, f32 vec.WordTestFunc, f64 vec.TestFunc) holds {
	switch t.Bits() {
	case 16:
		return holds{word: f16}
	case 32:
		return holds{word: f32}
	case 64:
		return holds{wide: f64}
	}
	return holds{}
}

func eq[L vec.Lane, U unsigned](a, b *vec.Of[L]) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(U(a[i]) == U(b[i])) << i
	}
	return m
}

func lt[L vec.Lane, T unsigned | signed](a, b *vec.Of[L]) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(T(a[i]) < T(b[i])) << i
	}
	return m
}

func le[L vec.Lane, T unsigned | signed](a, b *vec.Of[L]) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(T(a[i]) <= T(b[i])) << i
	}
	return m
}

// order is a set of the comparisons from which those of floating point are made.
type order struct{ eq, ne, lt, le, num holds }

// floatTest returns the comparison of floating-point numbers, of those in the
// bits from shift up; none if there is none on the type.
func floatTest(cmp isa.Cmp, t isa.Type, ftz bool, shift int) test {
	o := orderOf(t, ftz, shift)
	const not = ^uint64(0)
	switch cmp {
	case isa.Eq:
		return o.eq.test(false, 0)
	case isa.Ne:
		return o.ne.test(false, 0)
	case isa.Lt:
		return o.lt.test(false, 0)
	case isa.Le:
		return o.le.test(false, 0)
	case isa.Gt:
		return o.lt.test(true, 0)
	case isa.Ge:
		return o.le.test(true, 0)
	case isa.EqU:
		return o.ne.test(false, not)
	case isa.NeU:
		return o.eq.test(false, not)
	case isa.LtU:
		return o.le.test(true, not)
	case isa.LeU:
		return o.lt.test(true, not)
	case isa.GtU:
		return o.le.test(false, not)
	case isa.GeU:
		return o.lt.test(false, not)
	case isa.Num:
		return o.num.test(false, 0)
	case isa.NaN:
		return o.num.test(false, not)
	}
	return test{}
}

func orderOf(t isa.Type, ftz bool, shift int) order {
	switch {
	case t == isa.F32 && !ftz:
		return order{
			holds{word: fastWordTest(vec.EqF32, eq32)}, holds{word: ne32}, holds{word: fastWordTest(vec.LtF32, lt32)},
			holds{word: fastWordTest(vec.LeF32, le32)}, holds{word: num32},
		}
	case vectorTest(vec.Equal, t, ftz, shift) != nil:
		of := func(test vec.FloatTest) holds { return holds{word: vectorTest(test, t, ftz, shift)} }
		return order{of(vec.Equal), of(vec.LessOrMore), of(vec.Less), of(vec.LessOrEqual), of(vec.Ordered)}
	case t == isa.F64 && !ftz:
		return order{holds{wide: eq64}, holds{wide: ne64}, holds{wide: lt64}, holds{wide: le64}, holds{wide: num64}}
	}
	f, ok := formatOf(t)
	if !ok || t == isa.F64 || t == isa.F32x2 || f == brain16 && ftz {
		return order{}
	}
	value := func(x uint32) float64 {
		y := uint64(x) >> shift & LowBits(f.bits())
		if ftz {
			y = f.flush(y)
		}
		return f.float64(y)
	}
	of := func(both func(x, y float64) bool) holds {
		return holds{word: func(a, b *Words) (m uint32) {
			for i := range a {
				m |= bit(both(value(a[i]), value(b[i]))) << i
			}
			return m
		}}
	}
	return order{
		eq:  of(func(x, y float64) bool { return x == y }),
		ne:  of(func(x, y float64) bool { return x < y || x > y }),
		lt:  of(func(x, y float64) bool { return x < y }),
		le:  of(func(x, y float64) bool { return x <= y }),
		num: of(func(x, y float64) bool { return x == x && y == y }),
	}
}

func f32(x uint32) float32 { return math.Float32frombits(x) }
func f64(x uint64) float64 { return math.Float64frombits(x) }

func eq32(a, b *Words) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(f32(a[i]) == f32(b[i])) << i
	}
	return m
}

func ne32(a, b *Words) uint32 { return lt32(a, b) | lt32(b, a) }

func lt32(a, b *Words) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(f32(a[i]) < f32(b[i])) << i
	}
	return m
}

func le32(a, b *Words) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(f32(a[i]) <= f32(b[i])) << i
	}
	return m
}

func num32(a, b *Words) uint32 { return eq32(a, a) & eq32(b, b) }

func eq64(a, b *Vector) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(f64(a[i]) == f64(b[i])) << i
	}
	return m
}

func ne64(a, b *Vector) uint32 { return lt64(a, b) | lt64(b, a) }

func lt64(a, b *Vector) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(f64(a[i]) < f64(b[i])) << i
	}
	return m
}

func le64(a, b *Vector) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(f64(a[i]) <= f64(b[i])) << i
	}
	return m
}

func num64(a, b *Vector) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		x, y := f64(a[i]), f64(b[i])
		m |= bit(x == x && y == y) << i
	}
	return m
}

package alu

import (
	"math"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// test is a comparison of two sources.
type test struct {
	holds func(a, b *Vector) uint32 // bit i for lane i
	swap  bool                      // the sources are exchanged first
	not   uint64                    // complement of the result
}

// Every order is made of less and less-or-equal by exchange of the sources, and
// every comparison that holds for NaN is the complement of one that does not.

// integerTest returns the comparison of integers; its holds is nil if there is
// none on the type.
func integerTest(cmp isa.Cmp, t isa.Type) test {
	equal := sizedTest(t, eq[uint16], fastTest(vec.Eq32, eq[uint32]), fastTest(vec.Eq64, eq[uint64]))
	below := sizedTest(t, lt[uint16], fastTest(vec.LtU32, lt[uint32]), fastTest(vec.LtU64, lt[uint64]))
	notAbove := sizedTest(t, le[uint16], fastTest(vec.LeU32, le[uint32]), fastTest(vec.LeU64, le[uint64]))
	less, lessOrEqual := below, notAbove
	switch t.Class() {
	case isa.Bits:
		less, lessOrEqual = nil, nil
	case isa.Signed:
		less = sizedTest(t, lt[int16], fastTest(vec.LtS32, lt[int32]), fastTest(vec.LtS64, lt[int64]))
		lessOrEqual = sizedTest(t, le[int16], fastTest(vec.LeS32, le[int32]), fastTest(vec.LeS64, le[int64]))
	}
	switch cmp {
	case isa.Eq:
		return test{holds: equal}
	case isa.Ne:
		return test{holds: equal, not: ^uint64(0)}
	case isa.Lt:
		return test{holds: less}
	case isa.Le:
		return test{holds: lessOrEqual}
	case isa.Gt:
		return test{holds: less, swap: true}
	case isa.Ge:
		return test{holds: lessOrEqual, swap: true}
	case isa.Lo:
		return test{holds: below}
	case isa.Ls:
		return test{holds: notAbove}
	case isa.Hi:
		return test{holds: below, swap: true}
	case isa.Hs:
		return test{holds: notAbove, swap: true}
	}
	return test{}
}

func sizedTest(t isa.Type, f16, f32, f64 func(a, b *Vector) uint32) func(a, b *Vector) uint32 {
	switch t.Bits() {
	case 16:
		return f16
	case 32:
		return f32
	case 64:
		return f64
	}
	return nil
}

func eq[U unsigned](a, b *Vector) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(U(a[i]) == U(b[i])) << i
	}
	return m
}

func lt[T unsigned | signed](a, b *Vector) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(T(a[i]) < T(b[i])) << i
	}
	return m
}

func le[T unsigned | signed](a, b *Vector) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(T(a[i]) <= T(b[i])) << i
	}
	return m
}

// order is a set of the comparisons from which those of floating point are made.
type order struct{ eq, ne, lt, le, num func(a, b *Vector) uint32 }

// floatTest returns the comparison of floating-point numbers, of those in the
// bits from shift up; its holds is nil if there is none on the type.
func floatTest(cmp isa.Cmp, t isa.Type, ftz bool, shift int) test {
	o := orderOf(t, ftz, shift)
	const not = ^uint64(0)
	switch cmp {
	case isa.Eq:
		return test{holds: o.eq}
	case isa.Ne:
		return test{holds: o.ne}
	case isa.Lt:
		return test{holds: o.lt}
	case isa.Le:
		return test{holds: o.le}
	case isa.Gt:
		return test{holds: o.lt, swap: true}
	case isa.Ge:
		return test{holds: o.le, swap: true}
	case isa.EqU:
		return test{holds: o.ne, not: not}
	case isa.NeU:
		return test{holds: o.eq, not: not}
	case isa.LtU:
		return test{holds: o.le, swap: true, not: not}
	case isa.LeU:
		return test{holds: o.lt, swap: true, not: not}
	case isa.GtU:
		return test{holds: o.le, not: not}
	case isa.GeU:
		return test{holds: o.lt, not: not}
	case isa.Num:
		return test{holds: o.num}
	case isa.NaN:
		return test{holds: o.num, not: not}
	}
	return test{}
}

func orderOf(t isa.Type, ftz bool, shift int) order {
	switch {
	case t == isa.F32 && !ftz:
		return order{fastTest(vec.EqF32, eq32), ne32, fastTest(vec.LtF32, lt32), fastTest(vec.LeF32, le32), num32}
	case t == isa.F64 && !ftz:
		return order{eq64, ne64, lt64, le64, num64}
	}
	f, ok := formatOf(t)
	if !ok || t == isa.F64 || t == isa.F32x2 || f == brain16 && ftz {
		return order{}
	}
	value := func(x uint64) float64 {
		x = x >> shift & LowBits(f.bits())
		if ftz {
			x = f.flush(x)
		}
		return f.float64(x)
	}
	of := func(holds func(x, y float64) bool) func(a, b *Vector) uint32 {
		return func(a, b *Vector) (m uint32) {
			for i := range a {
				m |= bit(holds(value(a[i]), value(b[i]))) << i
			}
			return m
		}
	}
	return order{
		eq:  of(func(x, y float64) bool { return x == y }),
		ne:  of(func(x, y float64) bool { return x < y || x > y }),
		lt:  of(func(x, y float64) bool { return x < y }),
		le:  of(func(x, y float64) bool { return x <= y }),
		num: of(func(x, y float64) bool { return x == x && y == y }),
	}
}

func f32(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func f64(x uint64) float64 { return math.Float64frombits(x) }

func eq32(a, b *Vector) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(f32(a[i]) == f32(b[i])) << i
	}
	return m
}

func ne32(a, b *Vector) uint32 { return lt32(a, b) | lt32(b, a) }

func lt32(a, b *Vector) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(f32(a[i]) < f32(b[i])) << i
	}
	return m
}

func le32(a, b *Vector) (m uint32) {
	_, _ = *a, *b
	for i := range a {
		m |= bit(f32(a[i]) <= f32(b[i])) << i
	}
	return m
}

func num32(a, b *Vector) uint32 { return eq32(a, a) & eq32(b, b) }

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

func num64(a, b *Vector) uint32 { return eq64(a, a) & eq64(b, b) }

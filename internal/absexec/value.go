package absexec

import (
	"math/bits"
	"slices"

	"warpbound/internal/alu"
	"warpbound/internal/vec"
)

// value is what is known of a register, a predicate or a place in local memory, in
// every lane of a warp and for every CTA of a box. It does not change.
//
// In a lane of known, a number is base + sum of step[axis] times the steps of the CTA
// along the axis, modulo the width; a truth value is the lane's bit. In a lane of
// nonAffine nothing is known for the box as a whole, but more would be after cut. In
// any other lane the value depends on what nobody knows.
//
// In all lanes of alike the value is the same function of the decisions on (alike.go).
type value struct {
	known     uint64
	nonAffine uint64
	cut       cut // of a value with non-affine lanes
	bits      uint64
	base      []alu.Vector
	step      [Axes][]alu.Vector // nil where all are zero
	alike     uint64
	on        decisions
}

// unknown is the value of which nothing is known.
var unknown = &value{}

const lanes = vec.Lanes

// vectors returns zero vectors for n lanes.
func vectors(n int) []alu.Vector { return make([]alu.Vector, (n+lanes-1)/lanes) }

func at(v []alu.Vector, lane int) uint64 { return v[lane/lanes][lane%lanes] }

func set(v []alu.Vector, lane int, x uint64) { v[lane/lanes][lane%lanes] = x }

// moves reports whether the value may depend on the CTA in a lane that is known.
func (v *value) moves() bool {
	return slices.ContainsFunc(v.step[:], func(s []alu.Vector) bool { return s != nil })
}

// depends returns the axes on which the value may depend.
func (v *value) depends() (d [Axes]bool) {
	for axis, s := range v.step {
		d[axis] = s != nil
	}
	return d
}

// lane returns the number in a lane that is known.
func (v *value) lane(i int) linear {
	l := linear{base: at(v.base, i)}
	for axis, s := range v.step {
		if s != nil {
			l.step[axis] = at(s, i)
		}
	}
	return l
}

// setSteps makes the number in a lane of a value that is being made depend on the CTA, by
// the bits of the steps that the register has.
func (v *value) setSteps(lane int, step [Axes]int64, width uint64) {
	for axis, s := range step {
		d := uint64(s) & width
		if d == 0 {
			continue
		}
		if v.step[axis] == nil {
			v.step[axis] = make([]alu.Vector, len(v.base))
		}
		set(v.step[axis], lane, d)
	}
}

// equal reports whether a value in a lane in which it is known agrees with another one in such a lane.
func (v *value) equal(w *value, lane, other int) bool {
	if v.base == nil || w.base == nil {
		return v.bits>>lane&1 == w.bits>>other&1
	}
	return v.lane(lane) == w.lane(other)
}

// mix returns a value that is w in the lanes of mask and v in the others.
func mix(v, w *value, mask uint64) *value {
	m := &value{
		known:     v.known&^mask | w.known&mask,
		nonAffine: v.nonAffine&^mask | w.nonAffine&mask,
		bits:      v.bits&^mask | w.bits&mask,
		cut:       w.cut,
		alike:     w.alike & mask,
		on:        w.on,
	}
	if m.alike == 0 {
		m.alike, m.on = v.alike&^mask, v.on
	}
	if w.nonAffine&mask == 0 {
		m.cut = v.cut
	}
	m.base = mixVectors(v.base, w.base, mask)
	for axis := range m.step {
		m.step[axis] = mixVectors(v.step[axis], w.step[axis], mask)
	}
	return m
}

// mixVectors is mix for numbers; nil stands for zeros.
func mixVectors(v, w []alu.Vector, mask uint64) []alu.Vector {
	if v == nil && w == nil {
		return nil
	}
	m := make([]alu.Vector, max(len(v), len(w)))
	copy(m, v)
	for k := range m {
		for rest := uint32(mask >> (k * lanes)); rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest) % lanes
			m[k][i] = 0
			if w != nil {
				m[k][i] = w[k][i]
			}
		}
	}
	return m
}

// forget returns v without what it knows in the lanes of mask.
func (v *value) forget(mask uint64) *value {
	if (v.known|v.nonAffine|v.alike)&mask == 0 {
		return v
	}
	f := *v
	f.known &^= mask
	f.nonAffine &^= mask
	f.alike &^= mask
	return &f
}

// weaken returns what is known in the lanes of mask if the value may be v or w
// there: where they agree, what they agree on. In the other lanes it is v.
func weaken(v, w *value, mask uint64) *value {
	if v == w {
		return v
	}
	differ := uint64(0)
	for m := v.known & w.known & mask; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros64(m); !v.equal(w, lane, lane) {
			differ |= 1 << lane
		}
	}
	return v.forget(mask & (differ | ^(v.known & w.known)))
}

// merge returns the value of lanes that come together: those of from with the value w
// and those of here with the value v, some of them perhaps with either: a choice tells.
func merge(v, w *value, here, from uint64, by choice) *value {
	if v == w {
		return v
	}
	m := weaken(mix(v, w, from&^here), w, from&here)
	m.mergeAlike(v, w, here, from, by)
	return m
}

package symexec

import (
	"fmt"

	"warpbound/internal/smt"
)

// Element says what the elements of symbolic bytes may be. The zero Element allows all bytes.
type Element struct {
	Bytes         int // of one element: 1, 2, 4 or 8
	Signed, Float bool
	Low, High     uint64 // the bits of the least and the greatest number, which belong to the range; no NaN does
}

// check returns an error if there are no such elements.
func (e Element) check() error {
	if e == (Element{}) {
		return nil
	}
	switch {
	case e.Bytes != 1 && e.Bytes != 2 && e.Bytes != 4 && e.Bytes != 8, e.Float && e.Bytes == 1:
		return fmt.Errorf("there are no elements of %d bytes in this format", e.Bytes)
	case (e.Low|e.High)>>(8*e.Bytes-1) > 1 || !e.holds(e.Low) || !e.holds(e.High):
		return fmt.Errorf("there is no number of %d bytes from 0x%x to 0x%x", e.Bytes, e.Low, e.High)
	}
	return nil
}

// format returns the format of a floating-point number.
func (e Element) format() smt.Format {
	return map[int]smt.Format{2: smt.Half, 4: smt.Single, 8: smt.Double}[e.Bytes]
}

// interval is numbers without sign, both ends included.
type interval struct{ low, high uint64 }

// intervals returns which bits an element may be. Those of floats grow with the magnitude, and
// those of negative ones lie above those of positive ones.
func (e Element) intervals() []interval {
	sign := uint64(1) << (8*e.Bytes - 1)
	switch {
	case e.Float:
		return e.magnitudes(sign)
	case !e.Signed || e.Low&sign == e.High&sign:
		return []interval{{e.Low, e.High}}
	case e.High&sign != 0:
		return nil
	}
	return []interval{{0, e.High}, {e.Low, sign | (sign - 1)}}
}

// magnitudes returns the intervals of a range of floats: zeros of both signs are equal.
func (e Element) magnitudes(sign uint64) []interval {
	low, high := e.Low&^sign, e.High&^sign
	var all []interval
	if high == 0 || e.High&sign == 0 { // some are not negative
		from := uint64(0)
		if e.Low&sign == 0 {
			from = low
		}
		all = append(all, interval{from, high})
	}
	if low == 0 || e.Low&sign != 0 { // some are not positive
		from := uint64(0)
		if e.High&sign != 0 {
			from = high
		}
		all = append(all, interval{sign | from, sign | low})
	}
	return all
}

// holds reports whether the bits are in range.
func (e Element) holds(bits uint64) bool {
	if e.Float {
		f := e.format()
		for _, end := range []uint64{e.Low, e.High} {
			if end&f.NaN() > f.Inf() {
				return false
			}
		}
	}
	for _, i := range e.intervals() {
		if i.low <= bits && bits <= i.high {
			return true
		}
	}
	return false
}

// span returns by how much the greatest element is above the least, which are no floats.
func (e Element) span() uint64 {
	unused := 64 - 8*e.Bytes
	return (e.High - e.Low) << unused >> unused
}

// within is holds as a term.
func (e Element) within(b *smt.Builder, bits *smt.Term) *smt.Term {
	any, width := b.Truth(false), 8*e.Bytes
	for _, i := range e.intervals() {
		any = b.Or(any, b.And(b.Ule(b.Number(width, i.low), bits), b.Ule(bits, b.Number(width, i.high))))
	}
	return any
}

// some returns an element: zero if it is one.
func (e Element) some() uint64 {
	if e.holds(0) {
		return 0
	}
	return e.Low
}

// one returns the number one.
func (e Element) one() uint64 {
	if e.Float {
		return e.format().One()
	}
	return 1
}

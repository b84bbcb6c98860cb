package absexec

import (
	"fmt"
	"math"
	"math/bits"
)

// Box is a range of CTAs: those whose coordinates are at least Lo and less than Hi
// in every axis. Within loops that are summarised (repeat.go) it is one of iterations too.
type Box struct {
	Lo, Hi     [3]int
	Iterations [nesting]int // of the loops around, the outermost first; zero where there is no such loop
}

// The axes of a box: three of CTAs, and one for each nested loop that is summarised.
const (
	ctaAxes = 3
	nesting = 3
	Axes    = ctaAxes + nesting
)

// CTAs returns the number of CTAs of the box.
func (b Box) CTAs() int { return b.extent(0) * b.extent(1) * b.extent(2) }

// Contains reports whether a CTA lies in the box.
func (b Box) Contains(ctaid [3]int) bool {
	for i, x := range ctaid {
		if x < b.Lo[i] || x >= b.Hi[i] {
			return false
		}
	}
	return true
}

// String renders the box, for example "[0,7)x[0,1)x[0,1)".
func (b Box) String() string {
	return fmt.Sprintf("[%d,%d)x[%d,%d)x[%d,%d)", b.Lo[0], b.Hi[0], b.Lo[1], b.Hi[1], b.Lo[2], b.Hi[2])
}

func (b Box) extent(axis int) int {
	if axis < ctaAxes {
		return b.Hi[axis] - b.Lo[axis]
	}
	return max(b.Iterations[axis-ctaAxes], 1)
}

// Fixed reports whether the box has one CTA or iteration along an axis.
func (b Box) Fixed(axis int) bool { return b.extent(axis) == 1 }

// cut is a way to make two boxes of one: the second begins at steps after the
// first along the axis. The zero cut is none.
type cut struct{ axis, at int }

func (c cut) none() bool { return c.at == 0 }

// parts returns the two boxes that a cut along an axis of CTAs makes.
func (b Box) parts(c cut) (Box, Box) {
	first, second := b, b
	first.Hi[c.axis] = b.Lo[c.axis] + c.at
	second.Lo[c.axis] = first.Hi[c.axis]
	return first, second
}

// halve cuts a box in the middle, along the longest of the axes that a value
// depends on. There is one of more than one CTA.
func (b Box) halve(depends [Axes]bool) cut {
	best := cut{}
	for axis, d := range depends {
		if half := b.extent(axis) / 2; d && half > best.at {
			best = cut{axis, half}
		}
	}
	return best
}

// ramp is an integer that depends linearly on the CTA: base in the first CTA of a
// box, and step more from one CTA to the next along each axis. It is exact: the
// functions below fail rather than overflow.
type ramp struct {
	base int64
	step [Axes]int64
}

func (r ramp) depends() (d [Axes]bool) {
	for i, s := range r.step {
		d[i] = s != 0
	}
	return d
}

// span returns the least and the largest value in the box.
func (b Box) span(r ramp) (lo, hi int64, ok bool) { return b.spanFrom(r, -1, 0) }

// spanFrom returns the least and the largest value where the CTA is k steps along
// an axis; along all if the axis is negative.
func (b Box) spanFrom(r ramp, axis int, k int64) (lo, hi int64, ok bool) {
	lo, hi, ok = r.base, r.base, true
	for i, s := range r.step {
		last := int64(b.extent(i) - 1)
		if i == axis {
			last = k
		}
		d, fits := mul(s, last)
		ok = ok && fits
		var sum bool
		switch {
		case i == axis:
			lo, sum = add(lo, d)
			ok = ok && sum
			hi, sum = add(hi, d)
		case d < 0:
			lo, sum = add(lo, d)
		default:
			hi, sum = add(hi, d)
		}
		ok = ok && sum
	}
	return lo, hi, ok
}

// relation tells whether a value of the box is less than bound everywhere (-1), at
// least bound everywhere (1), or neither (0).
func (b Box) relation(r ramp, bound int64) int {
	return b.relationFrom(r, bound, -1, 0)
}

func (b Box) relationFrom(r ramp, bound int64, axis int, k int64) int {
	lo, hi, ok := b.spanFrom(r, axis, k)
	switch {
	case !ok:
		return 0
	case hi < bound:
		return -1
	case lo >= bound:
		return 1
	}
	return 0
}

// crossing returns where to cut a box in which a value is neither less than bound
// everywhere nor at least bound everywhere: where its relation changes along an axis, if
// it does, else in the middle.
func (b Box) crossing(r ramp, bound int64) cut {
	for axis := len(r.step) - 1; axis >= 0; axis-- {
		n := b.extent(axis)
		if r.step[axis] == 0 || n == 1 {
			continue
		}
		first := b.relationFrom(r, bound, axis, 0)
		lo, hi := 1, n // the first k with another relation, or n
		for lo < hi {
			if mid := lo + (hi-lo)/2; b.relationFrom(r, bound, axis, int64(mid)) != first {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		if lo < n {
			return cut{axis, lo}
		}
	}
	return b.halve(r.depends())
}

// add, sub and mul report whether the result is exact.
func add(x, y int64) (int64, bool) {
	sum := x + y
	return sum, (sum > x) == (y > 0)
}

func sub(x, y int64) (int64, bool) {
	diff := x - y
	return diff, (diff < x) == (y > 0)
}

func mul(x, y int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(x), magnitude(y))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (x < 0) != (y < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

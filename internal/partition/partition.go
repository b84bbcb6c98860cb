// Package partition finds the greatest of the bounds that hold for parts of an input space, where a bound for
// all of it at once is too great: branch and bound over boxes.
//
// partition knows of no kernels or methods and must import neither.
package partition

import (
	"errors"
	"slices"
)

// Interval is the integers from First to Last.
type Interval struct{ First, Last uint64 }

// Box is a set of points: an interval for each input. It does not change.
type Box []Interval

// Point reports whether the box is one point.
func (b Box) Point() bool {
	for _, in := range b {
		if in.First != in.Last {
			return false
		}
	}
	return true
}

// Corner returns the point with the last number of each interval.
func (b Box) Corner() Box {
	corner := make(Box, len(b))
	for i, in := range b {
		corner[i] = Interval{in.Last, in.Last}
	}
	return corner
}

// few is the number of points up to which an interval is cut into all of them at once: the bound of two numbers or three
// is seldom less than that of a few, where that of one number is. The last and the first come first, since the greatest
// bound is often that of an end.
const few = 16

// cut cuts the longest interval of a box that is no point, the first of those that are as long: of those that matter, if
// one of them can be cut. It is cut in the middle if it is the last one or has more than a few numbers.
func (b Box) cut(matters []bool) []Box {
	longest, open := 0, 0
	for i, in := range b {
		cut, length := b[longest], in.Last-in.First
		before := cut.Last - cut.First
		if length > 0 {
			open++
		}
		switch {
		case length == 0:
		case before == 0, matters[i] && !matters[longest], matters[i] == matters[longest] && length > before:
			longest = i
		}
	}
	cut := b[longest]
	if open > 1 || cut.Last-cut.First >= few {
		middle := cut.First + (cut.Last-cut.First)/2
		return []Box{b.with(longest, Interval{cut.First, middle}), b.with(longest, Interval{middle + 1, cut.Last})}
	}
	points := []Box{b.with(longest, Interval{cut.Last, cut.Last})}
	for n := cut.First; n < cut.Last; n++ {
		points = append(points, b.with(longest, Interval{n, n}))
	}
	return points
}

// with returns the box with another interval.
func (b Box) with(i int, in Interval) Box {
	other := slices.Clone(b)
	other[i] = in
	return other
}

// Part is a box with what is known of it.
type Part[T any] struct {
	Box   Box
	Bound int64 // of all points of the box
	Value T     // that goes with the bound

	asked bool // whether the bound is its own
}

// Result is what Greatest found.
type Result[T any] struct {
	Greatest Part[T]   // the part with the greatest bound, which holds for the whole
	Parts    []Part[T] // that make up the whole: each has a bound, of its own or of a box around it
	Bounded  int       // boxes for which a bound was asked, the whole included
	Limited  bool      // whether the bound could perhaps be less if more had been asked
}

// ErrLimit is returned by a bound if no more are to be asked.
var ErrLimit = errors.New("partition: limit")

// Greatest cuts a box into parts until the bound of the part with the greatest one is that of a point, or exceeds it
// by one part in tolerance at most. Inputs that do not change the bound where all others have their last number are cut
// last. A part has the bound of the box around it until it is the greatest one, and only then one of its own. bound returns
// a bound for all points of a box, which need not be less for a part. An error other than ErrLimit is that of Greatest.
//
// There is a bound at any time, so that ErrLimit costs only precision.
func Greatest[T any](whole Part[T], tolerance int64, bound func(Box) (int64, T, error)) (Result[T], error) {
	r := Result[T]{Greatest: whole, Parts: []Part[T]{whole}, Bounded: 1}
	if whole.Box.Point() {
		return r, nil
	}
	ask := func(box Box, around *Part[T]) (Part[T], error) {
		n, value, err := bound(box)
		if err != nil {
			return Part[T]{}, err
		}
		r.Bounded++
		if n > around.Bound {
			n, value = around.Bound, around.Value
		}
		return Part[T]{box, n, value, true}, nil
	}
	corner, err := ask(whole.Box.Corner(), &whole)
	matters := make([]bool, len(whole.Box))
	for i := range matters {
		if len(matters) == 1 || err != nil || corner.Bound == whole.Bound {
			break
		}
		var open Part[T]
		if open, err = ask(corner.Box.with(i, whole.Box[i]), &whole); err == nil {
			matters[i] = open.Bound != corner.Bound
		}
	}
	r.Parts[0].asked = true
	for attained := corner.Bound; err == nil; {
		at := r.greatest()
		top := r.Parts[at]
		r.Greatest = top
		switch {
		case top.Bound-attained <= attained/tolerance, top.asked && top.Box.Point():
			return r, nil
		case slices.Equal(top.Box, corner.Box):
			r.Parts[at] = corner
		case top.asked:
			r.Parts = slices.Delete(r.Parts, at, at+1)
			for _, box := range top.Box.cut(matters) {
				r.Parts = append(r.Parts, Part[T]{Box: box, Bound: top.Bound, Value: top.Value})
			}
		default:
			var own Part[T]
			if own, err = ask(top.Box, &top); err == nil {
				r.Parts[at] = own
			}
			if err == nil && own.Box.Point() {
				attained = max(attained, own.Bound)
			}
		}
	}
	if r.Limited = errors.Is(err, ErrLimit); r.Limited {
		return r, nil
	}
	return r, err
}

// greatest returns the index of the first part with the greatest bound.
func (r *Result[T]) greatest() int {
	at := 0
	for i := range r.Parts {
		if r.Parts[i].Bound > r.Parts[at].Bound {
			at = i
		}
	}
	return at
}

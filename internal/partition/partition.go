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

// halves cuts the longest interval of a box that is no point in the middle, the first of those that are as long: of
// those that matter, if one of them can be cut.
func (b Box) halves(matters []bool) [2]Box {
	longest := 0
	for i, in := range b {
		cut, length := b[longest], in.Last-in.First
		before := cut.Last - cut.First
		switch {
		case length == 0:
		case before == 0, matters[i] && !matters[longest], matters[i] == matters[longest] && length > before:
			longest = i
		}
	}
	cut := b[longest]
	middle := cut.First + (cut.Last-cut.First)/2
	return [2]Box{b.with(longest, Interval{cut.First, middle}), b.with(longest, Interval{middle + 1, cut.Last})}
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
// by one part in tolerance at most. Inputs that do not change the bound where all others have their last number are cut last. bound returns a bound for all points of a box, which need not be less for
// a part. An error other than ErrLimit is that of Greatest.
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
		return Part[T]{Box: box, Bound: n, Value: value}, nil
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
	for attained := corner.Bound; err == nil; {
		at := r.greatest()
		top := r.Parts[at]
		r.Greatest = top
		if top.Box.Point() || top.Bound-attained <= attained/tolerance {
			return r, nil
		}
		var parts []Part[T]
		for _, half := range top.Box.halves(matters) {
			var part Part[T]
			if part, err = ask(half, &top); err != nil {
				break
			}
			if half.Point() {
				attained = max(attained, part.Bound)
			}
			parts = append(parts, part)
		}
		if err == nil {
			r.Parts = append(append(r.Parts[:at:at], parts...), r.Parts[at+1:]...)
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

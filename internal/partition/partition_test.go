package partition

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// table is a function of points of a small box, and how much bounds of boxes exceed its greatest value there.
type table struct {
	box   Box
	at    func(x, y uint64) int64
	loose func(points int64) int64
}

func (t *table) greatest(b Box) (best, points int64) {
	best = -1
	for x := b[0].First; x <= b[0].Last; x++ {
		for y := b[1].First; y <= b[1].Last; y++ {
			best, points = max(best, t.at(x, y)), points+1
		}
	}
	return best, points
}

func (t *table) bound(b Box) int64 {
	best, points := t.greatest(b)
	return best + t.loose(points-1)
}

func drawTable(rt *rapid.T) *table {
	w, h := rapid.Uint64Range(1, 12).Draw(rt, "w"), rapid.Uint64Range(1, 12).Draw(rt, "h")
	x0, y0 := rapid.Uint64Range(0, 5).Draw(rt, "x0"), rapid.Uint64Range(0, 5).Draw(rt, "y0")
	values := rapid.SliceOfN(rapid.Int64Range(0, 300), int(w*h), int(w*h)).Draw(rt, "values")
	slope := rapid.Int64Range(0, 20).Draw(rt, "slope")
	return &table{
		box:   Box{{x0, x0 + w - 1}, {y0, y0 + h - 1}},
		at:    func(x, y uint64) int64 { return values[(x-x0)*h+y-y0] },
		loose: func(more int64) int64 { return slope * more },
	}
}

// The result is a bound of every point whatever the limit, and within the tolerance of the greatest value without one.
func TestGreatest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := drawTable(rt)
		limit := rapid.IntRange(0, 200).Draw(rt, "limit")
		tolerance := rapid.Int64Range(1, 1000).Draw(rt, "tolerance")
		asked := 0
		r, err := Greatest(Part[Box]{Box: f.box, Bound: f.bound(f.box), Value: f.box}, tolerance, func(b Box) (int64, Box, error) {
			if asked == limit {
				return 0, nil, ErrLimit
			}
			asked++
			return f.bound(b), b, nil
		})
		if err != nil {
			rt.Fatal(err)
		}
		best, points := f.greatest(f.box)
		if r.Bounded != asked+1 || r.Limited && asked < limit {
			rt.Fatalf("%d bounds of %d, limited %t", r.Bounded, asked, r.Limited)
		}
		if got := r.Greatest.Bound; got < best || got > f.bound(f.box) {
			rt.Fatalf("bound %d, greatest value %d, bound of the whole %d", got, best, f.bound(f.box))
		} else if !r.Limited && got > best+best/tolerance {
			rt.Fatalf("bound %d exceeds %d by more than one in %d", got, best, tolerance)
		}
		covered := int64(0)
		for _, p := range r.Parts {
			own, n := f.greatest(p.Box)
			covered += n
			if p.Bound < own || p.Bound > r.Greatest.Bound || p.Bound < f.bound(p.Box) && p.Bound < f.bound(p.Value) {
				rt.Fatalf("part %v has bound %d", p.Box, p.Bound)
			}
		}
		if covered != points {
			rt.Fatalf("parts cover %d of %d points", covered, points)
		}
	})
}

// Few bounds are needed where they grow with a number, as times do with trip counts.
func TestGreatestOfMonotone(t *testing.T) {
	bound := func(b Box) int64 { return 10*int64(b[0].Last) + 7*int64(b[0].Last-b[0].First) }
	whole := Box{{1, 1 << 20}}
	r, err := Greatest(Part[int]{Box: whole, Bound: bound(whole)}, 1000, func(b Box) (int64, int, error) { return bound(b), 0, nil })
	if err != nil || r.Limited || r.Greatest.Bound > 10*(1<<20)*1001/1000 {
		t.Fatalf("bound %d (%t), error %v", r.Greatest.Bound, r.Limited, err)
	}
	if r.Bounded > 50 {
		t.Errorf("%d bounds were asked", r.Bounded)
	}
}

// Where bounds of more than one number say nothing, the numbers are asked for, those at the ends first.
func TestGreatestOfFew(t *testing.T) {
	whole := Box{{3, 12}}
	for _, c := range []struct {
		greatest uint64 // the number with the greatest bound
		asked    []uint64
	}{
		{12, []uint64{12}},
		{3, []uint64{12, 3}},
		{5, []uint64{12, 3, 4, 5}},
		{20, []uint64{12, 3, 4, 5, 6, 7, 8, 9, 10, 11}}, // none: the bound of the whole is too great
	} {
		var asked []uint64
		bound := func(b Box) (int64, int, error) {
			asked = append(asked, b[0].First)
			if !b.Point() || b[0].First == c.greatest {
				return 100, 0, nil
			}
			return 50, 0, nil
		}
		r, err := Greatest(Part[int]{Box: whole, Bound: 100}, 100, bound)
		want := int64(100)
		if c.greatest > 12 {
			want = 50
		}
		if err != nil || !slices.Equal(asked, c.asked) || r.Greatest.Bound != want {
			t.Errorf("greatest at %d: bound %d, error %v, asked for %v", c.greatest, r.Greatest.Bound, err, asked)
		}
	}
}

func TestGreatestStops(t *testing.T) {
	whole := Part[int]{Box: Box{{0, 7}}, Bound: 100}
	broken := errors.New("broken")
	if _, err := Greatest(whole, 100, func(Box) (int64, int, error) { return 0, 0, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	var asked []Box
	// What the numbers do not change needs one bound more: the corner has the same.
	r, err := Greatest(whole, 100, func(b Box) (int64, int, error) { asked = append(asked, b); return 100, 0, nil })
	if err != nil || r.Greatest.Bound != 100 || r.Limited || len(asked) != 1 || !slices.Equal(asked[0], Box{{7, 7}}) {
		t.Errorf("%+v, error %v, asked %v", r, err, asked)
	}
	whole.Box = Box{{3, 3}}
	if r, err := Greatest(whole, 100, nil); err != nil || r.Bounded != 1 {
		t.Errorf("%+v, error %v", r, err)
	}
}

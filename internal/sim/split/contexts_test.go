package split

import (
	"slices"
	"strconv"
	"testing"
)

// lanes reads a mask of 4 work-items, of which the first is written first.
func lanes(t *testing.T, text string) uint64 {
	t.Helper()
	bits := []byte(text)
	slices.Reverse(bits)
	mask, err := strconv.ParseUint(string(bits), 2, 64)
	if err != nil {
		t.Fatal(err)
	}
	return mask
}

// checkParts compares the contexts that are in use.
func checkParts(t *testing.T, when string, c *contexts, want map[int]part) {
	t.Helper()
	for i, p := range c.parts[:c.n] {
		w, used := want[i]
		if !used {
			w = part{parent: unset}
		}
		if p.mask != w.mask || p.parent != w.parent || !slices.Equal(p.children[:p.depth], w.children[:w.depth]) {
			t.Errorf("%s: context %d has %+v, want %+v", when, i, p, w)
		}
	}
}

func children(ids ...int8) (p part) {
	p.depth = copy(p.children[:], ids)
	return p
}

// TestFig5 is the worked example of Fig. 5: a SIMD with two split SIMDs, and one wavefront
// of 4 work-items that splits twice and merges twice. The paper counts its SWFs from 1,
// which are the contexts from 0 here.
func TestFig5(t *testing.T) {
	at := func(mask string, parent int8, p part) part {
		p.mask, p.parent = lanes(t, mask), parent
		return p
	}
	var c contexts
	c.start(lanes(t, "1111"), 3)
	whole := map[int]part{0: at("1111", unset, children())}
	checkParts(t, "at the start", &c, whole)
	if got := c.partner(0); got != none {
		t.Errorf("a whole wavefront merges with %d", got)
	}

	c.keep(0, lanes(t, "1101"))
	if child := c.split(0); child != 1 {
		t.Errorf("the first split gives context %d", child)
	}
	once := map[int]part{
		0: at("1101", unset, children(1)),
		1: at("0010", 0, children()),
	}
	checkParts(t, "after the first split", &c, once)

	c.keep(0, lanes(t, "1100"))
	if child := c.split(0); child != 2 {
		t.Errorf("the second split gives context %d", child)
	}
	checkParts(t, "after the second split", &c, map[int]part{
		0: at("1100", unset, children(1, 2)),
		1: at("0010", 0, children()),
		2: at("0001", 0, children()),
	})
	if c.parts[2].scalars != c.parts[0].scalars {
		t.Errorf("scalar registers %v were not copied: %v", c.parts[0].scalars, c.parts[2].scalars)
	}
	if child := c.split(0); child != none {
		t.Errorf("a third split gives context %d of 3", child)
	}
	for i, want := range []int{2, 0, 0} {
		if got := c.partner(i); got != want {
			t.Errorf("part %d merges with %d, want %d", i, got, want)
		}
	}

	if child := c.merge(0); child != 2 {
		t.Errorf("the first merge is with %d", child)
	}
	checkParts(t, "after the first merge", &c, once)
	if child := c.merge(0); child != 1 {
		t.Errorf("the second merge is with %d", child)
	}
	checkParts(t, "after the second merge", &c, whole)
}

// TestChildrenSplit checks that a part on a split SIMD may split too, that it merges with
// its own child first, and that contexts are used again from the lowest number on.
func TestChildrenSplit(t *testing.T) {
	var c contexts
	c.start(1<<64-1, 4)
	c.keep(0, 1<<40-1)
	c.split(0)
	c.keep(1, 1<<50)
	if child := c.split(1); child != 2 || c.parts[1].mask != 1<<50 || c.parts[2].mask != (1<<64-1)&^(1<<40-1)&^(1<<50) || c.parts[2].parent != 1 {
		t.Errorf("the child splits into %+v and %d %+v", c.parts[1], child, c.parts[2])
	}
	if got := []int{c.partner(0), c.partner(1), c.partner(2)}; !slices.Equal(got, []int{1, 2, 1}) {
		t.Errorf("partners %v", got)
	}
	c.merge(1)
	if got := []int{c.partner(0), c.partner(1)}; !slices.Equal(got, []int{1, 0}) {
		t.Errorf("after the inner merge, partners %v", got)
	}
	c.keep(0, 1)
	if child := c.split(0); child != 2 {
		t.Errorf("context %d is used again", child)
	}
}

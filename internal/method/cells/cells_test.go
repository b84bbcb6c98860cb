package cells

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/absexec"
)

// draw draws a grid whose cells are the boxes of one warp.
func draw(t *rapid.T) (*Grid, []absexec.Result) {
	var size, period [3]int
	var cuts [3][]int
	for axis := range size {
		size[axis] = rapid.IntRange(1, []int{40, 12, 5}[axis]).Draw(t, "size")
		period[axis] = 1 << rapid.IntRange(0, 2-min(axis, 1)).Draw(t, "period")
		cuts[axis] = append(rapid.SliceOfN(rapid.IntRange(0, size[axis]), 0, 2).Draw(t, "cuts"), 0, size[axis])
		slices.Sort(cuts[axis])
		cuts[axis] = slices.Compact(cuts[axis])
	}
	var boxes []absexec.Result
	for z := range len(cuts[2]) - 1 {
		for y := range len(cuts[1]) - 1 {
			for x := range len(cuts[0]) - 1 {
				boxes = append(boxes, absexec.Result{Box: absexec.Box{
					Lo: [3]int{cuts[0][x], cuts[1][y], cuts[2][z]}, Hi: [3]int{cuts[0][x+1], cuts[1][y+1], cuts[2][z+1]},
				}})
			}
		}
	}
	return New(size, period, [][]absexec.Result{boxes}), boxes
}

// TestCell compares the cell of each CTA with the box that holds it.
func TestCell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, boxes := draw(t)
		of := make([]int, g.Len())
		for i, b := range boxes {
			g.In(b.Box, func(cell int) { of[cell] = i })
		}
		for index := range g.CTAs() {
			cta := g.At(index)
			cell := g.Cell(cta)
			if b := boxes[of[cell]].Box; !b.Contains(cta) || g.First(cell) != b.Lo {
				t.Fatalf("CTA %v lies in cell %d, which is %v from %v", cta, cell, b, g.First(cell))
			}
		}
	})
}

// TestWaves compares what waves hold with those that are visited one by one.
func TestWaves(t *testing.T) {
	type cta struct {
		cell    int
		residue [3]int
	}
	rapid.Check(t, func(t *rapid.T) {
		g, _ := draw(t)
		sms, slots := rapid.IntRange(1, 4).Draw(t, "sms"), rapid.IntRange(1, 3).Draw(t, "slots")
		type wave struct {
			sm   int
			ctas [3]cta
		}
		of := func(sm, first int) wave {
			w := wave{sm: sm}
			for slot := range slots {
				w.ctas[slot].cell = -1
				if index := first + slot*sms; index < g.CTAs() {
					at := g.At(index)
					w.ctas[slot].cell = g.Cell(at)
					for axis, n := range g.Period {
						w.ctas[slot].residue[axis] = at[axis] % n
					}
				}
			}
			return w
		}
		want := make(map[wave]int64)
		for first := 0; first < g.CTAs(); first += sms * slots {
			for sm := range sms {
				want[of(sm, first+sm)]++
			}
		}
		got := make(map[wave]int64)
		err := g.Waves(sms, slots, func(sm, first int, times int64) error {
			got[of(sm, first)] += times
			return nil
		})
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d kinds of waves, want %d (%v)", len(got), len(want), err)
		}
		for w, n := range want {
			if got[w] != n {
				t.Fatalf("grid %+v, %d SMs of %d: wave %v comes %d times, want %d", g, sms, slots, w, got[w], n)
			}
		}
	})
}

// TestWavesOfMany visits few waves of a grid of 2^30 CTAs.
func TestWavesOfMany(t *testing.T) {
	size := [3]int{1 << 16, 1 << 14, 1}
	whole := [][]absexec.Result{{{Box: absexec.Box{Hi: size}}}}
	visited, waves := 0, int64(0)
	err := New(size, [3]int{1, 1, 1}, whole).Waves(1, 8, func(_, _ int, times int64) error {
		visited++
		waves += times
		return nil
	})
	if err != nil || visited > 2 || waves != 1<<27 {
		t.Errorf("%d visits of %d waves (%v)", visited, waves, err)
	}
}

package llc

import (
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/absexec"
	"warpbound/internal/method/cells"
	"warpbound/internal/saturating"
)

// TestNeeds compares the sums over kinds of waves with those over one wave after the other.
func TestNeeds(t *testing.T) {
	m := fermi(t)
	rapid.Check(t, func(t *rapid.T) {
		size := [3]int{rapid.IntRange(1, 300).Draw(t, "x"), rapid.IntRange(1, 6).Draw(t, "y"), 1}
		a := &analysis{
			machine: m, tails: []saturating.Int{1, 7}, perCTA: 2,
			distribution: distribution{ctas: size[0] * size[1], sms: rapid.IntRange(1, 3).Draw(t, "sms"), slots: rapid.IntRange(1, 3).Draw(t, "slots")},
		}
		number := func(name string) saturating.Int { return saturating.Of(rapid.Int64Range(0, 9).Draw(t, name)) }
		for range a.perCTA {
			var boxes []absexec.Result
			at := rapid.IntRange(0, size[0]).Draw(t, "cut")
			for _, box := range []absexec.Box{{Hi: [3]int{at, size[1], 1}}, {Lo: [3]int{at}, Hi: size}} {
				if box.CTAs() == 0 {
					continue
				}
				p := path{
					sums: sums{
						busy: number("busy"), service: number("service"), tails: []saturating.Int{number("tails"), number("tails")},
						accesses: number("accesses").Add(9), further: number("further"), waiting: number("waiting"),
						reads: number("reads"), awaited: number("awaited"), fences: number("fences"),
					},
					turns: []saturating.Int{number("turns"), number("turns")}, partial: rapid.Bool().Draw(t, "partial"),
				}
				boxes = append(boxes, absexec.Result{Box: box, Visitor: &recorder{path: p}})
			}
			a.warps = append(a.warps, boxes)
		}
		a.findCells(cells.New(size, [3]int{1, 1, 1}, a.warps))
		for sm, got := range a.byKind() {
			l := newLatencies(m, sm)
			var want need
			for number := 0; ; number++ {
				ctas := a.distribution.wave(sm, number)
				if len(ctas) == 0 {
					break
				}
				w := a.kinds().wave(ctas)
				n := a.needOf(w, w.total.reads, &l)
				want.plus(&n, 1)
			}
			if got != want {
				t.Fatalf("SM %d needs %+v, one wave after the other %+v", sm, got, want)
			}
		}
	})
}

package cta

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warpbound/internal/method/cells"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// TestTallies distributes random grids band by band and, as the slow obvious version, CTA by
// CTA. Every class has a path of its own length, so that waves differ in time.
func TestTallies(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		g := &cells.Grid{Period: [3]int{1 << r.IntN(3), 1 << r.IntN(2), 1 << r.IntN(2)}}
		for axis := range g.Size {
			g.Size[axis] = 1 + r.IntN([]int{40, 12, 5}[axis])
			g.Cuts[axis] = []int{0, g.Size[axis]}
			for range r.IntN(3) {
				g.Cuts[axis] = append(g.Cuts[axis], r.IntN(g.Size[axis]+1))
			}
			slices.Sort(g.Cuts[axis])
			g.Cuts[axis] = slices.Compact(g.Cuts[axis])
		}
		classOf := make([]int32, g.Len()*g.Residues())
		for i := range classOf {
			classOf[i] = int32(r.IntN(4))
		}
		newA := func() *analysis {
			a := &analysis{
				costs: []cost.Instr{{Initiation: 1, Latency: 1}}, dispatch: 3, barrier: 1,
				sms: 1 + int(seed%4), slots: 1 + int(seed/4%3), cells: g, classOf: classOf, kinds: make(map[string]int),
			}
			for i := range 4 {
				p := &path{certain: true, ops: make([]op, 1+i*i), service: saturating.Of(1 + i*i)}
				a.classes = append(a.classes, class{warps: []*path{p}, certain: true, service: p.service})
			}
			return a
		}
		a := newA()
		got, err := a.tallies()
		if err != nil {
			t.Fatal(err)
		}
		b := newA()
		want := make([]tally, b.sms)
		total := g.Size[0] * g.Size[1] * g.Size[2]
		for first := 0; first < total; first += b.sms * b.slots {
			for sm := range want {
				if err := b.distribute(&want[sm], first+sm, 1); err != nil {
					t.Fatal(err)
				}
			}
		}
		for sm := range want {
			if got[sm].cycles != want[sm].cycles {
				t.Errorf("seed %d, SM %d of grid %v in cells %v: %d cycles, one by one %d", seed, sm, g.Size, g.Cuts, got[sm].cycles, want[sm].cycles)
			}
		}
	}
}

// TestNumbered compares the delays between numbered barriers with those of all paths that a
// warp may take through its segments.
func TestNumbered(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 5))
		segments := []segment{{certain: true, delay: saturating.Of(r.IntN(9))}}
		for range r.IntN(8) {
			segments = append(segments, segment{certain: r.IntN(2) == 0, delay: saturating.Of(r.IntN(9))})
		}
		got := numbered(segments)
		for choice := range 1 << len(segments) { // which barriers that may be passed by are
			at, delay := 0, segments[0].delay
			for k, s := range segments[1:] {
				if s.certain || choice>>k&1 == 0 {
					if got[at] < delay {
						t.Fatalf("seed %d: segments %v, from barrier %d a delay of %d: got %v", seed, segments, at, delay, got)
					}
					at, delay = at+1, 0
				}
				delay = delay.Add(s.delay)
			}
			if got[at] < delay {
				t.Fatalf("seed %d: segments %v, from barrier %d a delay of %d: got %v", seed, segments, at, delay, got)
			}
		}
		if certain := !slices.ContainsFunc(segments, func(s segment) bool { return !s.certain }); certain {
			for i, s := range segments {
				if got[i] != s.delay {
					t.Errorf("seed %d: segments %v are certain: got %v", seed, segments, got)
				}
			}
		}
	}
}

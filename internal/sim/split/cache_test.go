package split

import (
	"testing"

	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/simtest"
)

// TestL1 loads the four lines of a wavefront, which come to the L1 at 24 and are there at 186, and something after that. A hit has
// 100 cycles.
func TestL1(t *testing.T) {
	const load = "ld.global.u32 %r1, [%rd1];"
	for _, c := range []struct {
		name, body   string
		sets, ways   int64
		want         []int64
		hits, misses int64
	}{
		{"again", load + "ld.global.u32 %r2, [%rd1];", 64, 4, []int64{186, 290, 294}, 4, 4},
		{"room for them alone", load + load, 1, 4, []int64{186, 290, 294}, 4, 4},
		// The last three are there when the load comes.
		{"no room", load + load, 1, 3, []int64{186, 340, 344}, 3, 5},
		{"one line", load + "ld.global.u32 %r1, [%buf+192];", 1, 1, []int64{186, 290, 294}, 1, 4},
		{"gone", load + "ld.global.u32 %r1, [%buf];", 1, 1, []int64{186, 340, 344}, 0, 5},
		{"sets", load + "ld.global.u32 %r1, [%buf+128];", 2, 2, []int64{186, 290, 294}, 1, 4},
		// Two lines are there, and the other two are served at 190 and 194.
		{"partly", load + "ld.global.u32 %r1, [%rd1+128];", 64, 4, []int64{186, 344, 348}, 2, 6},
		{"any space", load + "ld.u32 %r1, [%rd1];", 64, 4, []int64{186, 290, 294}, 4, 4},
		{"volatile", load + "ld.volatile.global.u32 %r1, [%rd1];", 64, 4, []int64{186, 352, 356}, 0, 4},
		{"no lane", load + "setp.lt.u32 %p1, %t, 0; @%p1 ld.global.u32 %r1, [%rd1];", 64, 4, []int64{186, 190, 194, 198}, 0, 4},
		{"behind a store", "st.global.u32 [%rd1], %t;" + load, 64, 4, []int64{40, 206, 210}, 0, 4},
		{"a store between", load + "st.global.u32 [%rd1], %t;" + load, 64, 4, []int64{186, 206, 310, 352}, 4, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := gcn3(t, machine.SplitNone, 0)
			cached(m, c.sets, c.ways, 100)
			o := checkSolo(t, m, address+c.body+"ret;", append([]int64{0, 16, 20}, c.want...)...)
			if got := o.Counters; got.L1Hits != c.hits || got.L1Misses != c.misses || got.L1Merged != 0 {
				t.Errorf("%d hits, %d misses and %d of lines under way", got.L1Hits, got.L1Misses, got.L1Merged)
			}
		})
	}
}

// TestUnderWay has the wavefront of another SIMD ask for the same line 4 cycles later: it waits until that is there, or for a hit if
// that is later.
func TestUnderWay(t *testing.T) {
	for _, hit := range []int64{10, 150} {
		m := gcn3(t, machine.SplitNone, 0)
		cached(m, 1, 1, hit)
		cfg := simtest.Config(m, compile(t, "ld.global.u32 %r1, [%buf]; ld.global.u32 %r2, [%buf]; ret;"))
		cfg.Chain = true
		o := simtest.Observe(t, simtest.Make(t, create, cfg), launch(t, 1, 128))
		simtest.Tiles(t, o.Result)
		for warp := range 2 {
			at := o.Issues(0, warp, prologue)
			want := max(150-4*int64(warp), hit)
			if first, again := at[1]-at[0], at[2]-at[1]; first != 4+want || again != 4+hit {
				t.Errorf("wavefront %d: a load takes %d cycles and then %d", warp, first, again)
			}
		}
		if got := o.Counters; got.L1Misses != 1 || got.L1Merged != 1 || got.L1Hits != 2 {
			t.Errorf("counted %+v", got)
		}
	}
}

// TestColdL1: no launch finds lines of the one before.
func TestColdL1(t *testing.T) {
	m := gcn3(t, machine.SplitNone, 0)
	cached(m, 64, 4, 100)
	cfg := simtest.Config(m, compile(t, address+"ld.global.u32 %r1, [%rd1]; ret;"))
	simtest.SameStorage(t, create, cfg, func(ctas, threads int) simtest.Prepare { return launch(t, ctas, threads) })
	s := newSim(t, m, cfg.Code)
	var before sim.Counters
	for run := range 2 {
		o := simtest.Observe(t, s, launch(t, 1, 64))
		if run > 0 && o.Counters != before || o.Counters.L1Misses != 4 {
			t.Errorf("run %d: %+v", run, o.Counters)
		}
		before = o.Counters
	}
}

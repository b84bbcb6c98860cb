package split

import (
	"slices"
	"strings"
	"testing"

	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/simtest"
	"warpbound/internal/trace"
)

// The expected cycles are worked out by hand from the rules of docs/machine-model/split.md. On
// gcn3-split a pass has 4 cycles, an address one pass, a branch a latency of 8; memory has 150 for
// 64 bytes and takes the next 64 after 4; e_s is 8 and e_m 4.

// address makes %rd1 the address of an element for each thread, in 20 cycles: a multiplication
// of four passes and an addition.
const address = "mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %buf, %rd1;"

func TestOneWavefront(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []int64
	}{
		{"passes", "add.u32 %r1, %t, 1; mul.lo.u32 %r2, %r1, %r1; add.u32 %r3, %r2, 1; ret;", []int64{0, 4, 20, 24, 28}},
		{"branch", "setp.ge.u32 %p1, %t, 0; @%p1 bra l; l: add.u32 %r1, %t, 1; ret;", []int64{0, 4, 12, 16, 20}},
		// Four requests enter the memory at 24, 28, 32 and 36.
		{"load", address + "ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; ret;", []int64{0, 16, 20, 186, 190, 194}},
		{"store", address + "st.global.u32 [%rd1], %t; add.u32 %r1, %t, 1; ret;", []int64{0, 16, 20, 40, 44, 186}},
		{"fence", address + "st.global.u32 [%rd1], %t; membar.gl; ret;", []int64{0, 16, 20, 40, 186, 190}},
		{"no lane", "setp.lt.u32 %p1, %t, 0; @%p1 ld.global.u32 %r1, [%buf]; add.u32 %r2, %t, 1; ret;", []int64{0, 4, 8, 12, 16}},
		{"barrier", "bar.sync 0; add.u32 %r2, %t, 1; ret;", []int64{0, 4, 8, 12}},
		{"serial", "setp.lt.u32 %p1, %t, 32; @%p1 bra l; add.u32 %r1, %t, 1; l: ret;", []int64{0, 4, 12, 16, 20}},
	} {
		t.Run(c.name, func(t *testing.T) { checkSolo(t, gcn3(t, machine.SplitNone, 3), c.body, c.want...) })
	}
}

// TestAddressPasses has three passes for an address.
func TestAddressPasses(t *testing.T) {
	m := gcn3(t, machine.SplitNone, 0)
	m.Split.Address.Value = 12
	checkSolo(t, m, address+"ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; ret;", 0, 16, 20, 194, 198, 202)
}

// ifElse is an if-else whose paths are of different lengths.
const ifElse = `
	add.u32 %r1, %t, 1;
	add.u32 %r2, %r1, 1;
	bra done;
taken:
	add.u32 %r1, %t, 3;
done:
	ret;`

// TestPredictableSplit splits at an if-else: at 4, and both paths are ready when the branch at 16
// is over, at 24. The one on the split SIMD is at the merge at 40, and that takes 8.
func TestPredictableSplit(t *testing.T) {
	body := `setp.lt.u32 %p1, %t, 32; .pragma "split"; @%p1 bra taken;` + ifElse
	o := checkSolo(t, gcn3(t, machine.PWS, 1), body, 0, 4, 16, 24, 24, 28, 32, 40, 48, 52)
	simd, spare := o.Schedulers[0][0], o.Schedulers[0][1]
	if spare.Issued != 3 || spare.Stalls[sim.StallUnit] != 9 || spare.Stalls[sim.StallBranch] != 8 {
		t.Errorf("the split SIMD has %+v", spare)
	}
	// From 4 to 16 the split SIMD waits for the split, and from 36 to 40 for the merge; the SIMD
	// splits from 8 to 16, waits from 28 to 40 and merges from 44 to 48.
	if simd.Stalls[sim.StallSplit] != 8+12+4 || spare.Stalls[sim.StallSplit] != 12+4 {
		t.Errorf("splits cost %d cycles of the SIMD and %d of the split SIMD", simd.Stalls[sim.StallSplit], spare.Stalls[sim.StallSplit])
	}
}

// TestIdleSIMDs has two parts execute beside each other as with split SIMDs, on the SIMD of the wavefront and on another one: both
// are ready at 24, when the split is over, one is where they merge at 28 and the other at 40, and that takes 8. One SIMD is busy with the
// first wavefront of a CTA of two.
func TestIdleSIMDs(t *testing.T) {
	m := gcn3(t, machine.DWSIdle, 1)
	body := `setp.lt.u32 %p1, %t, 32; @%p1 bra taken;` + ifElse
	o := checkSolo(t, m, body, 0, 4, 24, 24, 28, 32, 48, 52)
	if own, other := o.Schedulers[0][0], o.Schedulers[0][1]; other.Issued != 3 || own.Stalls[sim.StallSplit] == 0 {
		t.Errorf("SIMDs of the wavefront and of the part: %+v, %+v", own, other)
	}
	m.SM.Schedulers.Value = 1 // none is idle: as mode dws
	checkSolo(t, m, body, 0, 4, 24, 28, 32, 36, 52, 56)
}

// TestUniformSplit splits where all lanes go one way: the other part has none.
func TestUniformSplit(t *testing.T) {
	body := `setp.ge.u32 %p1, %t, 0; .pragma "split"; @%p1 bra taken;` + ifElse
	o := checkSolo(t, gcn3(t, machine.PWS, 1), body, 0, 4, 16, 24, 28, 36, 40)
	if o.Counters.Splits != 1 || o.Counters.DivergentBranches != 0 {
		t.Errorf("counted %+v", o.Counters)
	}
	body = `setp.lt.u32 %p1, %t, 0; .pragma "split"; @%p1 bra taken;` + ifElse
	checkSolo(t, gcn3(t, machine.PWS, 1), body, 0, 4, 16, 24, 28, 32, 40, 48, 52)
}

// TestDynamicSplit splits by itself after the branch, which is over at 12, with a pass and e_s.
// From 24 on the parts take turns on their SIMD, the new one first. The merge is from 44 to 52.
func TestDynamicSplit(t *testing.T) {
	body := `setp.lt.u32 %p1, %t, 32; @%p1 bra taken;` + ifElse
	o := checkSolo(t, gcn3(t, machine.DWS, 1), body, 0, 4, 24, 28, 32, 36, 52, 56)
	if o.Counters.Splits != 1 || len(o.Schedulers[0]) != 4 {
		t.Errorf("%d splits, %d ports", o.Counters.Splits, len(o.Schedulers[0]))
	}
	// Without a context for it the paths execute one after the other.
	checkSolo(t, gcn3(t, machine.DWS, 0), body, 0, 4, 12, 16, 20, 28, 32, 36)
}

// TestMergeWaitsForMemory has a load in each part, of 32 lanes: two requests.
func TestMergeWaitsForMemory(t *testing.T) {
	body := address + `setp.lt.u32 %p1, %t, 32; .pragma "split"; @%p1 bra taken;
		ld.global.u32 %r1, [%rd1];
		bra done;
	taken:
		ld.global.u32 %r1, [%rd1];
	done:
		ret;`
	// Both enter the queue at 48, that of the SIMD first: it is served from 48 and ready at 202,
	// the other from 56, ready at 210 for its branch, which is over at 218.
	checkSolo(t, gcn3(t, machine.PWS, 1), body, 0, 16, 20, 24, 36, 44, 44, 210, 218, 226, 230)
}

// TestPostedAccessesOfParts has a store before a split and a fence in each part, and a store in a
// part before a merge and a fence behind it.
func TestPostedAccessesOfParts(t *testing.T) {
	// The store is served at 186, long after the split is over at 64.
	checkSolo(t, gcn3(t, machine.PWS, 1), address+`st.global.u32 [%rd1], %t;
		setp.lt.u32 %p1, %t, 32; .pragma "split"; @%p1 bra taken;
		membar.gl;
		bra done;
	taken:
		membar.gl;
	done:
		ret;`, 0, 16, 20, 40, 44, 56, 64, 64, 186, 194, 202, 206)
	// That of the new part enters the queue at 48 with two requests, and is served at 202. The
	// merge begins when the branch is over that follows at 56.
	checkSolo(t, gcn3(t, machine.PWS, 1), address+`setp.lt.u32 %p1, %t, 32; .pragma "split"; @%p1 bra taken;
		st.global.u32 [%rd1], %t;
		bra done;
	taken:
		add.u32 %r1, %t, 1;
	done:
		membar.gl;
		ret;`, 0, 16, 20, 24, 36, 44, 44, 56, 64, 72, 202, 206)
}

// TestPathElsewhere has a path that does not begin behind the branch: the lanes that fall through
// are where the branch reconverges, and stay.
func TestPathElsewhere(t *testing.T) {
	code := compile(t, `setp.lt.u32 %p1, %t, 16; .pragma "split"; @%p1 bra taken;
	done:
		ret;
	taken:
		add.u32 %r1, %t, 1;
		bra done;`)
	o := compare(t, simtest.Config(gcn3(t, machine.PWS, 1), code), launch(t, 1, 64))
	if got := o.Schedulers[0][1].Issued; got != 2 {
		t.Errorf("the split SIMD has issued %d instructions", got)
	}
}

// TestRoundRobin has two wavefronts on SIMD 0 and one on each of the others. From the barrier
// on the two take turns for their passes.
func TestRoundRobin(t *testing.T) {
	code := compile(t, "bar.sync 0; mul.lo.u32 %r1, %t, %t; add.u32 %r1, %r1, 1; ret;")
	o := simtest.Observe(t, newSim(t, gcn3(t, machine.SplitNone, 0), code), launch(t, 1, 5*64))
	from := o.At(0, 0, prologue+1)
	for warp, want := range [][]int64{{0, 32, 40}, {0, 16, 20}, {0, 16, 20}, {0, 16, 20}, {4, 36, 44}} {
		at := o.Issues(0, warp, prologue+1)
		for i := range at {
			at[i] -= from
		}
		if !slices.Equal(at, want) {
			t.Errorf("wavefront %d issues at %v, want %v", warp, at, want)
		}
	}
}

// TestMemoryQueue has one wavefront on each SIMD, which load at the same time: the memory takes
// 16 cycles for each, in the order of the ports.
func TestMemoryQueue(t *testing.T) {
	code := compile(t, address+"bar.sync 0; ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; ret;")
	for _, mode := range []machine.SplitMode{machine.SplitNone, machine.PWS} {
		o := simtest.Observe(t, newSim(t, gcn3(t, mode, 2), code), launch(t, 1, 4*64))
		from := o.At(0, 0, prologue+3)
		for warp := range 4 {
			if got, want := o.At(0, warp, prologue+4)-from, int64(166+16*warp); got != want {
				t.Errorf("%s: wavefront %d has its data at %d, want %d", mode, warp, got, want)
			}
		}
	}
}

// TestDispatch has one slot, or two, for CTAs: each but the first ones begins when a slot is free,
// and its wavefront is ready 8 cycles after that. The prologue takes 28 cycles, the end 4.
func TestDispatch(t *testing.T) {
	m := gcn3(t, machine.SplitNone, 0)
	m.SM.Count.Value = 2
	code := compile(t, "setp.eq.u32 %p1, %c, 0; @%p1 mul.lo.u32 %r1, %t, %t; ret;")
	begins := func(slots int64) []int64 {
		m.SM.CTAs.Value = slots
		o := simtest.Observe(t, newSim(t, m, code), launch(t, 7, 64))
		at := make([]int64, 7)
		for i := range at {
			at[i] = o.At(i, 0, trace.Start)
		}
		return at
	}
	const one = 8 + 28 + 4 + 16 + 4
	if got, want := begins(1), []int64{0, 0, one, one, 2 * one, 2 * one, 3 * one}; !slices.Equal(got, want) {
		t.Errorf("with one slot CTAs begin at %v, want %v", got, want)
	}
	// With two, the memory of a CU serves the parameters of the second 4 cycles after the first.
	if got, want := begins(2), []int64{0, 0, 0, 0, one, one, one + 4}; !slices.Equal(got, want) {
		t.Errorf("with two slots CTAs begin at %v, want %v", got, want)
	}
}

// TestSlotsFreedTogether: of two slots that get free in one cycle the lower one takes the CTA
// that is next, on SIMD 0, and its additions are executed there.
func TestSlotsFreedTogether(t *testing.T) {
	m := gcn3(t, machine.SplitNone, 0)
	m.SM.CTAs.Value = 2
	code := compile(t, "setp.ne.u32 %p1, %c, 0; @%p1 bra l; add.u32 %r1, %t, 1; l: setp.lt.u32 %p1, %c, 8; @%p1 exit; setp.gt.u32 %p1, %c, 8; @%p1 exit;"+strings.Repeat("add.u32 %r1, %t, 1;", 10)+"ret;")
	o := simtest.Observe(t, newSim(t, m, code), launch(t, 13, 64))
	if first, second := o.Schedulers[0][0].Issued, o.Schedulers[0][1].Issued; first < second+10 {
		t.Errorf("%d instructions on SIMD 0, %d on SIMD 1", first, second)
	}
}

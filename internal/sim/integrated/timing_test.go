package integrated

import (
	"slices"
	"testing"

	"warpbound/internal/sim"
	"warpbound/internal/trace"
)

// stride makes the address of the lane's own line in %rd1, in 8 cycles.
const stride = "mul.wide.u32 %rd1, %t, 128; add.u64 %rd1, %rd1, %buf;"

// TestLevels measures accesses that hit and miss. Core 0 has a slot in every 16th cycle and a
// turn at the DRAM in every 64th.
func TestLevels(t *testing.T) {
	// The miss leaves the L1 at 42 + 35 = 77, is sent at 80, looked up at 88, and could go to
	// the DRAM at 112. Its turn is 128, the bank opens a row: 232. The answer has its slot at
	// 240 and is there at 248. The hit takes 35.
	o := checkSolo(t, fermi(t), "ld.global.u32 %r1, [%buf]; ld.global.u32 %r2, [%buf+4]; ret;", 42, 248, 283, 284)
	if c := o.Cores[0]; c.L1Hits != 1 || c.L1Misses != 1 || c.Misses != 1 || c.Hits != 0 || o.Counters.RowMisses != 1 {
		t.Errorf("counted %+v and %+v", c, o.Counters)
	}
	// The next line of the same row: leaves at 318, sent at 320, looked up at 328, turn at
	// 384 instead of 352, read at 424, slot at 432.
	o = checkSolo(t, fermi(t), "ld.global.u32 %r1, [%buf]; ld.global.u32 %r2, [%buf]; ld.global.u32 %r3, [%buf+128]; ret;", 42, 248, 283, 440, 441)
	if o.Counters.RowHits != 1 {
		t.Errorf("%d rows were open", o.Counters.RowHits)
	}
	// An atomic operation takes the line out of the L1 and hits the shared cache: leaves at
	// 283, sent at 288, looked up at 296, ready at 320 + 31 * 9 = 599, slot at 608. The load
	// after it hits too: leaves at 651, sent at 656, looked up at 664, ready at 688, a slot.
	o = checkSolo(t, fermi(t), "ld.global.u32 %r1, [%buf]; atom.global.add.u32 %r2, [%buf], 1; ld.global.u32 %r3, [%buf]; ret;", 42, 248, 616, 696, 697)
	if c := o.Cores[0]; c.L1Misses != 2 || c.Misses != 1 || c.Hits != 2 || c.Joined != 0 {
		t.Errorf("counted %+v", c)
	}
	// By a generic address in local memory each lane is on one of its own: leaves at 85, is sent
	// at 96, looked up at 104, read from 128 to 232, there at 248.
	checkSolo(t, fermi(t), "mov.u64 %rd1, frame; cvta.local.u64 %rd1, %rd1; atom.add.u32 %r1, [%rd1], 1; ret;", 42, 46, 50, 248, 249)
	// A volatile load passes by the L1, which keeps the line.
	o = checkSolo(t, fermi(t), "ld.global.u32 %r1, [%buf]; ld.volatile.global.u32 %r2, [%buf]; ld.global.u32 %r3, [%buf]; ret;", 42, 248, 328, 363, 364)
	if c := o.Cores[0]; c.L1Misses != 1 || c.L1Hits != 1 || c.Hits != 1 {
		t.Errorf("counted %+v", c)
	}
}

// TestLines: a load of 32 lines holds the port for 32 cycles; its accesses are sent 16 cycles
// apart and read 64 apart. Regulated with a quota of 2, they go in pairs.
func TestLines(t *testing.T) {
	// The first leaves at 50 + 35 = 85, is sent at 96 and looked up at 104; its turn is 128,
	// the row is open at 192. Read n is over at 168 + 64 n then, the last at 2152: slot 2160.
	o := checkSolo(t, regulated(t, false, 2), stride+"ld.global.u32 %r1, [%rd1]; mov.u32 %r2, 1; ret;", 42, 46, 50, 2168, 2172, 2173)
	if o.Schedulers[0][0].Stalls[sim.StallLSU] != 31 || o.Intervals != 0 || o.Cores[0].Throttled != 0 {
		t.Errorf("stalls %v, %d intervals, %+v", o.Schedulers[0][0].Stalls, o.Intervals, o.Cores[0])
	}
	for n, a := range o.accesses {
		if want := (sim.LLCAccess{Core: 0, Number: int64(n), Line: o.accesses[0].Line + uint64(n), Cycle: 104 + 16*int64(n)}); a != want {
			t.Errorf("access %d is %+v, want %+v", n, a, want)
		}
	}
}

// TestIntervals follows five accesses with a quota of 2.
func TestIntervals(t *testing.T) {
	// Access 0 leaves at 54 + 35 = 89, access 1 at 90. They are sent at 96 and 112 and looked up
	// at 104 and 120; turns at 128 and 192, read at 232 both. Slots at 240 and 256, there at 264.
	// Interval 1 begins at 268. Access 2 is sent at 272 instead of 128, access 3 at 288;
	// looked up at 280 and 296; turns at 320 (ready at 304) and 384 (320); read at 360 and
	// 424; there at 376 and 440. Interval 2 begins at 444, and access 4 is sent at 448
	// instead of 304: looked up at 456, turn at 512 (480), read at 552, there at 568.
	o := checkSolo(t, regulated(t, true, 2), "setp.lt.u32 %p1, %t, 5;"+stride+"@%p1 ld.global.u32 %r1, [%rd1]; ret;", 42, 46, 50, 54, 568, 569)
	var intervals, cycles []int64
	for _, a := range o.accesses {
		intervals, cycles = append(intervals, a.Interval), append(cycles, a.Cycle)
	}
	if !slices.Equal(intervals, []int64{0, 0, 1, 1, 2}) || !slices.Equal(cycles, []int64{104, 120, 280, 296, 456}) {
		t.Errorf("intervals %v, looked up at %v", intervals, cycles)
	}
	if got, want := o.Cores[0].Throttled, int64(272-128+448-304); got != want || o.Intervals != 3 {
		t.Errorf("throttled for %d cycles, want %d; %d intervals", got, want, o.Intervals)
	}
}

// TestPosted: stores hold a warp only at fences and at its end.
func TestPosted(t *testing.T) {
	// As the loads of TestLevels: there at 248.
	o := checkSolo(t, fermi(t), "st.global.u32 [%buf], %t; mov.u32 %r1, 1; ret;", 42, 43, 47, 248)
	if c := o.Cores[0]; c.Misses != 1 || c.L1Misses != 0 || o.Counters.DRAMReads != 1 {
		t.Errorf("counted %+v", c)
	}
	checkSolo(t, fermi(t), "st.global.u32 [%buf], %t; membar.gl; mov.u32 %r1, 1; ret;", 42, 43, 248, 252, 253)
	checkSolo(t, fermi(t), "st.shared.u32 [sh], %t; membar.gl; mov.u32 %r1, 1; ret;", 42, 43, 75, 79, 80)
	checkSolo(t, fermi(t), "st.shared.u32 [sh], %t; ret;", 42, 43, 68)
	// Not even then to an SM that has no credit left.
	m := fermi(t)
	m.Interconnect.Credits.Value = 1
	checkSolo(t, m, "st.global.u32 [%buf], %t; mov.u32 %r1, 1; ret;", 42, 248, 252, 253)
	// A store makes a line of the L1 the one used last. Lines of one set are 16 KiB apart.
	o = run(t, fermi(t), `
		ld.global.u32 %r1, [%buf]; ld.global.u32 %r1, [%buf+16384]; ld.global.u32 %r1, [%buf+32768]; ld.global.u32 %r1, [%buf+49152];
		st.global.u32 [%buf], %t; membar.gl; ld.global.u32 %r1, [%buf+65536]; membar.gl; ld.global.u32 %r1, [%buf]; ret;`, 1, 32)
	if c := o.Cores[0]; c.L1Hits != 1 || c.L1Misses != 5 {
		t.Errorf("counted %+v", c)
	}
}

// TestJoin: an access to a line that another core is fetching reads it too, or finds it there.
func TestJoin(t *testing.T) {
	// SM 1 begins when SM 0 does, with slots and turns of its own: sent at 81, looked up at
	// 89, turn at 132, when the line is on its way and its row will be open at 192: read at
	// 232, slot at 241, there at 249.
	o := run(t, fermi(t), "ld.global.u32 %r1, [%buf]; ret;", 2, 32)
	if got := o.Issues(0, 0, prologue+1)[0]; got != 248 {
		t.Errorf("SM 0 goes on at %d", got)
	}
	if got := o.Issues(1, 0, prologue+1)[0]; got != 249 {
		t.Errorf("SM 1 goes on at %d", got)
	}
	if c := o.Cores[1]; c.Hits != 1 || c.Joined != 1 || o.Counters.DRAMReads != 2 {
		t.Errorf("counted %+v", c)
	}
	// If SM 1 loads at 50 + 29 * 4 = 166, the access leaves at 201, is sent at 209 and looked up
	// at 217, while the line is on its way. At its turn, 260, it is there, since 232. The
	// answer has its slot at 273 and is there at 281.
	wait := "setp.eq.u32 %p1, %c, 0; @%p1 bra load;"
	for range 29 {
		wait += "mov.u32 %r2, 1;"
	}
	o = run(t, fermi(t), wait+"load: ld.global.u32 %r1, [%buf]; ret;", 2, 32)
	at := o.Issues(1, 0, prologue)
	if load, next := at[len(at)-2], at[len(at)-1]; load != 166 || next != 281 {
		t.Errorf("SM 1 loads at %d and goes on at %d", load, next)
	}
	if c := o.Cores[1]; c.Hits != 1 || c.Joined != 1 || o.Counters.DRAMReads != 1 {
		t.Errorf("counted %+v, %d reads", c, o.Counters.DRAMReads)
	}
}

// TestStrictRoundRobin: a warp that waits holds up the others; one that has exited does not.
func TestStrictRoundRobin(t *testing.T) {
	o := run(t, fermi(t), `
		setp.lt.u32 %p1, %t, 32;
		@%p1 ld.global.u32 %r1, [%buf];
		setp.ge.u32 %p2, %t, 64;
		@%p2 ret;
		mov.u32 %r2, 1;
		ret;`, 1, 96)
	order := ""
	for _, r := range o.Trace.Records {
		if r.Ipoint >= prologue {
			order += string('0' + rune(r.Warp))
		}
	}
	if want := "012" + "012" + "012" + "012" + "01" + "01"; order != want {
		t.Errorf("the warps issue in the order %s, want %s", order, want)
	}
}

// TestBarrier: a warp at a barrier is passed over, and all go on 4 cycles after the last.
func TestBarrier(t *testing.T) {
	o := run(t, fermi(t), `
		setp.lt.u32 %p1, %t, 32;
		@%p1 bra wait;
		ld.global.u32 %r1, [%buf];
	wait:
		bar.sync 0;
		ret;`, 1, 64)
	first, second := o.Issues(0, 0, prologue), o.Issues(0, 1, prologue)
	last := second[3]
	if got := first[3]; got != last+4 {
		t.Errorf("warp 0 goes on at %d, the last arrival is at %d", got, last)
	}
	if got := second[4]; got != last+5 {
		t.Errorf("warp 1 goes on at %d, after warp 0", got)
	}
}

// TestWaves distributes 11 CTAs to 2 SMs of 2 CTAs.
func TestWaves(t *testing.T) {
	m := fermi(t)
	m.SM.Count.Value, m.SM.CTAs.Value = 2, 2
	o := run(t, m, "ld.global.u32 %r1, [%buf]; ret;", 11, 32)
	for cta := range 11 {
		begins := int64(0)
		if wave := cta / 4; wave > 0 {
			for before := range 2 {
				begins = max(begins, o.At(4*(wave-1)+cta%2+2*before, 0, trace.Exit))
			}
		}
		if got := o.At(cta, 0, trace.Start); got != begins {
			t.Errorf("CTA %d is dispatched at %d, the wave before ends at %d", cta, got, begins)
		}
	}
	for _, r := range o.Trace.Records {
		if int(r.SM) != int(r.CTA)%2 {
			t.Fatalf("CTA %d is on SM %d", r.CTA, r.SM)
		}
	}
}

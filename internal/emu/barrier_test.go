package emu

import "testing"

func TestBarrier(t *testing.T) {
	for _, c := range []struct {
		name string
		scenario
		want func(tid int) uint32
	}{
		{"exchange", scenario{vars: ".shared .align 4 .b8 s[256];", body: `
mov.u64 %rd2, s; mad.wide.u32 %rd3, %r0, 4, %rd2;
st.shared.u32 [%rd3], %r0;
bar.sync 0;
sub.u32 %r1, 63, %r0; mad.wide.u32 %rd3, %r1, 4, %rd2;
ld.shared.u32 %r2, [%rd3];
st.global.u32 [%rd1], %r2; ret;`}, func(tid int) uint32 { return uint32(63 - tid) }},

		{"the second warp exits and counts no more", scenario{body: `
setp.ge.u32 %p0, %r0, 32; @%p0 exit;
bar.sync 3; bar.sync 3;
st.global.u32 [%rd1], 7; ret;`}, func(tid int) uint32 {
			if tid < 32 {
				return 7
			}
			return 0
		}},

		{"lanes that exited are not awaited", scenario{body: `
and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 1; @%p0 exit;
bar.sync 0;
st.global.u32 [%rd1], 5; ret;`}, func(tid int) uint32 { return uint32(5 * (1 - tid%2)) }},

		{"a guard that holds nowhere arrives nowhere", scenario{body: `
setp.ge.u32 %p0, %r0, 32; @%p0 bar.sync 1, 32;
st.global.u32 [%rd1], 5; ret;`}, func(tid int) uint32 { return 5 }},

		{"producer and consumer", scenario{vars: ".shared .align 4 .b8 s[128];", body: `
mov.u64 %rd2, s; and.b32 %r1, %r0, 31; mad.wide.u32 %rd3, %r1, 4, %rd2;
setp.ge.u32 %p0, %r0, 32; @%p0 bra consume;
st.shared.u32 [%rd3], %r0;
bar.arrive 2, 64;
ret;
consume: bar.sync 2, 64;
ld.shared.u32 %r2, [%rd3];
st.global.u32 [%rd1], %r2; ret;`}, func(tid int) uint32 {
			if tid < 32 {
				return 0
			}
			return uint32(tid - 32)
		}},

		{"reductions", scenario{block: 48, body: `
and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 1; setp.lt.u32 %p1, %r0, 48; setp.ge.u32 %p2, %r0, 48;
bar.red.popc.u32 %r2, 0, %p0;
bar.red.and.pred %p3, 0, %p0; bar.red.and.pred %p4, 1, %p1;
bar.red.or.pred %p5, 0, %p0; bar.red.or.pred %p6, 0, 64, !%p1;
selp.u32 %r3, 100, 0, %p3; add.u32 %r2, %r2, %r3;
selp.u32 %r3, 1000, 0, %p4; add.u32 %r2, %r2, %r3;
selp.u32 %r3, 10000, 0, %p5; add.u32 %r2, %r2, %r3;
selp.u32 %r3, 100000, 0, %p6; add.u32 %r2, %r2, %r3;
st.global.u32 [%rd1], %r2; ret;`}, func(int) uint32 { return 11024 }},

		{"all spellings", scenario{body: `
setp.lt.u32 %p1, %r0, 10;
barrier.sync 0; barrier.cta.sync.aligned 1, 64; bar.cta.sync 2; barrier.arrive 3, 128; barrier.cta.sync 3, 128;
barrier.red.popc.aligned.u32 %r2, 0, %p1; barrier.cta.red.popc.u32 %r3, 1, 64, !%p1;
barrier.red.and.pred %p2, 0, %p1; bar.cta.red.or.pred %p3, 0, 64, %p1;
mad.lo.u32 %r2, %r2, 100, %r3; selp.u32 %r4, 10000, 0, %p2; selp.u32 %r5, 20000, 0, %p3;
add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5;
st.global.u32 [%rd1], %r2; ret;`}, func(int) uint32 { return 21054 }},

		{"cluster", scenario{vars: ".shared .align 4 .b8 s[256];", body: `
mov.u64 %rd2, s; mad.wide.u32 %rd3, %r0, 4, %rd2; mov.u32 %r5, 0; mov.u32 %r6, 0;
again: add.u32 %r1, %r0, %r6; st.shared.u32 [%rd3], %r1;
barrier.cluster.arrive.release.aligned;
sub.u32 %r1, 63, %r0; mad.wide.u32 %rd4, %r1, 4, %rd2;
barrier.cluster.wait.acquire.aligned;
ld.shared.u32 %r2, [%rd4]; add.u32 %r5, %r5, %r2;
barrier.cluster.arrive; barrier.cluster.wait;
add.u32 %r6, %r6, 1; setp.lt.u32 %p0, %r6, 3; @%p0 bra again;
st.global.u32 [%rd1], %r5; ret;`}, func(tid int) uint32 { return uint32(3*(63-tid) + 3) }},

		{"a warp that exits is not awaited in a cluster", scenario{body: `
setp.ge.u32 %p0, %r0, 32; @%p0 exit;
barrier.cluster.arrive.relaxed; barrier.cluster.wait;
st.global.u32 [%rd1], 7; ret;`}, func(tid int) uint32 { return uint32(7 * (1 - tid/32)) }},
	} {
		t.Run(c.name, func(t *testing.T) { c.expect(t, c.want) })
	}
}

// TestEarlyExits runs kernels of which some threads end in every way that compilers and
// people write before the others wait at a barrier.
func TestEarlyExits(t *testing.T) {
	const before = `
and.b32 %r1, %r0, 3; setp.eq.u32 %p0, %r1, 0; setp.eq.u32 %p1, %r1, 1; setp.le.u32 %p2, %r1, 1; mov.u32 %r5, 0;
`
	for _, c := range []struct{ name, body string }{
		{"at once", `@%p0 exit; bar.sync 0; st.global.u32 [%rd1], 5; ret;`},
		{"behind a branch", `@%p0 bra gone; bar.sync 0; st.global.u32 [%rd1], 5; ret; gone: exit;`},
		{"next to a branch", `@!%p0 bra on; exit; on: bar.sync 0; st.global.u32 [%rd1], 5; ret;`},
		{"at the end of all", `@%p0 bra gone; bar.sync 0; st.global.u32 [%rd1], 5; gone: ret;`},
		{"at the end of all by way of another branch", `@%p0 bra over; bar.sync 0; st.global.u32 [%rd1], 5; bra gone; over: bra gone; gone: ret;`},
		{"with work", `@%p0 bra gone; bar.sync 0; st.global.u32 [%rd1], 5; ret; gone: st.global.u32 [%rd1], 0; exit;`},
		{"with work before the end of all", `@%p0 bra over; bar.sync 0; st.global.u32 [%rd1], 5; bra gone; over: st.global.u32 [%rd1], 0; gone: ret;`},
		{"with divergent work", `@%p2 bra over; on: bar.sync 0; st.global.u32 [%rd1], 5; ret;
over: @%p1 bra on; setp.lt.u32 %p3, %r0, 8; @%p3 bra low; add.u32 %r5, %r5, 1; bra gone; low: add.u32 %r5, %r5, 2; gone: exit;`},
		{"on one path of a branch whose others reconverge", `@%p2 bra left; add.u32 %r5, %r5, 1; bra on;
left: @%p0 bra gone; add.u32 %r5, %r5, 2; on: bar.sync 0; st.global.u32 [%rd1], 5; ret; gone: st.global.u32 [%rd1], 0; exit;`},
		{"the same, before the end of all", `@%p2 bra left; add.u32 %r5, %r5, 1; bra on;
left: @%p0 bra over; add.u32 %r5, %r5, 2; on: bar.sync 0; st.global.u32 [%rd1], 5; bra gone; over: st.global.u32 [%rd1], 0; gone: ret;`},
		{"the same, at the end of all", `@%p2 bra left; add.u32 %r5, %r5, 1; bra on;
left: @%p0 bra gone; add.u32 %r5, %r5, 2; on: bar.sync 0; st.global.u32 [%rd1], 5; gone: ret;`},
		{"in a loop with a barrier", `mov.u32 %r6, 0; head: setp.eq.and.u32 %p4, %r6, 2, %p0; @%p4 bra gone;
bar.sync 0; add.u32 %r6, %r6, 1; setp.lt.u32 %p5, %r6, 4; @%p5 bra head; st.global.u32 [%rd1], 5; ret; gone: st.global.u32 [%rd1], 0; exit;`},
		{"in a loop behind its barrier", `mov.u32 %r6, 0; head: setp.eq.u32 %p5, %r6, 4; @%p5 bra done;
bar.sync 0; add.u32 %r6, %r6, 1; setp.eq.and.u32 %p4, %r6, 2, %p0; @%p4 bra gone; bra head; done: st.global.u32 [%rd1], 5; ret; gone: st.global.u32 [%rd1], 0; exit;`},
		{"in a loop behind its barrier, on one path of a branch", `mov.u32 %r6, 0; head: setp.eq.u32 %p5, %r6, 4; @%p5 bra done;
bar.sync 0; add.u32 %r6, %r6, 1; @!%p2 bra on; setp.eq.and.u32 %p4, %r6, 2, %p0; @%p4 bra gone; add.u32 %r5, %r5, 1; on: bra head;
done: st.global.u32 [%rd1], 5; ret; gone: st.global.u32 [%rd1], 0; exit;`},
		{"in a loop without a barrier", `mov.u32 %r6, 0; head: setp.eq.and.u32 %p4, %r6, 2, %p0; @%p4 bra gone;
add.u32 %r6, %r6, 1; add.u32 %r7, %r0, 4; setp.lt.u32 %p5, %r6, %r7; @%p5 bra head; bar.sync 0; st.global.u32 [%rd1], 5; ret; gone: st.global.u32 [%rd1], 0; exit;`},
		{"with work shared by all", `mov.u32 %r6, 0; @%p0 bra gone; bar.sync 0; mov.u32 %r6, 5; gone: st.global.u32 [%rd1], %r6; ret;`},
		{"the same, with divergent work", `mov.u32 %r6, 0; @%p0 bra gone; bar.sync 0; mov.u32 %r6, 5;
gone: setp.lt.u32 %p3, %r0, 8; @%p3 bra low; add.u32 %r5, %r5, 1; bra done; low: add.u32 %r5, %r5, 2; done: st.global.u32 [%rd1], %r6; ret;`},
		{"the same, from two conditions", `mov.u32 %r6, 0; @%p2 bra left; add.u32 %r5, %r5, 1; bra on;
left: @%p0 bra gone; add.u32 %r5, %r5, 2; on: bar.sync 0; mov.u32 %r6, 5; gone: st.global.u32 [%rd1], %r6; ret;`},
		{"the same, between barriers", `mov.u32 %r6, 0; bar.sync 0; @%p0 bra gone; bar.sync 0; @%p2 bra most; bar.sync 0;
most: mov.u32 %r6, 5; gone: st.global.u32 [%rd1], %r6; ret;`},
		{"the same, out of a loop", `mov.u32 %r6, 0; mov.u32 %r7, 0; head: @%p0 bra gone; bar.sync 0; add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, %r1; @%p3 bra head;
mov.u32 %r6, 5; gone: st.global.u32 [%rd1], %r6; ret;`},
		{"behind a loop with a barrier, which lanes leave at different times", `mov.u32 %r7, 0; head: bar.sync 0; add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, %r0; @%p3 bra head;
selp.u32 %r6, 0, 5, %p0; st.global.u32 [%rd1], %r6; ret;`},
		{"with loops for those that panic", `setp.eq.u32 %p4, %r0, 99; @%p4 bra panic; @%p2 bra left; add.u32 %r5, %r5, 1; bra on;
left: setp.eq.u32 %p4, %r0, 98; @%p4 bra loop; add.u32 %r5, %r5, 2; on: bar.sync 0; selp.u32 %r6, 0, 5, %p0; st.global.u32 [%rd1], %r6; ret;
panic: trap; again: bra again; loop: bra loop;`},
		{"by an indexed branch", `ts: .branchtargets gone, on, left, on; brx.idx %r1, ts;
left: add.u32 %r5, %r5, 1; on: bar.sync 0; st.global.u32 [%rd1], 5; ret; gone: st.global.u32 [%rd1], 0; exit;`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scenario{body: before + c.body}
			s.expect(t, func(tid int) uint32 {
				if tid%4 == 0 {
					return 0
				}
				return 5
			})
		})
	}
}

func TestBarrierErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		scenario
		cause error
		want  []string
	}{
		{"no arrival in the cluster", scenario{body: "barrier.cluster.wait; ret;"}, nil, []string{"has not arrived"}},
		{"two arrivals in the cluster", scenario{body: "barrier.cluster.arrive; barrier.cluster.arrive; ret;"}, nil, []string{"arrives twice"}},
		{"divergent in a cluster", scenario{body: "setp.eq.u32 %p0, %r0, 3; @%p0 barrier.cluster.arrive; ret;"}, ErrBarrier, []string{"thread (0,0,0)"}},
		{"deadlock in a cluster", scenario{body: `
setp.ge.u32 %p0, %r0, 32; @%p0 bar.sync 0; barrier.cluster.arrive; barrier.cluster.wait; ret;`}, ErrDeadlock,
			[]string{"warp 1 waits at barrier 0", "warp 0 waits at the cluster's barrier"}},
		{"divergent", scenario{body: `
and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 1; @%p0 bra skip;
.loc 1 7 3
bar.sync 0;
skip: st.global.u32 [%rd1], 1; bar.sync 0; ret;`}, ErrBarrier,
			[]string{"k.ptx:13:1", "(k.cu:7:3)", "kernel k", "CTA (0,0,0)", "thread (1,0,0)", "together with thread (0,0,0)", "bar.sync",
				"lanes 0xaaaaaaaa are yet to execute st.global.u32 [%rd1], 0x1 (k.ptx:14:7)", "execute the barrier together"}},
		{"divergent with others that have ended", scenario{body: `
setp.lt.u32 %p0, %r0, 3; setp.lt.u32 %p1, %r0, 16; @%p0 exit;
@%p1 bra skip;
bar.sync 0;
skip: st.global.u32 [%rd1], 1; bar.sync 0; ret;`}, ErrBarrier, []string{"thread (3,0,0)", "lanes 0xfff8 are yet to execute st.global"}},
		{"in a loop that lanes leave for another barrier", scenario{body: `
mov.u32 %r1, 0;
head: bar.sync 0;
add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, %r0; @%p0 bra head;
st.global.u32 [%rd1], 1; bar.sync 0; ret;`}, ErrBarrier, []string{"lanes 0x3 are yet to execute st.global"}},
		{"divergent by its guard", scenario{body: `
setp.eq.u32 %p0, %r0, 33; @%p0 bar.sync 0;
ret;`}, ErrBarrier, []string{"thread (32,0,0)", "thread (33,0,0)", "the guard of the barrier does not hold in lanes 0xfffffffd"}},
		{"deadlock by arrival", scenario{body: `
setp.ge.u32 %p0, %r0, 32; @%p0 bra other;
bar.sync 1;
other: bar.sync 2; ret;`}, ErrDeadlock, []string{
			"warp 0 waits at barrier 1 (k.ptx:12:1), warp 1 waits at barrier 2 (k.ptx:13:8), and"}},
		{"deadlock by exit", scenario{body: `
setp.ge.u32 %p0, %r0, 32; @%p0 exit;
bar.sync 1, 64; ret;`}, ErrDeadlock, []string{"warp 0 waits at barrier 1 (k.ptx:12:1) where 1 of 2 warps have arrived"}},
		{"number", scenario{body: "bar.sync %r0; ret;"}, nil, []string{"barrier 1, which is 0 in thread (0,0,0)"}},
		{"number out of range", scenario{body: "mov.u32 %r1, 16; bar.sync %r1; ret;"}, nil, []string{"barrier 16; those of a CTA are 0 to 15"}},
		{"count", scenario{body: "bar.sync 0, 33; ret;"}, nil, []string{"33 threads", "multiple of the 32"}},
		{"counts differ", scenario{body: `
setp.ge.u32 %p0, %r0, 32; @%p0 bra other;
bar.sync 0; other: bar.sync 0, 64; ret;`}, nil, []string{"barrier 0 for 2 warps, at which others arrived for 0"}},
	} {
		t.Run(c.name, func(t *testing.T) { c.expectError(t, c.cause, c.want...) })
	}
}

func TestWarpList(t *testing.T) {
	for warps, want := range map[uint64]string{
		1 << 63:          "warp 63 waits",
		0b1111:           "warps 0-3 wait",
		0b1011001:        "warps 0, 3-4 and 6 wait",
		1<<63 | 1:        "warps 0 and 63 wait",
		^uint64(0):       "warps 0-63 wait",
		^uint64(0) &^ 16: "warps 0-3 and 5-63 wait",
	} {
		if got := warpList(warps); got != want {
			t.Errorf("%b: %s, want %s", warps, got, want)
		}
	}
}

// TestBarrierEffects follows two warps through a barrier step by step.
func TestBarrierEffects(t *testing.T) {
	s := scenario{body: "bar.sync 0; bar.arrive 1, 64; ret;"}
	code := decode(t, s.kernel(t))
	g, err := NewGrid(code, Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Params: make([]byte, 8)}, new(Memory), 32)
	if err != nil {
		t.Fatal(err)
	}
	var cta CTA
	g.StartCTA(&cta, 0)
	type outcome struct {
		arrived, waits, warpDone, ctaDone bool
		released                          uint64
	}
	var eff Effect
	step := func(warp int) outcome {
		w := &cta.Warps[warp]
		if err := w.Step(new(Env), &eff); err != nil {
			t.Fatal(err)
		}
		return outcome{eff.Arrived, w.AtBarrier(), eff.WarpDone, eff.CTADone, eff.Released}
	}
	for i := range 6 { // up to the barrier
		if got := step(i % 2); got != (outcome{}) {
			t.Fatalf("step %d: %+v", i, got)
		}
	}
	for i, want := range []outcome{
		{arrived: true, waits: true},
		{arrived: true, released: 3},
		{arrived: true}, // bar.arrive does not wait
		{arrived: true},
		{warpDone: true},
		{warpDone: true, ctaDone: true},
	} {
		if got := step(i % 2); got != want {
			t.Errorf("step %d: %+v, want %+v", i, got, want)
		}
	}
	if !cta.Done() {
		t.Error("the CTA is not done")
	}
}

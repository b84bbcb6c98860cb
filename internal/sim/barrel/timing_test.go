package barrel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/simtest"
	"warpbound/internal/trace"
)

// TestArithmetic measures chains of eight instructions of each class on
// predictable-rr. Dependent and independent ones take the same time: a warp has
// one instruction under way.
func TestArithmetic(t *testing.T) {
	for _, c := range []struct {
		class isa.Class
		code  string
		each  int64 // cycles from one to the next
	}{
		{isa.IntAdd, "add.u32 %r1, %r1, 1;", 1},
		{isa.IntMinMax, "min.u32 %r1, %r1, 1;", 1},
		{isa.IntMul, "mul.lo.u32 %r1, %r1, 3;", 1},
		{isa.IntMad, "mad.lo.u32 %r1, %r1, 3, 1;", 1},
		{isa.IntDiv, "div.u32 %r1, %r1, 3;", 32},
		{isa.FP32Add, "add.f32 %f1, %f1, 0f3F800000;", 1},
		{isa.FP32MinMax, "min.f32 %f1, %f1, 0f3F800000;", 1},
		{isa.FP32Mul, "mul.f32 %f1, %f1, 0f3F800000;", 1},
		{isa.FP32Mad, "fma.rn.f32 %f1, %f1, 0f3F800000, 0f3F800000;", 1},
		{isa.FP32Div, "div.rn.f32 %f1, %f1, 0f3F800000;", 14},
		{isa.FP64Add, "add.f64 %fd1, %fd1, 0d3FF0000000000000;", 2},
		{isa.FP64MinMax, "min.f64 %fd1, %fd1, 0d3FF0000000000000;", 2},
		{isa.FP64Mul, "mul.f64 %fd1, %fd1, 0d3FF0000000000000;", 2},
		{isa.FP64Mad, "fma.rn.f64 %fd1, %fd1, 0d3FF0000000000000, 0d3FF0000000000000;", 2},
		{isa.FP64Div, "div.rn.f64 %fd1, %fd1, 0d3FF0000000000000;", 29},
		{isa.SFU, "sqrt.rn.f32 %f1, %f1;", 8},
		{isa.Tensor, "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%r1, _}, {%r1}, {%r0}, {%r0, %r0};", 32},
		{isa.Control, "bra next%d; next%d:", 1},
		{isa.Sync, "shfl.sync.down.b32 %r1, %r1, 1, 31, -1;", 1},
	} {
		t.Run(c.class.String(), func(t *testing.T) {
			var body strings.Builder
			var want []int64
			for i := range int64(8) {
				if c.class == isa.Control {
					fmt.Fprintf(&body, c.code+"\n", i, i)
				} else {
					body.WriteString(c.code + "\n")
				}
				want = append(want, i*c.each)
			}
			body.WriteString("ret;")
			if got := simtest.Compile(t, body.String()).Instr(prologue).Class(); got != c.class {
				t.Fatalf("the instruction is of class %s", got)
			}
			want = append(want, 8*c.each, 8*c.each+1)
			checkSolo(t, predictable(t), body.String(), want...)
		})
	}
}

// TestLatencyBeyondInitiation makes a class whose result takes longer than the port:
// the other warp fills the time.
func TestLatencyBeyondInitiation(t *testing.T) {
	m := predictable(t)
	m.Classes["int-mul"] = machine.Timing{Latency: 6, Initiation: 2}
	code := simtest.Compile(t, "mul.lo.u32 %r1, %t, 3; mov.u32 %r2, %r1; ret;")
	o := observe(t, newSim(t, m, code), 1, 64)
	// The prologue: moves at 8 and 9, 10 and 11, parameters at 12 and 13, ready at 14
	// and 15; the first product holds the port until 16, the second until 18.
	if got, want := o.Issues(0, 0, prologue), []int64{14, 20, 21}; !slices.Equal(got, want) {
		t.Errorf("warp 0 issues at %v, want %v", got, want)
	}
	if got, want := o.Issues(0, 1, prologue), []int64{16, 22, 23}; !slices.Equal(got, want) {
		t.Errorf("warp 1 issues at %v, want %v", got, want)
	}
	if o.Cycles != 24 || o.Schedulers[0][0].Stalls[sim.StallUnit] != 2 || o.Schedulers[0][0].Stalls[sim.StallALU] != 2 {
		t.Errorf("%d cycles, stalls %v", o.Cycles, o.Stalled())
	}
}

// TestGlobalLoads measures loads of 1 to 32 segments: each holds the port for 2
// cycles, and the last is served 100 cycles after it entered.
func TestGlobalLoads(t *testing.T) {
	for _, c := range []struct {
		shift    int // log2 of the distance of neighbouring lanes in bytes
		load     string
		requests int64
	}{
		{32, "u32", 1}, {0, "u8", 1}, {1, "u16", 2}, {2, "u32", 4}, {3, "u32", 8}, {3, "u64", 8},
		{4, "u32", 16}, {4, "v4.u32", 16}, {5, "u32", 32}, {5, "v4.u32", 32}, {7, "u32", 32}, {12, "u32", 32},
	} {
		dst := map[string]string{"u64": "%rd9", "v4.u32": "{%r10, %r11, %r12, %r13}", "u8": "%r10", "u16": "%r10", "u32": "%r10"}[c.load]
		entered := 2 * (c.requests - 1)
		o := checkSolo(t, predictable(t), fmt.Sprintf(`
			shl.b32 %%r8, %%t, %d;
			cvt.u64.u32 %%rd1, %%r8;
			add.u64 %%rd2, %%buf, %%rd1;
			ld.global.%s %s, [%%rd2];
			ret;`, c.shift, c.load, dst), 0, 1, 2, 3, 3+entered+loadLatency, 4+entered+loadLatency)
		if o.Counters.Transactions != c.requests {
			t.Errorf("shift %d, %s: %d requests, want %d", c.shift, c.load, o.Counters.Transactions, c.requests)
		}
		stalls := o.Schedulers[0][0].Stalls
		// The parameter adds one cycle to the stalls by memory.
		if busy := 2*c.requests - 1; stalls[sim.StallLSU] != busy || stalls[sim.StallMemory] != 1+entered+loadLatency-2*c.requests {
			t.Errorf("shift %d, %s: stalls %v", c.shift, c.load, stalls)
		}
	}
}

// TestSegments checks that a segment is as long as the machine says, and that on a
// machine that counts accesses one is enough.
func TestSegments(t *testing.T) {
	body := "mul.wide.u32 %rd1, %t, 4; add.u64 %rd2, %buf, %rd1; ld.global.u32 %r1, [%rd2+4]; ret;"
	for segment, requests := range map[int64]int64{32: 5, 64: 3, 128: 2, 4096: 1} {
		m := predictable(t)
		m.Memory.Segment.Value = segment
		over := 2 + 2*(requests-1) + loadLatency
		checkSolo(t, m, body, 0, 1, 2, over, over+1)
	}
	m := predictable(t)
	m.Memory.Requests.Value = machine.ByAccess
	checkSolo(t, m, body, 0, 1, 2, 2+loadLatency, 3+loadLatency)
	checkSolo(t, m, "mul.lo.u32 %r1, %t, 128; mov.u32 %r2, sh; add.u32 %r2, %r2, %r1; ld.shared.u32 %r3, [%r2]; ret;",
		0, 1, 2, 3, 3+sharedLatency, 4+sharedLatency)
	checkSolo(t, m, "red.global.add.u32 [%buf], 1; ret;", 0, 4, 100)
}

// TestSharedConflicts measures loads from shared memory with 1 to 32 words of one
// bank.
func TestSharedConflicts(t *testing.T) {
	for _, c := range []struct {
		name   string
		shift  int // log2 of the distance of neighbouring lanes in bytes
		load   string
		passes int64
	}{
		{"one word", 32, "u32", 1},
		{"bytes", 0, "u8", 1},
		{"consecutive words", 2, "u32", 1},
		{"stride 2", 3, "u32", 2},
		{"stride 4", 4, "u32", 4},
		{"stride 8", 5, "u32", 8},
		{"stride 16", 6, "u32", 16},
		{"stride 32", 7, "u32", 32},
		{"doubles", 3, "u64", 2},
		{"one double", 32, "u64", 1},
		{"vectors", 4, "v4.u32", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			dst := map[string]string{"u64": "%rd9", "v4.u32": "{%r10, %r11, %r12, %r13}", "u8": "%r10", "u32": "%r10"}[c.load]
			o := checkSolo(t, predictable(t), fmt.Sprintf(`
				shl.b32 %%r1, %%t, %d;
				mov.u32 %%r4, sh;
				add.u32 %%r1, %%r1, %%r4;
				ld.shared.%s %s, [%%r1];
				ret;`, c.shift, c.load, dst), 0, 1, 2, 3, 3+c.passes-1+sharedLatency, 4+c.passes-1+sharedLatency)
			if o.Counters.SharedConflicts != c.passes-1 {
				t.Errorf("%d conflicts", o.Counters.SharedConflicts)
			}
		})
	}
}

// TestSharedAtomics: lanes on one bank are served one after the other, also those on
// one word. One without a result is posted.
func TestSharedAtomics(t *testing.T) {
	for shift, passes := range map[int]int64{2: 1, 3: 2, 4: 4, 32: 32} {
		address := fmt.Sprintf("shl.b32 %%r1, %%t, %d; mov.u32 %%r4, sh; add.u32 %%r1, %%r1, %%r4;", shift)
		served := 3 + passes - 1 + sharedLatency
		checkSolo(t, predictable(t), address+"atom.shared.add.u32 %r5, [%r1], 1; ret;", 0, 1, 2, 3, served, served+1)
		checkSolo(t, predictable(t), address+"red.shared.add.u32 [%r1], 1; ret;", 0, 1, 2, 3, 3+passes, max(4+passes, served))
		checkSolo(t, predictable(t), address+"atom.shared.add.u32 _, [%r1], 1; ret;", 0, 1, 2, 3, 3+passes, max(4+passes, served))
	}
	// 64 bits touch two banks each: 32 lanes share 32 banks in pairs.
	checkSolo(t, predictable(t), "shl.b32 %r1, %t, 3; mov.u32 %r4, sh; add.u32 %r1, %r1, %r4; atom.shared.add.u64 %rd5, [%r1], 1; ret;",
		0, 1, 2, 3, 3+1+sharedLatency, 4+1+sharedLatency)
}

// TestGlobalAtomics: every lane is a request of 4 cycles.
func TestGlobalAtomics(t *testing.T) {
	for lanes := int64(1); lanes <= 32; lanes *= 2 {
		body := fmt.Sprintf("setp.lt.u32 %%p1, %%t, %d; @%%p1 atom.global.add.u32 %%r1, [%%buf], 1; ret;", lanes)
		served := 1 + 4*(lanes-1) + loadLatency
		checkSolo(t, predictable(t), body, 0, 1, served, served+1)
		body = fmt.Sprintf("setp.lt.u32 %%p1, %%t, %d; @%%p1 red.global.add.u32 [%%buf], 1; ret;", lanes)
		checkSolo(t, predictable(t), body, 0, 1, 1+4*lanes, max(2+4*lanes, served))
	}
}

// TestLocalMemory: a word of all threads is one request.
func TestLocalMemory(t *testing.T) {
	o := checkSolo(t, predictable(t), `
		st.local.u32 [frame+8], %t;
		ld.local.u32 %r1, [frame+8];
		ld.local.u64 %rd1, [frame+16];
		ld.local.v4.u32 {%r1, %r2, %r3, %r4}, [frame];
		ret;`, 0, 2, 102, 102+102, 204+106, 204+107)
	if o.Counters.Transactions != 1+1+2+4 {
		t.Errorf("%d requests", o.Counters.Transactions)
	}
	// Lanes at 16 different words of their own memories.
	checkSolo(t, predictable(t), "and.b32 %r1, %t, 15; mov.u32 %r2, frame; mad.lo.u32 %r2, %r1, 4, %r2; ld.local.u32 %r3, [%r2]; ret;",
		0, 1, 2, 3, 3+30+loadLatency, 4+30+loadLatency)
}

// TestConstants: a request for each different address, whatever the lanes.
func TestConstants(t *testing.T) {
	for mask, requests := range map[int]int64{0: 1, 1: 2, 7: 8, 31: 32} {
		o := checkSolo(t, predictable(t), fmt.Sprintf(`
			and.b32 %%r1, %%t, %d;
			mul.wide.u32 %%rd1, %%r1, 4;
			mov.u64 %%rd2, table;
			add.u64 %%rd2, %%rd2, %%rd1;
			ld.const.u32 %%r2, [%%rd2];
			ret;`, mask), 0, 1, 2, 3, 4, 4+requests-1+2, 4+requests+2)
		if o.Counters.ConstReplays != requests-1 {
			t.Errorf("mask %d: %d replays", mask, o.Counters.ConstReplays)
		}
	}
}

// TestGeneric: an access to several spaces takes the sum of what each takes, in the
// time of its own class.
func TestGeneric(t *testing.T) {
	o := checkSolo(t, predictable(t), `
		mov.u32 %r1, sh;
		cvt.u64.u32 %rd1, %r1;
		cvta.shared.u64 %rd1, %rd1;
		mul.wide.u32 %rd3, %t, 4;
		setp.lt.u32 %p1, %t, 16;
		selp.b64 %rd2, %buf, %rd1, %p1;
		add.u64 %rd2, %rd2, %rd3;
		ld.u32 %r2, [%rd2];
		ret;`, 0, 1, 2, 3, 4, 5, 6, 7, 7+2*2+loadLatency, 8+2*2+loadLatency) // two segments and one pass
	if o.Counters.Transactions != 2 || o.Counters.SharedConflicts != 0 {
		t.Errorf("counters %+v", o.Counters)
	}
}

// TestPosted checks that stores hold the port and not the warp, and that fences and
// the end of the warp wait for them.
func TestPosted(t *testing.T) {
	checkSolo(t, predictable(t), "st.global.u32 [%buf], %t; mov.u32 %r1, 1; ret;", 0, 2, 3, 100)
	checkSolo(t, predictable(t), "st.global.u32 [%buf], %t; membar.gl; ret;", 0, 2, 100, 101)
	checkSolo(t, predictable(t), "st.global.u32 [%buf], %t; setp.lt.u32 %p1, %t, 0; @%p1 membar.gl; ret;", 0, 2, 3, 100, 101)
	checkSolo(t, predictable(t), "membar.gl; ret;", 0, 1, 2)
	o := checkSolo(t, predictable(t), `
		mul.wide.u32 %rd1, %t, 128;
		add.u64 %rd2, %buf, %rd1;
		st.global.u32 [%rd2], %t;
		ret;`, 0, 1, 2, 2+64, 2+62+100)
	if got := o.Schedulers[0][0].Stalls[sim.StallDrain]; got != 164-67 {
		t.Errorf("%d cycles after the last instruction", got)
	}
}

// TestGuards checks that an instruction that no lane executes issues like any
// other, and accesses nothing.
func TestGuards(t *testing.T) {
	o := checkSolo(t, predictable(t), `
		setp.gt.u32 %p1, %t, 99;
		@%p1 div.u32 %r1, %t, 3;
		@%p1 ld.global.u32 %r1, [0];
		@%p1 st.global.u32 [0], %r1;
		@%p1 atom.global.add.u32 %r1, [0], 1;
		@%p1 bar.sync 0;
		@%p1 bra end;
		prefetch.global.L2 [%buf];
	end:
		ret;`, 0, 1, 33, 35, 37, 41, 42, 43, 45, 46)
	if o.Counters.Transactions != 0 {
		t.Errorf("%d requests", o.Counters.Transactions)
	}
}

// TestAsyncCopy: a copy is a load, and there is nothing left to wait for.
func TestAsyncCopy(t *testing.T) {
	checkSolo(t, predictable(t), `
		mul.wide.u32 %rd1, %t, 16;
		add.u64 %rd2, %buf, %rd1;
		mov.u64 %rd3, sh;
		add.u64 %rd3, %rd3, %rd1;
		cp.async.ca.shared.global [%rd3], [%rd2], 16;
		cp.async.commit_group;
		cp.async.wait_all;
		ret;`, 0, 1, 2, 3, 4, 4+2*15+100, 5+2*15+100, 6+2*15+100, 7+2*15+100)
}

// TestDivergence: both paths one after the other, and lanes that exit early.
func TestDivergence(t *testing.T) {
	o := checkSolo(t, predictable(t), `
		setp.lt.u32 %p1, %t, 16;
		@%p1 bra low;
		mov.u32 %r1, 1;
		bra join;
	low:
		mov.u32 %r1, 2;
	join:
		@%p1 exit;
		mov.u32 %r2, 3;
		ret;`, 0, 1, 2, 3, 4, 5, 6, 7, 8)
	if o.Counters.DivergentBranches != 1 || o.Counters.ThreadInstrs != 32*(prologue+1)+16*7 { // a guard's lanes only
		t.Errorf("counters %+v", o.Counters)
	}
}

// TestBarrier: two warps, of which one divides before the barrier.
func TestBarrier(t *testing.T) {
	m := predictable(t)
	m.SM.Barrier.Value = 5
	code := simtest.Compile(t, `
		setp.lt.u32 %p1, %t, 32;
		@%p1 bra meet;
		div.u32 %r1, %t, 3;
	meet:
		bar.sync 0;
		mov.u32 %r3, 1;
		ret;`)
	o := observe(t, newSim(t, m, code), 1, 64)
	// Both issue their prologue by turns: 8 to 13. Then warp 0: setp at 14, branch at
	// 16, barrier at 18 after warp 1's branch at 17; warp 1 divides from 19 to 51 and
	// arrives then. Both are ready at 51+5; warp 0 follows warp 1 in the circle.
	if got, want := o.Issues(0, 0, prologue), []int64{14, 16, 18, 56, 58}; !slices.Equal(got, want) {
		t.Errorf("warp 0 issues at %v, want %v", got, want)
	}
	if got, want := o.Issues(0, 1, prologue), []int64{15, 17, 19, 51, 57, 59}; !slices.Equal(got, want) {
		t.Errorf("warp 1 issues at %v, want %v", got, want)
	}
	if stalls := o.Stalled(); stalls[sim.StallBarrier] != 4 || stalls[sim.StallUnit] != 31 {
		t.Errorf("stalls %v", stalls)
	}
}

// TestBarrierByExit: the last arrival may be the end of the warp that others would
// wait for, and an arrival that does not wait.
func TestBarrierByExit(t *testing.T) {
	o := observe(t, newSim(t, predictable(t), simtest.Compile(t, `
		setp.lt.u32 %p1, %t, 32;
		@!%p1 exit;
		bar.sync 0;
		ret;`)), 1, 64)
	// setp at 14 and 15, exits at 16 and 17: the guard holds for warp 1 only. Warp 0
	// arrives at 18 alone and goes on at 19.
	if got, want := o.Issues(0, 0, prologue), []int64{14, 16, 18, 19}; !slices.Equal(got, want) {
		t.Errorf("warp 0 issues at %v, want %v", got, want)
	}
	o = observe(t, newSim(t, predictable(t), simtest.Compile(t, `
		setp.lt.u32 %p1, %t, 32;
		@%p1 bra wait;
		div.u32 %r1, %t, 3;
		ret;
	wait:
		bar.sync 0;
		ret;`)), 1, 64)
	// Warp 0 waits at 18; warp 1 divides from 17+2=19 to 51 and exits then.
	if got, want := o.Issues(0, 0, prologue), []int64{14, 16, 18, 52}; !slices.Equal(got, want) {
		t.Errorf("warp 0 issues at %v, want %v", got, want)
	}
	o = observe(t, newSim(t, predictable(t), simtest.Compile(t, `
		setp.lt.u32 %p1, %t, 32;
		@%p1 bra wait;
		bar.arrive 1, 64;
		mov.u32 %r1, 1;
		ret;
	wait:
		bar.sync 1, 64;
		ret;`)), 1, 64)
	// Warp 0 waits at 18; warp 1 arrives at 19 and goes on at 20, when warp 0 may too.
	if got, want := o.Issues(0, 0, prologue), []int64{14, 16, 18, 20}; !slices.Equal(got, want) {
		t.Errorf("warp 0 issues at %v, want %v", got, want)
	}
	if got, want := o.Issues(0, 1, prologue), []int64{15, 17, 19, 21, 22}; !slices.Equal(got, want) {
		t.Errorf("warp 1 issues at %v, want %v", got, want)
	}
}

// TestLooseRoundRobin: a warp that waits is passed over, and its turn comes when it
// is ready.
func TestLooseRoundRobin(t *testing.T) {
	o := observe(t, newSim(t, predictable(t), simtest.Compile(t, `
		setp.lt.u32 %p1, %t, 32;
		@%p1 ld.global.u32 %r1, [%buf];
		mov.u32 %r2, 1; mov.u32 %r3, 1; mov.u32 %r4, 1;
		ret;`)), 1, 96)
	order := ""
	for _, r := range o.Trace.Records {
		if r.Ipoint >= prologue {
			order += string('0' + rune(r.Warp))
		}
	}
	// The load of warp 0 is under way while the others do the rest.
	if want := "012012" + "1212" + "1212" + "0000"; order != want {
		t.Errorf("the warps issue in the order %s, want %s", order, want)
	}
}

// TestWaves distributes 11 CTAs to 2 SMs of 2 CTAs.
func TestWaves(t *testing.T) {
	m := predictable(t)
	m.SM.Count.Value, m.SM.CTAs.Value = 2, 2
	o := observe(t, newSim(t, m, simtest.Compile(t, "ld.global.u32 %r1, [%buf]; ret;")), 11, 32)
	// The prologue of two CTAs takes 8 to 13, their loads issue at 14 and 16, they
	// end at 114 and 116, and the wave at 117. The last wave has CTAs 8 to 10: one
	// on SM 1, whose prologue ends 2 cycles earlier, with a load at 12 and its end at 113.
	const wave = dispatch + 6 + 2 + loadLatency + 1
	for cta := range 11 {
		n := int64(cta / 4)
		for _, r := range o.Trace.Records {
			if int(r.CTA) == cta && int(r.SM) != cta%2 {
				t.Fatalf("CTA %d is on SM %d", cta, r.SM)
			}
		}
		slot := int64(cta % 4 / 2)
		if got := o.At(cta, 0, trace.Start); got != n*wave {
			t.Errorf("CTA %d is dispatched at %d, want %d", cta, got, n*wave)
		}
		if got, want := o.At(cta, 0, 0), n*wave+dispatch+slot; got != want {
			t.Errorf("CTA %d begins at %d, want %d", cta, got, want)
		}
	}
	if o.Cycles != 3*wave {
		t.Errorf("%d cycles, want %d", o.Cycles, 3*wave)
	}
	if got := o.At(9, 0, trace.Exit); got != 2*wave+dispatch+prologueTime+loadLatency+1 {
		t.Errorf("CTA 9 ends at %d", got)
	}
}

// TestSMsAreIndependent: what one SM executes does not depend on the others.
func TestSMsAreIndependent(t *testing.T) {
	body := `
		mul.wide.u32 %rd1, %t, 64;
		add.u64 %rd2, %buf, %rd1;
		ld.global.u32 %r1, [%rd2];
		red.global.add.u32 [%buf], 1;
		bar.sync 0;
		ret;`
	alone := observe(t, newSim(t, predictable(t), simtest.Compile(t, body)), 1, 256)
	o := observe(t, newSim(t, predictable(t), simtest.Compile(t, body)), 14, 256)
	if alone.Cycles != o.Cycles {
		t.Errorf("%d cycles alone, %d with 14 CTAs on as many SMs", alone.Cycles, o.Cycles)
	}
	for warp := range 8 {
		for cta := range 14 {
			if !slices.Equal(o.Issues(cta, warp, prologue), alone.Issues(0, warp, prologue)) {
				t.Errorf("CTA %d, warp %d: issues at %v, alone at %v", cta, warp, o.Issues(cta, warp, prologue), alone.Issues(0, warp, prologue))
			}
		}
	}
}

// TestMiniSIMT runs 16 threads in 4 warps of 4: an instruction a cycle, and a load
// of 10 cycles of which the warps hide all but 10 - 4.
func TestMiniSIMT(t *testing.T) {
	m, err := machine.Builtin("mini-simt")
	if err != nil {
		t.Fatal(err)
	}
	o := observe(t, newSim(t, m, simtest.Compile(t, `
		shl.b32 %r1, %t, 5;
		mov.u32 %r2, sh;
		add.u32 %r2, %r2, %r1;
		ld.shared.u32 %r3, [%r2];
		add.u32 %r3, %r3, 1;
		ret;`)), 1, 16)
	const dispatch, instrs = 1, prologue + 6
	if want := int64(dispatch + 4*instrs + 10 - 4); o.Cycles != want {
		t.Errorf("%d cycles, want %d", o.Cycles, want)
	}
	if got := o.Stalled()[sim.StallMemory]; got != 6 {
		t.Errorf("%d cycles of stalls", got)
	}
}

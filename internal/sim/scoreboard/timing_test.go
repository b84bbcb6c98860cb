package scoreboard

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// arithmeticCode holds for each class of arithmetic an instruction whose %s are
// its result and one of its sources.
var arithmeticCode = map[isa.Class]string{
	isa.IntAdd:     "add.u32 %%r%d, %%r%d, 1;",
	isa.IntMinMax:  "min.u32 %%r%d, %%r%d, 1;",
	isa.IntMul:     "mul.lo.u32 %%r%d, %%r%d, 3;",
	isa.IntMad:     "mad.lo.u32 %%r%d, %%r%d, 3, 1;",
	isa.IntDiv:     "div.u32 %%r%d, %%r%d, 3;",
	isa.FP32Add:    "add.f32 %%f%d, %%f%d, 0f3F800000;",
	isa.FP32MinMax: "min.f32 %%f%d, %%f%d, 0f3F800000;",
	isa.FP32Mul:    "mul.f32 %%f%d, %%f%d, 0f3F800000;",
	isa.FP32Mad:    "fma.rn.f32 %%f%d, %%f%d, 0f3F800000, 0f3F800000;",
	isa.FP32Div:    "div.rn.f32 %%f%d, %%f%d, 0f3F800000;",
	isa.FP64Add:    "add.f64 %%fd%d, %%fd%d, 0d3FF0000000000000;",
	isa.FP64MinMax: "min.f64 %%fd%d, %%fd%d, 0d3FF0000000000000;",
	isa.FP64Mul:    "mul.f64 %%fd%d, %%fd%d, 0d3FF0000000000000;",
	isa.FP64Mad:    "fma.rn.f64 %%fd%d, %%fd%d, 0d3FF0000000000000, 0d3FF0000000000000;",
	isa.FP64Div:    "div.rn.f64 %%fd%d, %%fd%d, 0d3FF0000000000000;",
	isa.SFU:        "sqrt.rn.f32 %%f%d, %%f%d;",
	isa.Tensor:     "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%%r%d, _}, {%%r%d}, {%%r0}, {%%r0, %%r0};",
	isa.Sync:       "shfl.down.b32 %%r%d, %%r%d, 1, 31;",
}

// TestArithmeticTiming measures each class as one would measure a device: a
// chain of dependent instructions issues at its latency, independent ones as
// fast as the pipelines accept them.
func TestArithmeticTiming(t *testing.T) { arithmeticTiming(t, fermi(t)) }

// TestManyPipelines is TestArithmeticTiming with three pipelines of each kind, and with five.
func TestManyPipelines(t *testing.T) {
	for _, pipelines := range []int64{3, 5} {
		m := fermi(t)
		for name, n := range m.Pipelines {
			n.Value = pipelines
			m.Pipelines[name] = n
		}
		t.Run(fmt.Sprint(pipelines), func(t *testing.T) { arithmeticTiming(t, m) })
	}
}

func arithmeticTiming(t *testing.T, m *machine.Machine) {
	for _, class := range isa.Classes() {
		instr, ok := arithmeticCode[class]
		if !ok {
			continue
		}
		t.Run(class.String(), func(t *testing.T) {
			const n = 8
			timing := m.Timing(class)
			chain, independent := "", ""
			for i := range n {
				chain += fmt.Sprintf(instr, i+1, i) + "\n"
				independent += fmt.Sprintf(instr, i+1, 0) + "\n"
			}
			code := compile(t, chain+"ret;")
			if got := code.Instr(prologue).Class(); got != class {
				t.Fatalf("the instruction is of class %s", got)
			}
			at, _ := solo(t, m, chain+"ret;")
			pipes := m.Pipelines[timing.Pipeline].Value
			for i := 1; i < n; i++ {
				want := at[i-1] + max(timing.Latency, (timing.Initiation+pipes-1)/pipes)
				if at[i] != want {
					t.Errorf("dependent instruction %d issues at %d, want %d", i, at[i], want)
				}
			}
			at, _ = solo(t, m, independent+"ret;")
			free := make([]int64, pipes)
			for i := range int64(n) {
				want := free[i%pipes]
				if i > 0 {
					want = max(want, at[i-1]+1)
				}
				free[i%pipes] = want + timing.Initiation
				if at[i] != want {
					t.Errorf("independent instruction %d issues at %d, want %d", i, at[i], want)
				}
			}
		})
	}
	for _, class := range isa.Classes() {
		if _, ok := arithmeticCode[class]; !ok && class != isa.Control && class < isa.MemParam {
			t.Errorf("class %s is not measured", class)
		}
	}
}

// TestWriteAfterWrite checks that a result waits for the one before it in the
// same register, and that a guard and a predicate are registers like others.
func TestWriteAfterWrite(t *testing.T) {
	m := fermi(t)
	at, _ := solo(t, m, `
		div.u32 %r1, %r0, 3;
		mov.u32 %r1, 0;
		setp.eq.u32 %p1, %r0, 0;
		@%p1 mov.u32 %r2, 1;
		ret;`)
	div, add := m.Timing(isa.IntDiv).Latency, m.Timing(isa.IntAdd).Latency
	if want := []int64{0, div, div + 1, div + 1 + add, div + 2 + add}; !slices.Equal(at, want) {
		t.Errorf("issues at %v, want %v", at, want)
	}
}

// TestManyRegisters uses registers that the plan numbers beyond 8 bits as it does those that it numbers first.
func TestManyRegisters(t *testing.T) {
	cycles := func(first int) int64 {
		var body strings.Builder
		for i := 1; i < 10; i++ {
			fmt.Fprintf(&body, "mov.u64 %%rd%d, 0;\n", i)
		}
		for i := 1; i < 256; i++ {
			fmt.Fprintf(&body, "mov.u32 %%r%d, 0;\n", i)
		}
		a, b := fmt.Sprint("%rd", first), fmt.Sprint("%rd", first+1)
		fmt.Fprintf(&body, "ld.global.v2.u64 {%s, %s}, [%%buf];\n", a, b)
		for range 5 {
			fmt.Fprintf(&body, "mul.lo.u64 %s, %s, %s;\nadd.u64 %s, %s, %s;\n", a, a, b, b, b, a)
		}
		body.WriteString("ret;")
		return observe(t, newSim(t, fermi(t), compile(t, body.String())), 1, 32).Cycles
	}
	if early, late := cycles(1), cycles(20); early != late {
		t.Errorf("%d cycles with the first registers, %d with the last", early, late)
	}
}

func TestBranchTiming(t *testing.T) {
	m := fermi(t)
	at, o := solo(t, m, `
		setp.lt.u32 %p1, %t, 16;
		@%p1 bra low;
		mov.u32 %r1, 1;
		bra join;
	low:
		mov.u32 %r1, 2;
	join:
		mov.u32 %r2, 3;
		ret;`)
	add, control := m.Timing(isa.IntAdd).Latency, m.Timing(isa.Control).Latency
	// setp, branch, one path with its jump, the other path, the join and the end.
	want := []int64{0, add, add + control, add + control + 1, add + 2*control + 1}
	want = append(want, want[4]+1, want[4]+2)
	if o.Counters.DivergentBranches != 1 || len(at) != 7 {
		t.Fatalf("%d divergent branches, issues at %v", o.Counters.DivergentBranches, at)
	}
	want[4] = max(want[4], want[2]+add) // the second path writes the same register
	want[5], want[6] = want[4]+1, want[4]+2
	if !slices.Equal(at, want) {
		t.Errorf("issues at %v, want %v", at, want)
	}
	if got := o.exit(0, 0) - o.issues(0, 0)[6]; got != control {
		t.Errorf("the warp retires %d cycles after its last instruction, want %d", got, control)
	}
}

// TestSharedConflicts measures accesses to shared memory with strides.
func TestSharedConflicts(t *testing.T) {
	m := fermi(t)
	shared := m.Timing(isa.MemShared)
	for _, c := range []struct {
		name   string
		shift  int    // log2 of the distance of neighbouring lanes in bytes
		load   string // type
		passes int64
	}{
		{"one word", 32, "u32", 1},
		{"consecutive words", 2, "u32", 1},
		{"stride 2", 3, "u32", 2},
		{"stride 4", 4, "u32", 4},
		{"stride 8", 5, "u32", 8},
		{"stride 16", 6, "u32", 16},
		{"stride 32", 7, "u32", 32},
		{"bytes", 0, "u8", 1},
		{"doubles", 3, "u64", 2},
		{"stride of 2 doubles", 4, "u64", 4},
		{"one double", 32, "u64", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			dst := "%rd1"
			use := "add.u64 %rd2, %rd1, 1;"
			if c.load != "u64" {
				dst, use = "%r2", "add.u32 %r3, %r2, 1;"
			}
			at, o := solo(t, m, fmt.Sprintf(`
				shl.b32 %%r1, %%t, %d;
				mov.u32 %%r4, sh;
				add.u32 %%r1, %%r1, %%r4;
				ld.shared.%s %s, [%%r1];
				ld.shared.u32 %%r5, [sh];
				%s
				ret;`, c.shift, c.load, dst, use))
			if got, want := at[4]-at[3], c.passes*shared.Initiation; got != want {
				t.Errorf("the unit is busy for %d cycles, want %d", got, want)
			}
			if got, want := at[5]-at[3], shared.Latency+(c.passes-1)*shared.Initiation; got != want {
				t.Errorf("the result is ready after %d cycles, want %d", got, want)
			}
			if o.Counters.SharedConflicts != c.passes-1 {
				t.Errorf("%d conflicts", o.Counters.SharedConflicts)
			}
		})
	}
}

// TestSharedAndGlobalLanes loads by generic addresses: lanes that access shared memory, with conflicts, occupy the unit before the
// others send their request.
func TestSharedAndGlobalLanes(t *testing.T) {
	m := fermi(t)
	load := func(shift int, passes int64) int64 {
		at, o := solo(t, m, fmt.Sprintf(`
			shl.b32 %%r1, %%t, %d;
			mov.u32 %%r4, sh;
			add.u32 %%r1, %%r1, %%r4;
			cvt.u64.u32 %%rd1, %%r1;
			cvta.shared.u64 %%rd1, %%rd1;
			setp.lt.u32 %%p1, %%t, 16;
			selp.b64 %%rd1, %%rd1, %%buf, %%p1;
			ld.u32 %%r2, [%%rd1];
			add.u32 %%r3, %%r2, 1;
			ret;`, shift))
		if got := o.Counters.SharedConflicts; got != passes-1 {
			t.Errorf("shift %d: %d conflicts", shift, got)
		}
		return at[8] - at[7]
	}
	none := load(2, 1)
	for shift, passes := range map[int]int64{3: 1, 5: 4, 7: 16} {
		if got, want := load(shift, passes)-none, (passes-1)*m.Timing(isa.MemShared).Initiation; got != want {
			t.Errorf("shift %d: the result is ready %d cycles later, want %d", shift, got, want)
		}
	}
}

func TestSharedAtomics(t *testing.T) {
	m := fermi(t)
	for shift, passes := range map[int]int64{2: 1, 3: 2, 32: 32} {
		at, o := solo(t, m, fmt.Sprintf(`
			shl.b32 %%r1, %%t, %d;
			mov.u32 %%r4, sh;
			add.u32 %%r1, %%r1, %%r4;
			red.shared.add.u32 [%%r1], 1;
			ld.shared.u32 %%r5, [sh];
			ret;`, shift))
		if got, want := at[4]-at[3], passes*m.Shared.AtomicPass.Value; got != want {
			t.Errorf("shift %d: the unit is busy for %d cycles, want %d", shift, got, want)
		}
		if o.Counters.SharedConflicts != passes-1 {
			t.Errorf("shift %d: %d conflicts", shift, o.Counters.SharedConflicts)
		}
	}
}

// idleMiss returns how long a load takes that misses both caches while nothing
// else is under way.
func idleMiss(m *machine.Machine) int64 {
	d := &m.DRAM
	lines := m.L2.Line.Value / d.Burst.Value * d.CCD.Value
	core, dram := m.ClockRatio()
	up := func(a, b int64) int64 { return (a + b - 1) / b }
	// The row is opened in one cycle of the DRAM and accessed RCD later.
	return idleHit(m) + d.Latency.Value + up((d.RCD.Value+d.CL.Value+lines)*core, dram)
}

// idleHit is the same for a load that hits the L2.
func idleHit(m *machine.Machine) int64 {
	ic := &m.Interconnect
	packet := func(bytes int64) int64 { return (ic.Header.Value + bytes + ic.Flit.Value - 1) / ic.Flit.Value }
	return m.Timing(isa.MemGlobal).Latency + ic.Latency.Value + packet(0) + m.L2.Latency.Value + ic.Latency.Value + packet(m.L1.Line.Value)
}

// TestLoadTiming measures a load that misses everything, one that hits the L1,
// and one that bypasses it and hits the L2.
func TestLoadTiming(t *testing.T) {
	m := fermi(t)
	at, o := solo(t, m, `
		ld.global.u32 %r1, [%buf];
		add.u32 %r2, %r1, 1;
		ld.global.u32 %r3, [%buf+64];
		add.u32 %r4, %r3, 1;
		ld.volatile.global.u32 %r5, [%buf];
		add.u32 %r6, %r5, 1;
		ret;`)
	if got, want := at[1]-at[0], idleMiss(m); got < want || got > want+2 {
		t.Errorf("a miss takes %d cycles, want %d and up to 2 for the rounding of clocks", got, want)
	}
	if got, want := at[3]-at[2], m.Timing(isa.MemGlobal).Latency; got != want {
		t.Errorf("a hit of the L1 takes %d cycles, want %d", got, want)
	}
	if got, want := at[5]-at[4], idleHit(m); got != want {
		t.Errorf("a hit of the L2 takes %d cycles, want %d", got, want)
	}
	c := o.Counters
	if c.L1Hits != 1 || c.L1Misses != 1 || c.L2Hits != 1 || c.L2Misses != 1 || c.DRAMReads != 1 || c.RowMisses != 1 {
		t.Errorf("counters %+v", c)
	}
}

// TestCoalescing counts the lines of accesses with strides and checks that each
// takes a cycle of the unit.
func TestCoalescing(t *testing.T) {
	m := fermi(t)
	for _, c := range []struct {
		shift int
		load  string
		lines int64
	}{{32, "u32", 1}, {0, "u8", 1}, {2, "u32", 1}, {3, "u32", 2}, {3, "u64", 2}, {4, "v4.u32", 4}, {7, "u32", 32}, {12, "u32", 32}} {
		dst := "%r1"
		switch c.load {
		case "u64":
			dst = "%rd9"
		case "v4.u32":
			dst = "{%r1, %r2, %r3, %r4}"
		}
		at, o := solo(t, m, fmt.Sprintf(`
			shl.b32 %%r8, %%t, %d;
			cvt.u64.u32 %%rd1, %%r8;
			add.u64 %%rd2, %%buf, %%rd1;
			ld.global.%s %s, [%%rd2];
			ld.shared.u32 %%r9, [sh];
			ret;`, c.shift, c.load, dst))
		if o.Counters.Transactions != c.lines || o.Counters.L1Misses != c.lines {
			t.Errorf("shift %d, %s: %d lines and %d misses, want %d", c.shift, c.load, o.Counters.Transactions, o.Counters.L1Misses, c.lines)
		}
		if got := at[4] - at[3]; got < c.lines {
			t.Errorf("shift %d, %s: the unit is busy for %d cycles with %d lines", c.shift, c.load, got, c.lines)
		}
	}
}

// TestStoreDrains checks that a warp retires when its store is acknowledged, and
// that a fence waits for it.
func TestStoreDrains(t *testing.T) {
	m := fermi(t)
	_, o := solo(t, m, "st.global.u32 [%buf], %t; ret;")
	if got := o.exit(0, 0) - o.issues(0, 0)[0]; got < idleMiss(m)-10 {
		t.Errorf("the warp retires %d cycles after its store", got)
	}
	at, o := solo(t, m, "st.global.u32 [%buf], %t; membar.gl; mov.u32 %r1, 1; ret;")
	if got := at[2] - at[0]; got < idleMiss(m)-10 {
		t.Errorf("the fence takes %d cycles", got)
	}
	if sum := o.Stalled(); sum[sim.StallFence] < idleMiss(m)-20 {
		t.Errorf("stalls %v", sum)
	}
}

func TestConstReplays(t *testing.T) {
	m := fermi(t)
	at, o := solo(t, m, `
		and.b32 %r1, %t, 0;
		cvt.u64.u32 %rd1, %r1;
		ld.param.u32 %r2, [p];
		ld.shared.u32 %r9, [sh];
		add.u32 %r3, %r2, 1;
		ret;`)
	param := m.Timing(isa.MemParam)
	if at[3]-at[2] != param.Initiation || at[4]-at[2] != param.Latency || o.Counters.ConstReplays != 0 {
		t.Errorf("issues at %v, %d replays", at, o.Counters.ConstReplays)
	}
}

// TestBarrierTiming delays one of two warps and looks when both go on.
func TestBarrierTiming(t *testing.T) {
	m := fermi(t)
	o := observe(t, newSim(t, m, compile(t, `
		setp.lt.u32 %p1, %t, 32;
		@%p1 bra meet;
		div.u32 %r1, %r0, 3;
		add.u32 %r2, %r1, 1;
	meet:
		bar.sync 0;
		mov.u32 %r3, 1;
		ret;`)), 1, 64)
	quick, slow := o.issues(0, 0), o.issues(0, 1)
	arrive := slow[len(slow)-3]
	goOn := arrive + m.SM.Barrier.Value
	if quick[len(quick)-2] != goOn || slow[len(slow)-2] != goOn {
		t.Errorf("the last warp arrives at %d and they go on at %d and %d, want %d", arrive, quick[len(quick)-2], slow[len(slow)-2], goOn)
	}
	if sum := o.Stalled(); sum[sim.StallBarrier] < m.Timing(isa.IntDiv).Latency {
		t.Errorf("stalls %v", sum)
	}
}

// TestAtomicThroughput checks that operations on one address are served one
// after the other at the L2.
func TestAtomicThroughput(t *testing.T) {
	m := fermi(t)
	const ctas = 8
	s := newSim(t, m, compile(t, "red.global.add.u32 [%buf+4], 1; ret;"))
	o := observe(t, s, ctas, 32)
	if got := o.word(1); got != 1+32*ctas {
		t.Errorf("the counter is %d", got)
	}
	if minimum := ctas * 32 * m.L2.Atomic.Value; o.Cycles < minimum || o.Cycles > minimum+2*idleMiss(m) {
		t.Errorf("%d operations take %d cycles, want at least %d", 32*ctas, o.Cycles, minimum)
	}
}

// TestLocalMemory checks that the words of neighbouring threads lie in one line.
func TestLocalMemory(t *testing.T) {
	m := fermi(t)
	_, o := solo(t, m, `
		.local .align 8 .b8 frame[64];
		st.local.u32 [frame+8], %t;
		ld.local.u32 %r1, [frame+8];
		st.local.u64 [frame+16], %g;
		ret;`)
	if o.Counters.Transactions != 1+1+2 {
		t.Errorf("%d lines", o.Counters.Transactions)
	}
}

package scoreboard

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/test/effort"
)

// Random kernels read the first part of their buffer, count in the second, and
// each thread writes to 64 bytes of its own in the third. So what they leave in
// memory does not depend on the order of their warps.
const (
	readBytes   = 256 << 10
	countsBegin = 256 << 10
	ownBegin    = 512 << 10
)

// randomKernel draws the body of a kernel.
func randomKernel(t *rapid.T) string {
	var b strings.Builder
	b.WriteString(`
		.local .align 8 .b8 frame[64];
		mov.u32 %r1, %ntid.x;
		mad.lo.u32 %r2, %c, %r1, %t;
		mul.wide.u32 %rd1, %r2, 64;
		add.u64 %rd1, %rd1, %buf;
		mov.u32 %r3, sh;
		mov.u32 %r4, 1;
	`)
	labels := 0
	var statement func(depth int)
	statement = func(depth int) {
		stride := rapid.SampledFrom([]int{0, 4, 8, 12, 64, 128, 260, 4096}).Draw(t, "stride")
		offset := rapid.IntRange(0, 1000).Draw(t, "offset") * 16
		index := func(mask int) {
			fmt.Fprintf(&b, "mul.lo.u32 %%r10, %%r2, %d; add.u32 %%r10, %%r10, %d; and.b32 %%r10, %%r10, %d;\n", stride, offset, mask)
		}
		address := func(begin, mask int) {
			index(mask)
			fmt.Fprintf(&b, "cvt.u64.u32 %%rd2, %%r10; add.u64 %%rd2, %%rd2, %%buf; add.u64 %%rd2, %%rd2, %d;\n", begin)
		}
		switch k := rapid.IntRange(0, 12).Draw(t, "statement"); k {
		case 0, 1:
			address(0, readBytes-4)
			form := rapid.SampledFrom([]string{"", "volatile."}).Draw(t, "form")
			fmt.Fprintf(&b, "ld.%sglobal.u32 %%r11, [%%rd2]; add.u32 %%r4, %%r4, %%r11;\n", form)
		case 2:
			address(0, readBytes-16)
			b.WriteString("ld.global.v4.u32 {%r11, %r12, %r13, %r14}, [%rd2];\n")
		case 3, 4:
			fmt.Fprintf(&b, "st.global.u32 [%%rd1+%d], %%r4;\n", ownBegin+rapid.IntRange(0, 15).Draw(t, "slot")*4)
		case 5:
			address(countsBegin, 0xffc)
			b.WriteString("red.global.add.u32 [%rd2], 3;\n")
		case 6:
			address(countsBegin, 0xffc)
			b.WriteString("atom.global.add.u32 %r15, [%rd2], 5; add.u32 %r16, %r15, 1;\n")
		case 7:
			index(0x3ffc)
			b.WriteString("add.u32 %r10, %r10, %r3; st.shared.u32 [%r10], %r4; ld.shared.u32 %r17, [%r10];\n")
		case 8:
			b.WriteString("st.local.u64 [frame+8], %rd1; ld.local.u32 %r18, [frame+12]; st.local.u32 [frame], %r4;\n")
		case 9:
			b.WriteString("membar.gl;\n")
		case 10:
			b.WriteString("div.u32 %r19, %r4, 7;\n")
		default:
			if depth == 0 {
				b.WriteString("bar.sync 0;\n")
			}
			if depth == 2 {
				return
			}
			label := fmt.Sprintf("skip%d", labels)
			labels++
			fmt.Fprintf(&b, "and.b32 %%r20, %%r2, %d; setp.eq.u32 %%p%d, %%r20, 0; @%%p%d bra %s;\n",
				rapid.SampledFrom([]int{0, 1, 7, 32}).Draw(t, "condition"), depth, depth, label)
			for range rapid.IntRange(1, 3).Draw(t, "statements") {
				statement(depth + 1)
			}
			b.WriteString(label + ":\n")
		}
	}
	for range rapid.IntRange(1, 12).Draw(t, "statements") {
		statement(0)
	}
	b.WriteString("ret;")
	return b.String()
}

// randomMachine draws numbers that make the Fermi machine small and odd.
func randomMachine(t *rapid.T, m *machine.Machine) *machine.Machine {
	pick := func(n *machine.Number, name string, values ...int64) {
		n.Value = rapid.SampledFrom(values).Draw(t, name)
	}
	pick(&m.SM.Count, "SMs", 1, 2, 5)
	pick(&m.SM.WarpSize, "warp size", 4, 32, 64)
	pick(&m.SM.Schedulers, "schedulers", 1, 2, 3)
	m.SM.SubCores.Value = rapid.SampledFrom([]machine.Switch{"", machine.On, machine.Off}).Draw(t, "sub-cores")
	m.SM.IndependentThreads.Value = rapid.SampledFrom([]machine.Switch{"", machine.On}).Draw(t, "independent threads")
	pick(&m.SM.Dispatch, "dispatch", 1, 50)
	pick(&m.SM.Barrier, "barrier", 1, 20)
	m.SM.Policy.Value = rapid.SampledFrom(machine.Policies()).Draw(t, "policy")
	pick(&m.SM.PolicySeed, "policy seed", 0, 1, 77)
	m.DRAM.Order.Value = rapid.SampledFrom(append(machine.Orders(), "")).Draw(t, "order")
	pick(&m.L1.Sets, "L1 sets", 1, 4, 32)
	m.L1.Index.Value = rapid.SampledFrom([]machine.Index{machine.Linear, machine.Fermi}).Draw(t, "index")
	pick(&m.L1.Ways, "L1 ways", 1, 2)
	pick(&m.L1.MSHRs, "L1 MSHRs", 1, 2, 32)
	pick(&m.L1.Merge, "L1 merge", 1, 2)
	pick(&m.Interconnect.Buffer, "buffer", 1, 2, 8)
	pick(&m.Interconnect.Credits, "credits", 1, 3, 256)
	pick(&m.Interconnect.Latency, "crossbar", 1, 8)
	pick(&m.Interconnect.Flit, "flit", 8, 256)
	pick(&m.L2.Partitions, "partitions", 1, 2, 3, 6)
	pick(&m.L2.Sets, "L2 sets", 1, 8)
	pick(&m.L2.Ways, "L2 ways", 1, 2)
	pick(&m.L2.MSHRs, "L2 MSHRs", 1, 3)
	pick(&m.L2.Merge, "L2 merge", 1, 2)
	pick(&m.L2.Latency, "L2", 1, 300)
	m.L2.Copies.Value = rapid.SampledFrom([]machine.Switch{"", machine.On, machine.Off}).Draw(t, "copies")
	m.L2.Hash.Value = rapid.SampledFrom([]machine.Switch{"", machine.On, machine.Off}).Draw(t, "hash")
	if m.L2.Partitions.Value%2 == 0 {
		pick(&m.L2.Far, "far half", 0, 2, 3, 200)
	}
	pick(&m.DRAM.Latency, "DRAM", 0, 100)
	pick(&m.DRAM.Queue, "window", 1, 4)
	pick(&m.DRAM.Banks, "DRAM banks", 1, 4)
	if pick(&m.ICache.Line, "instructions in a line", 0, 1, 8, 64); m.ICache.Line.Value > 0 {
		pick(&m.ICache.Sets, "sets of instructions", 1, 4)
		pick(&m.ICache.Ways, "ways of instructions", 1, 2)
		pick(&m.ICache.Miss, "fetch", 1, 30, 400)
		pick(&m.ICache.Stream, "stream", 0, 1, 5)
	}
	if pick(&m.CCache.Line, "constants in a line", 0, 16, 64); m.CCache.Line.Value > 0 {
		pick(&m.CCache.Sets, "sets of constants", 1, 4)
		pick(&m.CCache.Ways, "ways of constants", 1, 2)
		pick(&m.CCache.Miss, "constants", 1, 30, 400)
	}
	if pick(&m.LSU.Buffer, "buffered instructions", 0, 1, 3); m.LSU.Buffer.Value > 0 {
		pick(&m.LSU.Latency, "way to the unit", 1, 3)
		pick(&m.LSU.Address, "addresses", 1, 4, 20)
		pick(&m.LSU.Interval, "interval", 1, 2, 9)
		pick(&m.LSU.Tags, "tags per cycle", 1, 3, 4)
		pick(&m.LSU.Tag, "tag", 128, 256)
	}
	if rapid.Bool().Draw(t, "carve-outs") {
		m.CarveOuts = map[string]machine.Number{"0": {Value: m.L1.Ways.Value}, "48": {Value: 1}}
	}
	m.Dependences = map[string]machine.Number{}
	for _, pair := range []string{"sp sfu", "sfu sp", "sp guard", "sp ldst"} {
		if late := rapid.SampledFrom([]int64{0, 1, 9}).Draw(t, pair); late > 0 {
			m.Dependences[pair] = machine.Number{Value: late}
		}
	}
	pick(&m.Clock.DRAM, "DRAM clock", 57_500_000, 575_000_000, 5_750_000_000)
	if share := rapid.SampledFrom([]int64{0, 1, 50, 95}).Draw(t, "background"); share > 0 {
		m.DRAM.Background.Value = m.Peak() / 100 * share
	}
	for _, class := range []isa.Class{isa.MemGlobal, isa.MemAtomic, isa.Control} {
		timing := m.Timing(class)
		timing.Latency = m.LSU.Latency.Value + rapid.SampledFrom([]int64{1, 5, 35}).Draw(t, class.String())
		m.Classes[class.String()] = timing
	}
	return m
}

// stuckAt returns the error of a run that is limited to so many cycles.
func stuckAt(t testing.TB, s *Sim, limit int64, ctas, threads int) string {
	s.maxTime = limit
	var mem emu.Memory
	_, err := s.Run(context.Background(), launch(t, &mem, ctas, threads), &mem, nil)
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestRandom runs random kernels on random machines. Every run must come to its
// end, leave in memory what an execution without time leaves, execute as many
// instructions, and show the same in every bit as a simulator that visits every
// cycle; also where warps are when a limit is reached.
func TestRandom(t *testing.T) {
	for _, seed := range effort.Draw(t, 1000) {
		rapid.Custom(func(r *rapid.T) bool { return checkRandom(t, r) }).Example(int(seed))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// checkRandom does so with one kernel and machine. What it returns means nothing.
func checkRandom(t *testing.T, r *rapid.T) bool {
	code := compile(t, randomKernel(r))
	m := randomMachine(r, fermi(t))
	ctas, threads := rapid.IntRange(1, 12).Draw(r, "CTAs"), rapid.IntRange(1, min(200, 48*int(m.SM.WarpSize.Value))).Draw(r, "threads")
	o := observe(t, newSim(t, m, code), ctas, threads)

	var mem emu.Memory
	grid, err := emu.NewGrid(code, launch(t, &mem, ctas, threads), &mem, int(m.SM.WarpSize.Value))
	if err != nil {
		t.Fatal(err)
	}
	functional, err := emu.Run(context.Background(), grid)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(o.mem.Bytes(abi.GlobalBase), mem.Bytes(abi.GlobalBase)) {
		t.Error("the memory is not as after an execution without time")
	}
	if o.Counters.WarpInstrs != functional.WarpInstrs || o.Counters.ThreadInstrs != functional.ThreadInstrs {
		t.Errorf("%d instructions of warps and %d of threads, without time %+v", o.Counters.WarpInstrs, o.Counters.ThreadInstrs, functional)
	}
	same(t, "by visiting every cycle", o, observe(t, slowly(newSim(t, m, code)), ctas, threads))
	checkChain(t, m, code, o, ctas, threads)
	limit := rapid.Int64Range(1, max(o.Cycles-1, 1)).Draw(r, "limit")
	if got, want := stuckAt(t, newSim(t, m, code), limit, ctas, threads), stuckAt(t, slowly(newSim(t, m, code)), limit, ctas, threads); got != want {
		t.Errorf("after %d of %d cycles: %s\nby visiting every cycle: %s", limit, o.Cycles, got, want)
	}
	return true
}

// TestRunsAgainstSteps executes runs of instructions ahead and one by one: every figure must be the same,
// and the report of every cycle at which the run can be given up.
func TestRunsAgainstSteps(t *testing.T) {
	m := fermi(t)
	timing := m.Timing(isa.MemParam)
	timing.Latency = 300 // later than all else
	m.Classes[isa.MemParam.String()] = timing
	for name, body := range map[string]string{
		"a parameter before the exit": "ld.param.u64 %rd1, [p]; ret;",
		"a parameter before a fence":  "ld.param.u64 %rd1, [p]; membar.gl; add.u32 %r1, %t, 1; ret;",
		"divergence": "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 1; add.u32 %r3, %r2, 1; @%p1 bra even;" +
			"add.u32 %r4, %r3, 1; mul.lo.u32 %r5, %r4, 3; even: add.u32 %r6, %r3, 2; mul.lo.u32 %r7, %r6, 5; ret;",
	} {
		code := compile(t, body)
		o := observe(t, newSim(t, m, code), 2, 40)
		same(t, name, o, observe(t, slowly(newSim(t, m, code)), 2, 40))
		fast, slow := newSim(t, m, code), slowly(newSim(t, m, code))
		for limit := range o.Cycles - 1 {
			if got, want := stuckAt(t, fast, limit+1, 2, 40), stuckAt(t, slow, limit+1, 2, 40); got != want {
				t.Fatalf("%s, after %d of %d cycles: %s\none by one: %s", name, limit+1, o.Cycles, got, want)
			}
		}
	}
}

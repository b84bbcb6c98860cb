package scoreboard

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/emutest"
	"warpbound/internal/trace"
)

// withICache gives a machine an instruction cache.
func withICache(m *machine.Machine, sets, ways, line, miss int64) *machine.Machine {
	c := &m.ICache
	c.Sets.Value, c.Ways.Value, c.Line.Value, c.Miss.Value = sets, ways, line, miss
	return m
}

// gaps returns how many cycles after the one before it each instruction of a warp issues, those of the prologue included; the
// first counts from cycle 0.
func gaps(o *observation, cta, warp int) []int64 {
	var at []int64
	last := int64(0)
	for _, r := range o.tr.Records {
		if int(r.CTA) == cta && int(r.Warp) == warp && r.Ipoint >= 0 {
			at = append(at, r.Cycle-last)
			last = r.Cycle
		}
	}
	return at
}

// TestInstructionLines runs code whose instructions do not wait for each other: the first one of each line waits for the line.
func TestInstructionLines(t *testing.T) {
	m := withICache(fermi(t), 1, 4, 4, 100)
	body := "mov.u32 %r1, 7; mov.u32 %r2, 7; mov.u32 %r3, 7; mov.u32 %r4, 7; mov.u32 %r5, 7; mov.u32 %r6, 7; mov.u32 %r7, 7; mov.u32 %r8, 7; ret;"
	plain, cold := observe(t, newSim(t, fermi(t), compile(t, body)), 1, 32), observe(t, newSim(t, m, compile(t, body)), 1, 32)
	want := gaps(plain, 0, 0)
	for pc := range want {
		if pc%4 == 0 {
			want[pc] = 101 // asked for in the cycle after the last instruction of the line before
		}
	}
	// The prologue's fourth instruction waits for its parameter, which the line behind it does not take part in.
	if got := gaps(cold, 0, 0); !slices.Equal(got[5:], want[5:]) || got[0] != 101 {
		t.Errorf("instructions issue after %v, want %v", got, want)
	}
	if more := cold.Schedulers[0][0].Stalls[sim.StallBranch] - plain.Schedulers[0][0].Stalls[sim.StallBranch]; more < 300 || more > 400 {
		t.Errorf("%d cycles more in which the next instruction is being fetched", more)
	}
}

// TestInstructionStream fetches lines along with the one that is asked for.
func TestInstructionStream(t *testing.T) {
	body := strings.Repeat("mov.u32 %r1, 7; mov.u32 %r2, 7; mov.u32 %r3, 7; mov.u32 %r4, 7;", 6) + "ret;" // 30 instructions of 8 lines
	for _, c := range []struct{ stream, waits int64 }{{0, 8}, {1, 4}, {3, 2}, {7, 1}, {64, 1}} {
		m := withICache(fermi(t), 8, 2, 4, 1000)
		m.ICache.Stream.Value = c.stream
		o := observe(t, newSim(t, m, compile(t, body)), 1, 32)
		waits := int64(0)
		for _, gap := range gaps(o, 0, 0) {
			waits += gap / 900
		}
		if waits != c.waits {
			t.Errorf("with %d lines fetched along, %d lines are waited for, want %d", c.stream, waits, c.waits)
		}
	}
}

// TestInstructionLinesAreShared lets the CTAs of two warps of an SM execute the same code one after the other: the second warp
// waits for the arrival that the first asked for, and warps that come later wait for nothing.
func TestInstructionLinesAreShared(t *testing.T) {
	m := withICache(fermi(t), 1, 4, 64, 100)
	m.SM.Count.Value, m.SM.CTAs.Value = 1, 1
	o := observe(t, newSim(t, m, compile(t, "ret;")), 2, 64)
	for warp := range 2 {
		if first, second := o.begins(0, warp), o.begins(1, warp); first != 101 || second != 1 {
			t.Errorf("warp %d waits for %d cycles in the first CTA and for %d in the second, want 101 and 1", warp, first, second)
		}
	}
}

// begins returns how many cycles after its start a warp issues for the first time.
func (o *observation) begins(cta, warp int) int64 {
	start := int64(-1)
	for _, r := range o.tr.Records {
		switch {
		case int(r.CTA) != cta || int(r.Warp) != warp:
		case r.Ipoint == trace.Start:
			start = r.Cycle
		default:
			return r.Cycle - start
		}
	}
	return -1
}

// loop is a loop of so many iterations over four instructions and as many others.
func loop(iterations, others string) string {
	return "mov.u32 %r1, 0; again: " + others +
		"add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, " + iterations + "; @%p1 bra again; ret;"
}

// TestInstructionsOfLoops: a loop that fits is fetched once, one that is a line longer than the cache every time anew,
// since the line that comes next is always that which was used least recently.
func TestInstructionsOfLoops(t *testing.T) {
	const line, miss = 8, 200
	cost := func(others int) int64 {
		body := func(n string) string { return loop(n, strings.Repeat("mov.u32 %r2, 7;", others)) }
		cycles := func(m *machine.Machine, n string) int64 {
			return observe(t, newSim(t, m, compile(t, body(n))), 1, 32).Cycles
		}
		m := withICache(fermi(t), 1, 4, line, miss)
		more := cycles(m, "12") - cycles(m, "2")
		return more - (cycles(fermi(t), "12") - cycles(fermi(t), "2"))
	}
	if got := cost(20); got != 0 { // from instruction 6 to 28, in 4 lines
		t.Errorf("ten iterations of a loop that fits take %d cycles more", got)
	}
	if got := cost(30); got < 10*5*(miss-20) || got > 10*5*miss { // to instruction 38, in 5 lines
		t.Errorf("ten iterations of a loop of five lines take %d cycles more", got)
	}
}

// TestInstructionsBehindBarriers: a warp fetches its next line while it waits for others.
func TestInstructionsBehindBarriers(t *testing.T) {
	slow := "setp.gt.u32 %p1, %t, 31; @!%p1 bra on; div.u32 %r2, %r0, 3; div.u32 %r2, %r2, 3; div.u32 %r2, %r2, 3; on: "
	body := slow + "bar.sync 0; mov.u32 %r3, 1; ret;"
	code := compile(t, body)
	o := observe(t, newSim(t, withICache(fermi(t), 1, 4, 11, 100), code), 1, 64)
	if op := code.Instr(10).Op; op != isa.Bar {
		t.Fatalf("the last instruction of the first line is %s", op.Info().Name)
	}
	a, b := o.issues(0, 0), o.issues(0, 1)
	released := b[len(b)-3] // when the last warp came to the barrier
	if got, want := a[len(a)-2], released+fermi(t).SM.Barrier.Value; got > want+1 {
		t.Errorf("the warp that waited goes on in cycle %d, want %d", got, want)
	}
}

// TestReadCache holds the cache against a list of lines in the order of their last use.
func TestReadCache(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		ways := rapid.SampledFrom([]int64{1, 2, 4}).Draw(r, "ways")
		sets := rapid.SampledFrom([]int64{1, 2, 4}).Draw(r, "sets")
		var c readCache
		c.init(sets, ways, 16, 50)
		type held struct {
			line    uint64
			arrives int64
		}
		twin := make([][]held, sets) // the least recently used first
		for now := range int64(100) {
			line := rapid.Uint64Range(0, 20).Draw(r, "line")
			set := &twin[line%uint64(sets)]
			want := now + 50
			if i := slices.IndexFunc(*set, func(h held) bool { return h.line == line }); i >= 0 {
				want = (*set)[i].arrives
				*set = slices.Delete(*set, i, i+1)
			} else if len(*set) == int(ways) {
				*set = (*set)[1:]
			}
			*set = append(*set, held{line, want})
			if got := c.ask(line, now); got != want {
				r.Fatalf("line %d, asked for in cycle %d, comes in cycle %d, want %d", line, now, got, want)
			}
		}
	})
}

// withCCache gives a machine a cache for parameters and constants.
func withCCache(m *machine.Machine, sets, ways, line, miss int64) *machine.Machine {
	c := &m.CCache
	c.Sets.Value, c.Ways.Value, c.Line.Value, c.Miss.Value = sets, ways, line, miss
	return m
}

// TestParametersMiss: the first load of a parameter waits for its line, and the next one finds it, in a run of instructions and
// where the address is in a register.
func TestParametersMiss(t *testing.T) {
	for name, load := range map[string]string{
		"a known place": "ld.param.u64 %rd1, [p];",
		"a register":    "ld.param.u64 %rd1, [%rd2];",
	} {
		body := "mov.u64 %rd2, p; " + load + " add.u64 %rd3, %rd1, 1; ret;"
		plain := observe(t, newSim(t, fermi(t), compile(t, body)), 1, 32)
		cold := observe(t, newSim(t, withCCache(fermi(t), 4, 1, 16, 100), compile(t, body)), 1, 32)
		want := gaps(plain, 0, 0)
		want[3] += 100 - fermi(t).Timing(isa.MemParam).Latency // the prologue uses the parameter, and has loaded the line
		if got := gaps(cold, 0, 0); !slices.Equal(got, want) {
			t.Errorf("%s: instructions issue after %v, want %v", name, got, want)
		}
	}
}

// TestConstantsMiss loads one element of a table by each lane: as many lines as hold them are there when the last of them is.
func TestConstantsMiss(t *testing.T) {
	code := emutest.Code(t, `.version 6.3
.target sm_20
.address_size 64
.const .align 64 .b32 table[64];
.visible .entry k(.param .u64 p)
{
.reg .b32 %r<8>; .reg .b64 %rd<4>;
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd1, %r1, 8;
mov.u64 %rd2, table;
add.u64 %rd2, %rd2, %rd1;
ld.const.u32 %r2, [%rd2];
add.u32 %r3, %r2, 1;
ld.const.u32 %r4, [%rd2+4];
add.u32 %r5, %r4, 1;
ret;
}
`)
	use := func(m *machine.Machine) (first, second int64) {
		at := gaps(observe(t, newSim(t, m, code), 1, 32), 0, 0)
		return at[5], at[7]
	}
	first, second := use(fermi(t))
	for _, c := range []struct {
		sets, ways    int64
		first, second int64
	}{
		{4, 1, max(first, 300), second},           // four lines of 64 bytes, and all fit
		{1, 4, max(first, 300), second},           // likewise
		{1, 2, max(first, 300), max(second, 300)}, // the first two have made room for the last two
	} {
		f, s := use(withCCache(fermi(t), c.sets, c.ways, 64, 300))
		if f != c.first || s != c.second {
			t.Errorf("%d sets of %d lines: the results are used after %d and %d cycles, want %d and %d", c.sets, c.ways, f, s, c.first, c.second)
		}
	}
}

package scoreboard

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// buffers gives the Fermi machine the way of memory instructions that Huerta et al. measured ("Analyzing Modern NVIDIA GPU Cores",
// MICRO 2025): each of some schedulers has a buffer of 5 instructions, which stay there for 11 cycles at least.
func buffers(t testing.TB, schedulers int64) *machine.Machine {
	m := fermi(t)
	m.SM.Count.Value, m.SM.Schedulers.Value, m.SM.SubCores.Value, m.SM.Policy.Value = 1, schedulers, machine.On, machine.GTY
	m.Pipelines = map[string]machine.Number{"sp": {Value: 1}, "sfu": {Value: 1}, "ldst": {Value: 1}}
	m.Classes = maps.Clone(m.Classes)
	for class, timing := range m.Classes {
		if timing.Pipeline == "ldst" {
			timing.Initiation = 1
			m.Classes[class] = timing
		}
	}
	m.LSU = machine.LSU{
		Buffer: machine.Number{Value: 5}, Latency: machine.Number{Value: 11}, Address: machine.Number{Value: 4},
		Interval: machine.Number{Value: 2}, Tags: machine.Number{Value: 4}, Tag: machine.Number{Value: 128},
	}
	return m
}

// loads returns so many independent loads.
func loads(space, from string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "ld.%s.u32 %%r%d, [%s];\n", space, 10+i%200, from)
	}
	return b.String()
}

// TestBuffers issues independent loads from shared memory, one after the other, in one warp of each scheduler: at the cycles that
// Huerta et al. measured, the first in the second cycle (Section 5.4 and its table).
func TestBuffers(t *testing.T) {
	code := compile(t, loads("shared", "sh", 10)+"ret;")
	for _, c := range []struct {
		warps   int
		address int64
		sixth   []int64 // when each warp issues its sixth
		next    int64   // cycles between those that follow
	}{
		{1, 4, []int64{13}, 4},
		{2, 4, []int64{13, 15}, 4},
		{4, 4, []int64{13, 15, 17, 19}, 8},
		{2, 1, []int64{13, 15}, 4}, // in turns, although each could go on; not measured
	} {
		m := buffers(t, 4)
		m.LSU.Address.Value = c.address
		o := observe(t, newSim(t, m, code), 1, 32*c.warps)
		for warp, sixth := range c.sixth {
			at := o.issues(0, warp)[:10]
			first := at[0]
			for i := range at {
				at[i] += 2 - first
			}
			want := []int64{2, 3, 4, 5, 6}
			for i := range int64(5) {
				want = append(want, sixth+c.next*i)
			}
			if !slices.Equal(at, want) {
				t.Errorf("%d warps, warp %d: issued at %d, want %d", c.warps, warp, at, want)
			}
		}
	}
}

// TestBufferedLatency checks that a buffer does not change when the result of a single access is ready.
func TestBufferedLatency(t *testing.T) {
	with, without := buffers(t, 1), buffers(t, 1)
	without.LSU = machine.LSU{}
	for _, body := range []string{
		"ld.shared.u32 %r1, [sh]; add.u32 %r2, %r1, 1; ret;",
		"ld.global.u32 %r1, [%buf]; add.u32 %r2, %r1, 1; ld.global.u32 %r3, [%buf]; add.u32 %r4, %r3, 1; ret;",
		"atom.global.add.u32 %r1, [%buf], 1; add.u32 %r2, %r1, 1; ret;",
		"ld.param.u64 %rd1, [p]; add.u64 %rd2, %rd1, 1; ret;",
	} {
		at, _ := solo(t, with, body)
		want, _ := solo(t, without, body)
		if !slices.Equal(at, want) {
			t.Errorf("%s: issued at %d with buffers, at %d without", body, at, want)
		}
	}
}

// TestStrides streams loads of one line after the other that hit the L1: how many cycles each takes follows from the banks for even
// distances between lanes and from the tags for odd ones. Equal to the measurements of RRZE-HPC/gpu-benches of an A100 within a tenth,
// and to 0.9 + lines/4 in the limit.
func TestStrides(t *testing.T) {
	measured := map[int]float64{1: 1.02, 2: 2.0, 3: 1.63, 4: 4.0, 5: 2.2, 7: 2.67, 8: 8, 16: 16, 31: 8.5, 32: 32}
	m := buffers(t, 4)
	m.LSU.Address.Value, m.LSU.Interval.Value = 1, 1
	m.L1.Sets.Value, m.L1.Ways.Value = 64, 8
	const n = 128
	for stride, want := range measured {
		body := fmt.Sprintf("and.b32 %%r1, %%t, 31; mul.lo.u32 %%r1, %%r1, %d; cvt.u64.u32 %%rd1, %%r1; add.u64 %%rd1, %%buf, %%rd1;\n", 4*stride)
		cycles := func(n int) int64 {
			return observe(t, newSim(t, m, compile(t, body+loads("global", "%rd1", n)+"ret;")), 1, 128).Cycles
		}
		each := float64(cycles(2*n)-cycles(n)) / (4 * n)
		if each < want*0.9 || each > want*1.1 {
			t.Errorf("stride %d: %.2f cycles per load, measured %.2f", stride, each, want)
		}
	}
}

// TestTags counts the lines that share a tag once, and those of two tags twice.
func TestTags(t *testing.T) {
	m := buffers(t, 1)
	m.L1.Line.Value, m.L2.Line.Value = 32, 32
	m.LSU.Tags.Value = 1
	for _, c := range []struct {
		shift int // log2 of the distance of lanes in bytes
		want  int64
	}{
		{2, 4},  // 4 lines of one tag: the interval of addresses
		{5, 8},  // 32 lines of 8 tags, and 8 words of a bank
		{6, 16}, // 32 lines of 16 tags
		{7, 32}, // 32 lines of 32 tags
	} {
		body := fmt.Sprintf("shl.b32 %%r1, %%t, %d; cvt.u64.u32 %%rd1, %%r1; add.u64 %%rd1, %%buf, %%rd1; ld.global.u32 %%r2, [%%rd1]; add.u32 %%r3, %%r2, 1;\n", c.shift)
		at, _ := solo(t, m, body+loads("global", "%rd1", 9)+"ret;")
		if got := at[len(at)-2] - at[len(at)-3]; got != c.want {
			t.Errorf("lanes %d bytes from each other: one load each %d cycles, want %d", 1<<c.shift, got, c.want)
		}
	}
}

// TestCarveOutOfTheL1 loads two lines of one set again and again: they fit together only if shared memory leaves two ways. What a
// launch leaves, the next one in the same storage does not find.
func TestCarveOutOfTheL1(t *testing.T) {
	body := "ld.global.u32 %r1, [%buf]; ld.global.u32 %r2, [%buf+4096]; ld.global.u32 %r3, [%buf]; ld.global.u32 %r4, [%buf+4096]; membar.gl;\n"
	m := fermi(t)
	m.L1.Index.Value, m.SM.CTAs.Value = machine.Linear, 1
	m.CarveOuts = map[string]machine.Number{"16": {Value: 4}, "48": {Value: 1}}
	s := newSim(t, m, compile(t, strings.Repeat(body, 3)+"ret;"))
	for _, c := range []struct {
		dynamic int
		misses  int64
	}{{0, 2}, {32 << 10, 12}, {0, 2}} {
		o := &observation{}
		l := launch(t, &o.mem, 1, 32)
		l.DynamicShared = c.dynamic
		o.run(t, s, l)
		if o.Counters.L1Misses != c.misses {
			t.Errorf("%d KiB more of shared memory: %d misses, want %d", c.dynamic>>10, o.Counters.L1Misses, c.misses)
		}
	}
}

// TestBuffersAllocateNothing runs loops of different lengths in the same storage.
func TestBuffersAllocateNothing(t *testing.T) {
	allocs := func(trips int) float64 {
		code := compile(t, fmt.Sprintf(`mul.wide.u32 %%rd1, %%t, 64; add.u64 %%rd1, %%buf, %%rd1; mov.u32 %%r3, 0;
			loop: ld.global.u32 %%r1, [%%rd1]; st.shared.u32 [sh], %%r1; st.global.u32 [%%rd1+4], %%r1; red.global.add.u32 [%%rd1], 1;
			add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p1, %%r3, %d; @%%p1 bra loop; ret;`, trips))
		s, err := New(sim.Config{Code: code, Machine: buffers(t, 4), RegsPerThread: 20})
		if err != nil {
			t.Fatal(err)
		}
		var mem emu.Memory
		l := launch(t, &mem, 4, 128)
		return testing.AllocsPerRun(2, func() {
			if _, err := s.Run(context.Background(), l, &mem, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	if short, long := allocs(2), allocs(20); long > short {
		t.Errorf("%v allocations with 2 trips, %v with 20", short, long)
	}
}

// TestBufferIsFull lets one scheduler wait for its buffer while the other goes on.
func TestBufferIsFull(t *testing.T) {
	m := buffers(t, 2)
	m.LSU.Buffer.Value = 1
	code := compile(t, "and.b32 %r1, %t, 32; setp.eq.u32 %p1, %r1, 0; @%p1 bra last;\n"+
		strings.Repeat("add.u32 %r2, %r2, 1;\n", 8)+"ret;\nlast: ld.shared.u32 %r3, [sh]; ld.shared.u32 %r4, [sh]; ret;")
	o := observe(t, newSim(t, m, code), 1, 64)
	at := o.issues(0, 0)
	if n := len(at); at[n-2]-at[n-3] != m.LSU.Latency.Value {
		t.Errorf("the second load is issued %d cycles behind the first, want %d", at[n-2]-at[n-3], m.LSU.Latency.Value)
	}
	if lsu := o.Schedulers[0][0].Stalls[sim.StallLSU]; lsu == 0 || o.Schedulers[0][1].Stalls[sim.StallLSU] != 0 {
		t.Errorf("waiting for the buffer: %d and %d cycles", lsu, o.Schedulers[0][1].Stalls[sim.StallLSU])
	}
}

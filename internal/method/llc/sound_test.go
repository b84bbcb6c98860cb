package llc_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/method/llc"
	"warpbound/internal/test/effort"
)

// randomMachine draws a small and odd machine.
func randomMachine(t testing.TB, src kernelgen.Source) *machine.Machine {
	t.Helper()
	builtin, err := machine.Builtin("integrated-fermi")
	if err != nil {
		t.Fatal(err)
	}
	m := *builtin
	m.Classes = maps.Clone(m.Classes)
	pick := func(n *machine.Number, values ...int64) { n.Value = values[src.IntN(len(values))] }
	pick(&m.SM.Count, 1, 2, 5)
	pick(&m.SM.CTAs, 1, 2, 8)
	pick(&m.SM.WarpSize, 4, 8, 32)
	m.SM.Threads.Value, m.SM.CTAThreads.Value = m.SM.Warps.Value*m.SM.WarpSize.Value, 64
	pick(&m.SM.Dispatch, 1, 8, 30)
	pick(&m.SM.Barrier, 4, 20)
	pick(&m.L1.Sets, 1, 4, 128)
	pick(&m.L1.Ways, 1, 2, 4)
	pick(&m.L1.Line, 32, 128)
	pick(&m.Shared.Banks, 1, 4, 32, 64)
	pick(&m.Shared.BankBytes, 4, 8, 16)
	pick(&m.Interconnect.Slot, 1, 3)
	pick(&m.Interconnect.Latency, 1, 8, 21)
	pick(&m.Interconnect.Credits, 1, 4, 128)
	pick(&m.LLC.Sets, 1, 4, 128)
	pick(&m.LLC.Ways, 1, 2, 32)
	pick(&m.LLC.Latency, 1, 24)
	pick(&m.LLC.Atomic, 0, 9)
	pick(&m.DRAM.Banks, 1, 16)
	pick(&m.DRAM.Row, 128, 4096)
	pick(&m.DRAM.Slot, 1, 4)
	pick(&m.DRAM.Open, 1, 40)
	pick(&m.DRAM.Conflict, 40, 104)
	pick(&m.Regulator.Quota, 1, 2, 7, 32, 1000)
	pick(&m.Regulator.Wait, 0, 64, 500)
	pick(&m.Regulator.Reset, 1, 4)
	m.Regulator.Switch.Value = []machine.Switch{machine.On, machine.On, machine.Off}[src.IntN(3)]
	for _, class := range isa.Classes() {
		timing := m.Timing(class)
		timing.Initiation = 1 + int64(src.IntN(4))
		timing.Latency = timing.Initiation + int64(src.IntN(30))*int64(src.IntN(2))
		m.Classes[class.String()] = timing
	}
	return &m
}

// bounded loads a job and bounds it. Loops that depend on data get a bound that they
// surely keep.
func bounded(t testing.TB, fsys fstest.MapFS, maximum int) (*warpbound.Job, []estimate.Estimate) {
	t.Helper()
	job, a := analysed(t, fsys, maximum, warpbound.Runs{})
	if job == nil {
		return nil, nil
	}
	return job, a.Estimates
}

// analysed is bounded with all that is found, also in runs.
func analysed(t testing.TB, fsys fstest.MapFS, maximum int, runs warpbound.Runs) (*warpbound.Job, *estimate.Analysis) {
	t.Helper()
	text := string(fsys["job.toml"].Data)
	if !strings.Contains(text, "[loop]") {
		text += "\n[loop]\n"
	}
	for {
		fsys["job.toml"] = &fstest.MapFile{Data: []byte(text)}
		job, err := warpbound.LoadFS(fsys, "job.toml", warpbound.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		methods := []string{llc.Simple.ID()}
		if job.Supports(llc.Interval.ID()) {
			methods = append(methods, llc.Interval.ID())
		}
		a, err := job.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: methods, Runs: runs})
		var loop *absexec.UnboundedLoop
		switch {
		case errors.As(err, &loop):
			text += fmt.Sprintf("%q = %d\n", loop.Place(), maximum)
		case err != nil && strings.Contains(err.Error(), "executes more than"):
			return nil, nil
		case err != nil:
			t.Fatal(err)
		default:
			return job, a
		}
	}
}

// TestRandomKernels bounds random kernels on random machines, and simulates them on some
// inputs, half of them beside a CPU. No run may take longer or have more misses. On a machine with one SM, and a DRAM all
// reads of which take the same time, nothing is unknown of the latencies if the paths are known,
// and the bound is the time of every run; unless a line is evicted before it arrives.
func TestRandomKernels(t *testing.T) {
	bound, ordered, same, sum := 0, 0, 0, 0.0
	for _, seed := range effort.Draw(t, 400) {
		src := rand.New(rand.NewPCG(seed, 2))
		opts := kernelgen.Options{
			Statements: 4 + src.IntN(10), Depth: 1 + src.IntN(3), Trips: 1 + src.IntN(3),
			Threads: 60, CTAs: 9, Irreducible: src.IntN(4) == 0, Bounded: src.IntN(8) > 0,
		}
		c := kernelgen.New(src, opts)
		if src.IntN(2) == 0 { // nothing depends on inputs
			c.Job = regexp.MustCompile(`"uniform\(.*\)"`).ReplaceAllString(c.Job, `"iota"`)
			c.Job = regexp.MustCompile(`range = \[(\d+), \d+\]`).ReplaceAllString(c.Job, "value = $1")
		}
		m := randomMachine(t, src)
		certain := m.SM.Count.Value == 1 && m.LLC.Sets.Value*m.LLC.Ways.Value >= 128
		if certain {
			m.DRAM.Open.Value = m.DRAM.Conflict.Value
		}
		fsys := fstest.MapFS{
			"job.toml":           {Data: []byte(regexp.MustCompile(`machine *=.*`).ReplaceAllString(c.Job, `machine = "m.toml"`))},
			kernelgen.ModuleFile: {Data: []byte(c.Module)},
			"m.toml":             {Data: m.Format()},
		}
		if rng := rand.New(rand.NewPCG(seed, 3)); rng.IntN(2) == 0 {
			certain = false
			fsys["cpu.stream"] = &fstest.MapFile{Data: []byte(fmt.Sprintf("for i < %d { %s [%d * i %% 4096]; wait %d; }",
				10+rng.IntN(1000), []string{"load", "store"}[rng.IntN(2)], 32*(1+rng.IntN(8)), rng.IntN(2)*rng.IntN(200)))}
			text := string(fsys["job.toml"].Data)
			fsys["job.toml"].Data = []byte(strings.Replace(text, "[[param]]", "[cpu]\nprogram = \"cpu.stream\"\n\n[[param]]", 1))
		}
		job, estimates := bounded(t, fsys, 2*opts.Trips)
		if job == nil {
			continue
		}
		maximum := int64(0)
		for vector := range 3 {
			run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{Vector: vector})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			maximum = max(maximum, run.Cycles)
			for _, e := range estimates {
				d := e.Detail.(*estimate.LLC)
				misses := run.Counters["l2_misses"]
				all := misses
				misses -= run.Cores[len(run.Cores)-1]["llc_misses"]
				if all > d.AllMisses || run.Cycles > e.Cycles || misses > d.Misses || certain && d.Exact && d.Bounded == 0 && (run.Cycles != e.Cycles || misses != d.Misses) {
					t.Errorf("seed %d, vector %d: %s says %d cycles, %d misses, %d with the CPU, exact %t; the run takes %d cycles, %d misses, %d with the CPU\n%s\n%s\n%s",
						seed, vector, e.Method, e.Cycles, d.Misses, d.AllMisses, d.Exact, run.Cycles, misses, all, fsys["job.toml"].Data, c.Module, fsys["m.toml"].Data)
				}
				if certain && d.Exact && d.Bounded == 0 {
					same++
				}
			}
		}
		d := estimates[0].Detail.(*estimate.LLC)
		if d.Exact {
			ordered++
			sum += float64(estimates[len(estimates)-1].Cycles) / float64(maximum)
		}
		bound++
	}
	t.Logf("%d bounds; the order of %d is known, with a mean of bound/simulation of %.3f; %d times exact", bound, ordered, sum/float64(max(ordered, 1)), same)
}

// TestKindsOfAccesses bounds two CTAs of two warps that use lines again by all kinds of accesses. With one SM and a DRAM all
// reads of which take the same time, the bound is the time of the run.
func TestKindsOfAccesses(t *testing.T) {
	for _, line := range []string{
		"ld.global.u32 %r2, [%a];",
		"ld.volatile.global.u32 %r2, [%a];",
		"ld.global.cg.u32 %r2, [%a];",
		"ld.global.cv.u32 %r2, [%a];",
		"ld.relaxed.gpu.global.u32 %r2, [%a];",
		"ld.u32 %r2, [%a];",
		"ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%b];",
		"st.global.u32 [%a], %r1;",
		"atom.global.add.u32 %r2, [%a], 1;",
		"red.global.add.u32 [%x], 1;",
		"prefetch.global.L1 [%a];",
		"membar.gl;",
	} {
		for _, ways := range []int64{3, 4, 12} {
			onOneSM(t, line, ways)
		}
	}
}

// holdsOnOneSM holds bounds against a run of a kernel of which one SM executes all, and returns how often that accesses the shared cache.
func holdsOnOneSM(t *testing.T, fsys fstest.MapFS) int64 {
	t.Helper()
	job, estimates := bounded(t, fsys, 1)
	run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	of := run.Cores[0]
	for _, e := range estimates {
		if d := e.Detail.(*estimate.LLC); e.Cycles < run.Cycles || d.Accesses < of["llc_accesses"] || d.Misses < of["llc_misses"] {
			t.Errorf("%s says %d cycles, %d accesses, %d misses; the run takes %d cycles, %d accesses, %d misses",
				e.Method, e.Cycles, d.Accesses, d.Misses, run.Cycles, of["llc_accesses"], of["llc_misses"])
		}
	}
	return of["llc_accesses"]
}

// TestVolatileLocal has loads that pass by the L1 in global memory, and are of local memory: there they take the place of other lines.
func TestVolatileLocal(t *testing.T) {
	m, err := machine.Builtin("integrated-fermi")
	if err != nil {
		t.Fatal(err)
	}
	one := *m
	one.SM.Count.Value = 1
	one.L1.Sets.Value, one.L1.Ways.Value = 1, 4
	fsys := fstest.MapFS{
		"m.toml": {Data: one.Format()},
		"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"m.toml\"\ngrid = [1]\nblock = [32]\n" +
			"[[param]]\nname = \"x\"\ntype = \"u32\"\ncount = 32\ninit = \"uniform(0, 1)\"\n")},
		"k.ptx": {Data: []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {
	.local .align 4 .b8 words[256];
	.reg .b32 %r<9>;
	.reg .b64 %a, %b, %l, %x;
	ld.param.u64 %x, [p];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %a, %r1, 4, %x;
	ld.global.u32 %r2, [%a];
	mad.lo.u32 %r2, %r1, 2, %r2; // another word of each thread, whatever is loaded
	mov.u64 %l, words;
	cvta.local.u64 %l, %l;
	mad.wide.u32 %b, %r2, 4, %l;
	ld.volatile.u32 %r3, [%b];
	xor.b32 %r2, %r2, 21;
	mad.wide.u32 %b, %r2, 4, %l;
	ld.volatile.u32 %r4, [%b];
	ld.global.u32 %r5, [%a];
	ret;
}
`)},
	}
	if n := holdsOnOneSM(t, fsys); n != 66 {
		t.Errorf("%d accesses, want two by each thread and two loads of the buffer's line", n)
	}
}

// TestLoadedPointers has loads by pointers that are loaded, of which it is not known where they point.
func TestLoadedPointers(t *testing.T) {
	var pointers []string
	for i := range 64 {
		pointers = append(pointers, fmt.Sprintf(`"nodes+%d"`, i*256))
	}
	fsys := fstest.MapFS{
		"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"integrated-fermi\"\ngrid = [1]\nblock = [32]\n" +
			"[[param]]\nname = \"x\"\ntype = \"u32\"\ncount = 32\ninit = \"uniform(0, 1)\"\n" +
			"[[param]]\nname = \"to\"\ntype = \"u64\"\ncount = 64\nvalues = [" + strings.Join(pointers, ", ") + "]\n" +
			"[[buffer]]\nname = \"nodes\"\ntype = \"u32\"\ncount = 4096\n")},
		"k.ptx": {Data: []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q) {
	.reg .b32 %r<9>;
	.reg .b64 %a, %b, %x, %y;
	ld.param.u64 %x, [p];
	ld.param.u64 %y, [q];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %a, %r1, 4, %x;
	ld.global.u32 %r2, [%a];
	mad.lo.u32 %r2, %r1, 2, %r2;
	mad.wide.u32 %a, %r2, 8, %y;
	ld.global.u64 %b, [%a];
	ld.global.u32 %r3, [%b];
	ret;
}
`)},
	}
	if n := holdsOnOneSM(t, fsys); n != 37 {
		t.Errorf("%d accesses, want one by each thread, and 5 of lines of the two tables", n)
	}
}

// onOneSM bounds a kernel that makes an access between loads. The L1 has one set of so many ways.
func onOneSM(t *testing.T, line string, ways int64) {
	t.Helper()
	m, err := machine.Builtin("integrated-fermi")
	if err != nil {
		t.Fatal(err)
	}
	one := *m
	one.SM.Count.Value, one.Interconnect.Credits.Value = 1, 4
	one.DRAM.Open.Value = one.DRAM.Conflict.Value
	one.L1.Sets.Value, one.L1.Ways.Value = 1, ways
	load := "ld.global.u32 %r2, [%a]; ld.global.u32 %r3, [%a+2048]; "
	fsys := fstest.MapFS{
		"m.toml": {Data: one.Format()},
		"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"m.toml\"\ngrid = [2]\nblock = [64]\n" +
			"[[param]]\nname = \"x\"\ntype = \"u32\"\ncount = 4096\n")},
		"k.ptx": {Data: []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {
	.reg .b32 %r<6>;
	.reg .b64 %a, %b, %x;
	ld.param.u64 %x, [p];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %a, %r1, 4, %x;
	mad.wide.u32 %b, %r1, 16, %x;
	` + load + line + load + line + load + line + `
	ret;
}
`)},
	}
	job, estimates := bounded(t, fsys, 1)
	run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range estimates {
		d := e.Detail.(*estimate.LLC)
		if c := run.Cores[0]; !d.Exact || e.Cycles != run.Cycles || d.Accesses != c["llc_accesses"] || d.Misses != c["llc_misses"] {
			t.Errorf("%s with %d ways: %s says %d cycles, %d accesses, %d misses; the run takes %d cycles, %d accesses, %d misses",
				line, ways, e.Method, e.Cycles, d.Accesses, d.Misses, run.Cycles, c["llc_accesses"], c["llc_misses"])
		}
	}
}

// TestIdleSM bounds two SMs, one of which computes for long without any access, so that the other waits for
// it at the end of its first interval.
func TestIdleSM(t *testing.T) {
	m, err := machine.Builtin("integrated-fermi")
	if err != nil {
		t.Fatal(err)
	}
	two := *m
	two.SM.Count.Value, two.Regulator.Quota.Value = 2, 1
	fsys := fstest.MapFS{
		"m.toml": {Data: two.Format()},
		"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"m.toml\"\ngrid = [2]\nblock = [32]\n" +
			"[[param]]\nname = \"x\"\ntype = \"u32\"\ncount = 4096\n")},
		"k.ptx": {Data: []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {
	.reg .b32 %r<3>;
	.reg .b64 %x;
	.reg .pred %q;
	mov.u32 %r1, %ctaid.x;
	setp.eq.u32 %q, %r1, 0;
	@%q bra IDLE;
	ld.param.u64 %x, [p];
	ld.global.u32 %r2, [%x];
	ld.global.u32 %r2, [%x+128];
	ret;
IDLE:
	` + strings.Repeat("div.u32 %r2, 7, %r1;\n\t", 30) + `ret;
}
`)},
	}
	job, estimates := bounded(t, fsys, 1)
	run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range estimates {
		if e.Cycles < run.Cycles || !e.Detail.(*estimate.LLC).Exact || run.Cycles < 30*145+100 {
			t.Errorf("%s: bound %d, run %d", e.Method, e.Cycles, run.Cycles)
		}
	}
}

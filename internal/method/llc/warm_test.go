package llc_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/method/llc"
	"warpbound/internal/test/effort"
)

// warmProgram draws a sequence of launches that find in the shared cache what the ones before left, half of them beside a CPU.
func warmProgram(t testing.TB, seed uint64) (fsys fstest.MapFS, trips int) {
	src := rand.New(rand.NewPCG(seed, 5))
	opts := kernelgen.Options{
		Statements: 2 + src.IntN(8), Depth: 1 + src.IntN(2), Trips: 1 + src.IntN(3), Threads: 60, CTAs: 6, Bounded: src.IntN(8) > 0,
	}
	c := kernelgen.NewSequence(src, opts)
	if src.IntN(3) > 0 { // nothing depends on inputs
		c.Job = regexp.MustCompile(`"uniform\(.*\)"`).ReplaceAllString(c.Job, `"iota"`)
		c.Job = regexp.MustCompile(`range = \[(\d+), \d+\]`).ReplaceAllString(c.Job, "value = $1")
	}
	m := randomMachine(t, src)
	m.LLC.Ways.Value = []int64{1, 4, 12, 32}[src.IntN(4)]
	text := regexp.MustCompile(`machine *=.*`).ReplaceAllString(c.Job, "machine = \"m.toml\"\ncaches = \"warm\"")
	fsys = fstest.MapFS{kernelgen.ModuleFile: {Data: []byte(c.Module)}, "m.toml": {Data: m.Format()}}
	if src.IntN(2) == 0 {
		buffer := []string{"", "in"}[src.IntN(2)]
		fsys["cpu.stream"] = &fstest.MapFile{Data: fmt.Appendf(nil, "for i < %d { %s %s[(%d * i) %% 1024]; wait %d; }",
			10+src.IntN(1000), []string{"load", "store"}[src.IntN(2)], buffer, 32*(1+src.IntN(8)), src.IntN(2)*src.IntN(200))}
		text = strings.Replace(text, "[[param]]", "[cpu]\nprogram = \"cpu.stream\"\n\n[[param]]", 1)
	}
	fsys["job.toml"] = &fstest.MapFile{Data: []byte(text)}
	return fsys, opts.Trips
}

// TestWarmSequences bounds random launches that follow each other on random machines with a warm cache, and simulates them on
// some inputs. No execution of a launch may take longer than its bound, and no run may have more misses than the bounds of
// its launches say together.
func TestWarmSequences(t *testing.T) {
	launches, hits, less := 0, 0, 0
	for _, seed := range effort.Draw(t, 400) {
		fsys, trips := warmProgram(t, seed)
		job, a := analysed(t, fsys, 2*trips, warpbound.Runs{Vectors: 3, Observe: true})
		if job == nil {
			continue
		}
		fail := func(format string, args ...any) {
			t.Errorf("seed %d: %s\n%s\n%s\n%s", seed, fmt.Sprintf(format, args...), fsys["job.toml"].Data, fsys[kernelgen.ModuleFile].Data, fsys["m.toml"].Data)
		}
		misses, all := map[string]int64{}, map[string]int64{}
		for _, l := range a.Launches {
			launches++
			for _, e := range l.Estimates {
				d := e.Detail.(*estimate.LLC)
				if l.Observed.Max > e.Cycles {
					fail("%s of %s says %d cycles, an execution takes %d", e.Method, l.Kernel, e.Cycles, l.Observed.Max)
				}
				misses[e.Method] += d.Misses * *l.Executions.Bound
				all[e.Method] += d.AllMisses * *l.Executions.Bound
				if e.Method == llc.Simple.ID() {
					hits += int(d.Hits)
				}
			}
		}
		for vector := range 3 {
			run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{Vector: vector})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			of := run.Counters["l2_misses"]
			ofCPU := run.Cores[len(run.Cores)-1]["llc_misses"]
			for method, bound := range misses {
				if of > all[method] || of-ofCPU > bound {
					fail("%s says %d misses, %d with the CPU; vector %d has %d of %d", method, bound, all[method], vector, of-ofCPU, of)
				}
			}
		}
		cold := fstest.MapFS{}
		for name, f := range fsys {
			cold[name] = f
		}
		cold["job.toml"] = &fstest.MapFile{Data: []byte(strings.Replace(string(fsys["job.toml"].Data), `caches = "warm"`, "", 1))}
		_, b := analysed(t, cold, 2*trips, warpbound.Runs{})
		if a.Estimates[0].Cycles < b.Estimates[0].Cycles {
			less++
		}
	}
	t.Logf("%d launches, %d accesses that hit; %d bounds are less than with cold caches", launches, hits, less)
	if effort.Many() && less == 0 {
		t.Error("no bound knows what launches find")
	}
}

// again has kernels the threads of which each read a word of a line of their own: surely, or if the first word of all is not 0, or
// behind a branch if n is not. One writes there instead. The last one writes to the second line, computes for long, and reads from the third one, of the same row.
const again = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n) {
	.reg .b32 %r<3>;
	.reg .b64 %x, %a;
	ld.param.u64 %x, [p];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %a, %r1, 128, %x;
	ld.global.u32 %r2, [%a];
	ret;
}
.visible .entry store(.param .u64 p, .param .u32 n) {
	.reg .b32 %r<3>;
	.reg .b64 %x, %a;
	ld.param.u64 %x, [p];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %a, %r1, 128, %x;
	st.global.u32 [%a], %r1;
	ret;
}
.visible .entry guarded(.param .u64 p, .param .u32 n) {
	.reg .pred %q;
	.reg .b32 %r<3>;
	.reg .b64 %x, %a;
	ld.param.u64 %x, [p];
	ld.global.u32 %r2, [%x];
	setp.ne.u32 %q, %r2, 0;
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %a, %r1, 128, %x;
	@%q ld.global.u32 %r2, [%a];
	ret;
}
.visible .entry branches(.param .u64 p, .param .u32 n) {
	.reg .pred %q;
	.reg .b32 %r<3>;
	.reg .b64 %x, %a;
	ld.param.u64 %x, [p];
	ld.global.u32 %r2, [%x];
	ld.param.u32 %r2, [n];
	setp.eq.u32 %q, %r2, 0;
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %a, %r1, 128, %x;
	@%q bra ELSE;
	ld.global.u32 %r2, [%a];
	bra END;
ELSE:
	add.u32 %r2, %r2, 1;
END:
	ret;
}
.visible .entry late(.param .u64 p, .param .u32 n) {
	.reg .b32 %r<3>;
	.reg .b64 %x;
	ld.param.u64 %x, [p];
	mov.u32 %r1, 7;
	st.global.u32 [%x+128], %r1;
	COMPUTE
	ld.global.u32 %r2, [%x+256];
	ret;
}
`

// TestHeld bounds launches on a machine whose shared cache has one set of 32 ways: the second one hits if the lines of all
// launches and of the CPU fit into the set, and only then.
func TestHeld(t *testing.T) {
	for _, c := range []struct {
		name, launches, cpu string
		misses              []int64
	}{
		{"all fit", "launch = [{block = [16]}, {block = [16]}]", "", []int64{16, 0}},
		{"just fit", "launch = [{block = [16]}, {block = [32]}]", "", []int64{16, 16}},
		{"stores", "launch = [{kernel = \"store\", block = [16]}, {block = [16]}]", "", []int64{16, 0}},
		{"a third launch has more", "launch = [{block = [16]}, {block = [16]}, {block = [33]}]", "", []int64{16, 16, 33}},
		{"fewer before", "launch = [{block = [8]}, {block = [16]}, {block = [16]}]", "", []int64{8, 8, 0}},
		{"the first again", "launch = [{repeat = 2, block = [16]}, {block = [16]}]", "", []int64{16, 0}},
		{"a CPU that fits", "launch = [{block = [16]}, {block = [16]}]", "for i < 16 { load [128 * i]; }", []int64{16, 0}},
		{"a guard", "launch = [{kernel = \"guarded\", block = [16]}, {block = [16]}]", "", []int64{16, 15}},
		{"a branch", "launch = [{kernel = \"branches\", block = [16]}, {block = [16]}]", "", []int64{16, 15}},
		{"a row that is not open", "launch = [{kernel = \"guarded\", block = [2]}, {kernel = \"late\", block = [1]}]", "", []int64{2, 2}},
		{"a CPU that does not", "launch = [{block = [16]}, {block = [16]}]", "for i < 17 { load [128 * i]; }", []int64{16, 16}},
	} {
		m, err := machine.Builtin("integrated-fermi")
		if err != nil {
			t.Fatal(err)
		}
		one := *m
		one.LLC.Sets.Value, one.LLC.Ways.Value = 1, 32
		files := fstest.MapFS{
			"m.toml": {Data: one.Format()}, "k.ptx": {Data: []byte(strings.Replace(again, "COMPUTE", strings.Repeat("div.u32 %r1, 700, %r1;\n", 10), 1))}, "cpu.stream": {Data: []byte(c.cpu)},
			"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"m.toml\"\ncaches = \"warm\"\nkernel = \"k\"\ngrid = [1]\n" +
				"param = [{name = \"x\", type = \"u32\", count = 4096, init = \"uniform(0, 1)\"}, {name = \"n\", type = \"u32\", range = [0, 1]}]\n" + c.launches + "\n")},
		}
		if c.cpu != "" {
			files["job.toml"].Data = append(files["job.toml"].Data, "[cpu]\nprogram = \"cpu.stream\"\n"...)
		}
		job, err := warpbound.LoadFS(files, "job.toml", warpbound.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := job.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{llc.Simple.ID()}, Runs: warpbound.Runs{Vectors: 8, Observe: true}})
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range a.Launches {
			d := l.Estimates[0].Detail.(*estimate.LLC)
			if d.Misses != c.misses[i] || d.FirstUses != 0 && i > 0 || l.Observed.Max > l.Estimates[0].Cycles {
				t.Errorf("%s: launch %d may have %d misses, want %d; %d first uses, %d cycles of at most %d", c.name, i+1, d.Misses, c.misses[i], d.FirstUses, l.Observed.Max, l.Estimates[0].Cycles)
			}
		}
	}
}

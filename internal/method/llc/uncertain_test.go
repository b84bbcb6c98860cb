package llc_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method/llc"
	"warpbound/internal/test/effort"
	"warpbound/kernels"
)

// uncertainKernel draws a kernel whose warps surely issue certain instructions, but whose accesses to memory
// depend on what lanes load: whether they make them, and where. Some CTAs compute for long.
func uncertainKernel(src *rand.Rand) string {
	var body strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&body, "\t"+format+"\n", args...) }
	pick := func(all ...string) string { return all[src.IntN(len(all))] }
	known := func() { // an address in %a
		say("mad.lo.u32 %%i, %s, %d, %d;", pick("%g", "%t", "%c", "%n"), []int{0, 1, 1, 2, 8, 33}[src.IntN(6)], src.IntN(200))
		say("and.b32 %%i, %%i, 1020;")
	}
	unknown := func() {
		say("mad.lo.u32 %%i, %%u, %d, %s;", 1+2*src.IntN(40), pick("%t", "%n", "7"))
		say("and.b32 %%i, %%i, 1020;")
	}
	access := func() {
		guard := ""
		if src.IntN(3) > 0 {
			say("setp.%s.u32 %%p, %s, %d;", pick("lt", "ge", "eq"), pick("%u", "%v"), src.IntN(10))
			guard = pick("@%p ", "@!%p ")
		}
		if src.IntN(4) == 0 {
			unknown()
		} else {
			known()
		}
		if src.IntN(8) == 0 {
			access, base := pick("ld.local.u32 %r, [%a]", "st.local.u32 [%a], %r", "ld.local.u64 %d, [%x8]", "ld.u32 %r, [%a]"), "%x8"
			if access == "ld.u32 %r, [%a]" { // generic
				base = "%l"
			}
			say("and.b32 %%i, %%i, 60;\n\tcvt.u64.u32 %%b, %%i;\n\tadd.u64 %%a, %%b, %s;", base)
			say("%s%s;", guard, access)
			return
		}
		say("mad.wide.u32 %%a, %%i, 4, %s;", pick("%x", "%y"))
		say("%s%s;", guard, pick("ld.global.u32 %r, [%a]", "ld.global.u32 %r, [%a]", "ld.global.v4.u32 {%r, %r, %r, %r}, [%a]",
			"ld.volatile.global.u32 %r, [%a]", "st.global.u32 [%a], %r", "red.global.add.u32 [%a], 1", "atom.global.add.u32 %r, [%a], 1",
			"ld.u32 %r, [%a]", "prefetch.global.L1 [%a]"))
	}
	statement := func() {
		switch src.IntN(8) {
		case 0:
			say("div.u32 %%r, %%g, 7;")
		case 1:
			say("%s", pick("bar.sync 0;", "membar.gl;", "mul.lo.u32 %r, %r, 3;"))
		case 2:
			label := body.Len()
			say("setp.eq.u32 %%q, %%c, %d;", src.IntN(9))
			say("@!%%q bra ON%d;\n%sON%d:", label, strings.Repeat("\tdiv.u32 %r, %g, 7;\n", 1+src.IntN(20)), label)
		default:
			access()
		}
	}
	for range src.IntN(6) {
		statement()
	}
	say("mov.u32 %%n, 0;\nLOOP:")
	for range 1 + src.IntN(8) {
		statement()
	}
	say("add.u32 %%n, %%n, 1;\n\tsetp.lt.u32 %%q, %%n, %d;\n\t@%%q bra LOOP;", 1+src.IntN(6))
	for range src.IntN(6) {
		statement()
	}
	return `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 px, .param .u64 py, .param .u64 pf) {
	.reg .b32 %t, %c, %g, %i, %n, %u, %v, %r;
	.reg .b64 %x, %y, %f, %a, %b, %l, %x8, %d;
	.reg .pred %p, %q;
	.local .align 8 .b8 own[256];
	ld.param.u64 %x, [px];
	ld.param.u64 %y, [py];
	ld.param.u64 %f, [pf];
	mov.u64 %x8, own;
	cvta.local.u64 %l, %x8;
	mov.u32 %t, %tid.x;
	mov.u32 %c, %ctaid.x;
	mov.u32 %n, %ntid.x;
	mad.lo.u32 %g, %c, %n, %t;
	mov.u32 %r, %g;
	ld.global.u32 %v, [%f];
	mad.wide.u32 %a, %g, 4, %f;
	ld.global.u32 %u, [%a];
	mov.u32 %n, 0;
` + body.String() + "\tret;\n}\n"
}

// TestUncertainAccesses bounds random kernels of which all is known but which accesses lanes make and where,
// on random machines, and simulates them. No run may take longer or have more misses.
func TestUncertainAccesses(t *testing.T) {
	count, uncertain, sum := 0, 0, 0.0
	for _, seed := range effort.Draw(t, 200) {
		src := rand.New(rand.NewPCG(seed, 4))
		m := randomMachine(t, src)
		files := fstest.MapFS{
			"m.toml": {Data: m.Format()},
			"k.ptx":  {Data: []byte(uncertainKernel(src))},
			"job.toml": {Data: fmt.Appendf(nil, `module = "k.ptx"
machine = "m.toml"
grid = [%d]
block = [%d]
seed = %d
param = [{name = "x", type = "u32", count = 2048}, {name = "y", type = "u32", count = 2048}, {name = "f", type = "u32", count = 1024, init = "uniform(0, %d)"}]
`, 1+src.IntN(9), 1+src.IntN(64), seed, 1+src.IntN(9))},
		}
		if src.IntN(3) == 0 {
			files["cpu.stream"] = &fstest.MapFile{Data: fmt.Appendf(nil, "for i < %d { %s [%d * i %% 4096]; wait %d; }",
				10+src.IntN(1000), []string{"load", "store"}[src.IntN(2)], 32*(1+src.IntN(8)), src.IntN(2)*src.IntN(200))}
			files["job.toml"].Data = append(files["job.toml"].Data, "[cpu]\nprogram = \"cpu.stream\"\n"...)
		}
		job, estimates := bounded(t, files, 1)
		if job == nil {
			continue
		}
		longest := int64(0)
		for vector := range 4 {
			run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{Vector: vector})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, files["k.ptx"].Data)
			}
			longest = max(longest, run.Cycles)
			for _, e := range estimates {
				d := e.Detail.(*estimate.LLC)
				all := run.Counters["l2_misses"]
				misses := all - run.Cores[len(run.Cores)-1]["llc_misses"]
				if run.Cycles > e.Cycles || misses > d.Misses || all > d.AllMisses {
					t.Errorf("seed %d, vector %d: %s says %d cycles, %d misses, %d with the CPU, %d uncertain; the run takes %d cycles, %d misses, %d with the CPU\n%s\n%s\n%s",
						seed, vector, e.Method, e.Cycles, d.Misses, d.AllMisses, d.Uncertain, run.Cycles, misses, all, files["job.toml"].Data, files["k.ptx"].Data, files["m.toml"].Data)
				}
			}
		}
		e := estimates[len(estimates)-1]
		count++
		if e.Detail.(*estimate.LLC).Uncertain > 0 {
			uncertain++
			sum += float64(e.Cycles) / float64(longest)
		}
	}
	t.Logf("%d kernels, %d with uncertain accesses in a known order and a mean of bound/simulation of %.2f", count, uncertain, sum/float64(max(1, uncertain)))
}

var (
	entry  = regexp.MustCompile(`(?s)(\.entry [^)]*)\)(.*?)\{`)
	global = regexp.MustCompile(`(?m)^\t((ld|st)\.global.*)$`)
)

// guarded returns a suite's job with a load before the n-th of its accesses to global memory, which is
// guarded by what it loads if guard says so.
func guarded(t *testing.T, name string, n int, guard bool) *warpbound.Job {
	t.Helper()
	read := func(file string) string {
		data, err := fs.ReadFile(kernels.Suite(), name+"/"+file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	module := entry.ReplaceAllString(read(name+".ptx"), "$1, .param .u64 perhaps)$2{ .reg .pred %perhaps; .reg .b32 %flag; .reg .b64 %flags;")
	at := global.FindAllStringSubmatchIndex(module, -1)[n]
	text := module[at[2]:at[3]]
	if guard {
		text = "@%perhaps " + text
	}
	text = "ld.param.u64 %flags, [perhaps]; ld.global.u32 %flag, [%flags]; setp.eq.u32 %perhaps, %flag, 1; " + text
	files := fstest.MapFS{
		name + ".ptx": {Data: []byte(module[:at[2]] + text + module[at[3]:])},
		"job.toml":    {Data: []byte(read("job.toml") + "\n[[param]]\nname = \"perhaps\"\ntype = \"u32\"\ncount = 1\ninit = \"uniform(0, 1)\"\n")},
	}
	j, err := warpbound.LoadFS(files, "job.toml", warpbound.LoadOptions{Machine: "integrated-fermi"})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestOneUncertainAccess makes one access of kernels of the suite uncertain. That raises their bound by at most
// twice what a miss takes, for each execution of it by a warp.
func TestOneUncertainAccess(t *testing.T) {
	builtin, err := machine.Builtin("integrated-fermi")
	if err != nil {
		t.Fatal(err)
	}
	_, miss := builtin.LLCSpan()
	for name, n := range map[string]int{"vectorAdd": 0, "cfdStep": 2, "sradUpdate": 3, "ludInternal": 0, "gaussianUpdate": 1, "nwLower": 7} {
		t.Run(name, func(t *testing.T) {
			executions := int64(0)
			run, err := guarded(t, name, n, true).Simulate(context.Background(), warpbound.SimulateOptions{Step: func(s *estimate.Step) {
				if strings.HasPrefix(s.Instr, "@%perhaps ") {
					executions++
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			bounds := func(guard bool) []estimate.Estimate {
				opts := warpbound.AnalyzeOptions{Methods: []string{llc.Simple.ID(), llc.Interval.ID()}}
				a, err := guarded(t, name, n, guard).Analyze(context.Background(), opts)
				if err != nil {
					t.Fatal(err)
				}
				return a.Estimates
			}
			plain, doubtful := bounds(false), bounds(true)
			for i, m := range []llc.Method{llc.Simple, llc.Interval} {
				before, after := &plain[i], &doubtful[i]
				d := after.Detail.(*estimate.LLC)
				if !before.Detail.(*estimate.LLC).Exact || d.Exact != (d.Uncertain == 0) || !d.Ordered() {
					t.Errorf("%s: exact %t, and with a guard %t with %d uncertain accesses", m, before.Detail.(*estimate.LLC).Exact, d.Exact, d.Uncertain)
				}
				if issue := before.Detail.(*estimate.LLC).Issue; d.Issue < issue*3/4 || d.Stall < 0 || d.Issue+d.Stall+d.Dispatch != after.Cycles {
					t.Errorf("%s: of %d cycles %d are issue, before %d, %d stalls and %d dispatch", m, after.Cycles, d.Issue, issue, d.Stall, d.Dispatch)
				}
				if after.Cycles < run.Cycles || executions == 0 || after.Cycles-before.Cycles > 2*miss.Max*executions {
					t.Errorf("%s: %d cycles, %d with a guard, which %d warps execute; the run takes %d", m, before.Cycles, after.Cycles, executions, run.Cycles)
				}
			}
		})
	}
}

// TestNoAccesses bounds warps of which it is not known what they issue, and that access no memory: no accesses
// have a miss rate of 0.
func TestNoAccesses(t *testing.T) {
	_, all := bounded(t, fstest.MapFS{
		"k.ptx": {Data: []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k() {
	.reg .b32 %n;
	.reg .pred %p;
	mov.u32 %n, %smid;
	setp.lt.u32 %p, %n, 7;
	@%p bra EXIT;
	add.u32 %n, %n, 1;
EXIT:
	ret;
}
`)},
		"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"integrated-fermi\"\ngrid = [1]\nblock = [32]\n")},
	}, 1)
	for _, e := range all {
		if d := e.Detail.(*estimate.LLC); d.Exact || d.Accesses != 0 || d.MissRate != 0 {
			t.Errorf("%s: exact %t, %d accesses, miss rate %v", e.Method, d.Exact, d.Accesses, d.MissRate)
		}
	}
}

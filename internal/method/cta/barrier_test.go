package cta_test

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/internal/machine"
	"warpbound/internal/method/cta"
	"warpbound/kernels"
)

// barrierDelays are values of sm.barrier: from the least to one that outweighs all else.
var barrierDelays = []int64{1, 60, 5000}

// barriers is a file of predictable-rr with another delay of barriers.
func barriers(t testing.TB, delay int64) *fstest.MapFile {
	t.Helper()
	m, err := machine.Builtin("predictable-rr")
	if err != nil {
		t.Fatal(err)
	}
	varied := *m
	varied.SM.Barrier.Value = delay
	return &fstest.MapFile{Data: varied.Format()}
}

// holds bounds a job and runs it on so many vectors. No run may take longer, and if all paths are known,
// none shorter.
func holds(t *testing.T, fsys fs.FS, name string, vectors int) {
	t.Helper()
	job, err := warpbound.LoadFS(fsys, name, warpbound.LoadOptions{Machine: "m.toml"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := job.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{cta.ID}})
	if err != nil {
		t.Fatal(err)
	}
	e := &a.Estimates[0]
	longest := int64(0)
	for vector := range vectors {
		run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{Vector: vector})
		if err != nil {
			t.Fatal(err)
		}
		longest = max(longest, run.Cycles)
		if run.Cycles > e.Cycles || e.Exact() && run.Cycles != e.Cycles {
			t.Errorf("vector %d: %d cycles, bound %d, exact %t", vector, run.Cycles, e.Cycles, e.Exact())
		}
	}
	t.Logf("bound %d, exact %t, longest run %d", e.Cycles, e.Exact(), longest)
}

// TestBarrierDelays bounds the suite's kernels that have barriers, on machines that take long from the
// last arrival at a barrier until its warps are ready. What the barriers cost then decides.
func TestBarrierDelays(t *testing.T) {
	for _, job := range []string{
		"bitonicSort/job.toml", "histogram64/worst.toml", "ludDiagonal/job.toml", "matrixMul/job.toml",
		"nwLower/job.toml", "reduction/job.toml", "triangleSum/job.toml",
	} {
		for _, delay := range barrierDelays {
			t.Run(fmt.Sprint(job, "/", delay), func(t *testing.T) {
				files := fstest.MapFS{"m.toml": barriers(t, delay)}
				err := fs.WalkDir(kernels.Suite(), ".", func(path string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					data, err := fs.ReadFile(kernels.Suite(), path)
					files[path] = &fstest.MapFile{Data: data}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				holds(t, files, job, 1)
			})
		}
	}
}

// TestPartialBarriers does the same for barriers of which it is not known who comes to them: those
// for part of a CTA, and those at which warps arrive without waiting.
func TestPartialBarriers(t *testing.T) {
	for name, barrier := range map[string]string{
		"pairs":    "bar.sync %r4, 64;",
		"arriving": "@%q bra WAIT$; bar.arrive $, 128; bra.uni ON$; WAIT$: bar.sync $, 128; ON$:",
	} {
		for _, delay := range barrierDelays {
			t.Run(fmt.Sprint(name, "/", delay), func(t *testing.T) {
				body := ""
				for i := range 6 {
					late := fmt.Sprintf("setp.lt.u32 %%p, %%r5, %d; @%%p bra LATE$; div.u32 %%r6, %%r6, %%r5; LATE$: ", 1+i%3)
					body += strings.ReplaceAll(late+barrier, "$", fmt.Sprint(i)) + "\n\t"
				}
				holds(t, fstest.MapFS{
					"m.toml": barriers(t, delay),
					"job.toml": {Data: []byte("module = \"k.ptx\"\ngrid = [3]\nblock = [128]\n" +
						"[[param]]\nname = \"x\"\ntype = \"u32\"\ncount = 384\ninit = \"uniform(1, 3)\"\n")},
					"k.ptx": {Data: []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 x) {
	.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p, %q;
	mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 128, %r1;
	ld.param.u64 %rd1, [x]; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r5, [%rd1];
	shr.u32 %r4, %r1, 6; setp.lt.u32 %q, %r1, 64; mov.u32 %r6, 1000;
	` + body + `st.global.u32 [%rd1], %r6;
	ret;
}
`)},
				}, "job.toml", 3)
			})
		}
	}
}

// TestBarrierThatMayBePassedBy has a warp with a guarded barrier that it may pass by. In the run it does, so that the long parts of the two warps
// follow one another.
func TestBarrierThatMayBePassedBy(t *testing.T) {
	long := strings.Repeat("ld.global.u32 %r3, [%d];\nadd.u32 %r3, %r3, 1;\n", 30)
	a, run := boundAndRun(t, ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n.reg .b64 %d;\n.reg .pred %p<3>;\n"+
		"ld.param.u64 %d, [p];\nmov.u32 %r1, %tid.x;\nld.global.u32 %r2, [%d];\nsetp.eq.u32 %p0, %r2, 0;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra FIRST;\n"+
		"@%p0 bar.sync 0;\n"+long+"bar.sync 0;\nret;\nFIRST:\nbar.sync 0;\n"+long+"ret;\n}\n",
		"grid = [1]\nblock = [64]\n[[param]]\nname = \"p\"\ntype = \"u32\"\ncount = 1\ninit = \"uniform(1, 9)\"\n", warpbound.LoadOptions{})
	if e := &a.Estimates[0]; e.Cycles < run.Cycles || e.Cycles > run.Cycles*101/100 {
		t.Errorf("bound %d, the run takes %d", e.Cycles, run.Cycles)
	}
}

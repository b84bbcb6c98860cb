package split_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"warpbound/estimate"

	"warpbound"
)

var atomics = strings.Repeat("red.global.add.u32 [%rd1], 1; ", 10)

// seldom is a loop of 30 iterations, the first %r5 of which skip most of its body.
var seldom = "mov.u32 %r3, 0;\nA: setp.lt.u32 %p1, %r3, %r5; @%p1 bra B;" + strings.Repeat("add.u32 %r4, %r4, %r3; ", 40) +
	"\nB: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 30; @%p2 bra A;"

// Long loops are more than abstract execution follows with so little effort.
const (
	little     = 1.0 / 32
	iterations = "12000"
)

// TestKernels bounds kernels that random ones do not contain.
func TestKernels(t *testing.T) {
	all := []string{"none", "dws", "pws"}
	for name, c := range map[string]struct {
		body    string
		maximum float64 // bound divided by simulation
		grid    int     // workgroups
		block   int     // work-items of each
		modes   []string
	}{
		// Abstract execution gives up, and counters bound the loop. Each exit that may be taken waits for stores.
		"long loop with exit": {"ld.global.u32 %r5, [%rd1]; mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1; xor.b32 %r4, %r4, %r3; add.u32 %r4, %r4, 3; setp.eq.u32 %p2, %r5, %r3; @%p2 ret;" +
			"setp.lt.u32 %p1, %r3, " + iterations + "; @%p1 bra L; st.global.u32 [%rd1], %r4;", 5, 1, 1, []string{"none"}},
		// Abstract execution adds iterations up.
		"long loop": {"mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1; xor.b32 %r4, %r4, %r3; add.u32 %r4, %r4, 3; add.u32 %r4, %r4, 5;" +
			"setp.lt.u32 %p1, %r3, " + iterations + "; @%p1 bra L; st.global.u32 [%rd1], %r4;", 1.05, 1, 1, []string{"none"}},
		"prefetch": {"prefetch.global.L1 [%rd1]; prefetch.global.L2 [%rd1]; ld.global.u32 %r3, [%rd1];", 1.6, 4, 128, all},
		// Fences wait for what was stored.
		"fences": {"st.global.u32 [%rd1], %r1; membar.gl; st.global.u32 [%rd1], %r1; membar.cta; membar.gl;", 1.9, 4, 128, all},
		// Each iteration of the inner loop is counted once, not the most of any for each of the outer.
		"triangle": {"mov.u32 %r3, 0;\nA: mov.u32 %r4, 0;\nB: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r3; @%p1 bra B;" +
			"add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 30; @%p1 bra A; st.global.u32 [%rd1], %r4;", 1.1, 4, 128, all},
		// Wavefronts that wait for each other in a loop that not all work-items go through equally often.
		// At each barrier one of two wavefronts comes late, first this one, then that. On average over
		// its iterations either is early half of the time.
		"late in turn": {"shr.u32 %r5, %r1, 6; mov.u32 %r3, 0;\nA: add.u32 %r6, %r3, %r5; and.b32 %r6, %r6, 1; shl.b32 %r6, %r6, 5; mov.u32 %r4, 0;\n" +
			"B: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r6; @%p1 bra B; bar.sync 0;" +
			"add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 10; @%p1 bra A;", 1.1, 1, 128, all},
		// Work-items leave the loop one after the other on a path that not all of them take, and then go round it as often as the
		// last of them alone.
		"leaving in turn": {"mov.u32 %r3, 0;\nA: xor.b32 %r5, %r3, %r1; and.b32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra B; setp.ge.u32 %p2, %r3, %r1; @%p2 bra END;\n" +
			"B: add.u32 %r4, %r4, %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 70; @%p3 bra A;", 1.3, 4, 64, []string{"none"}},
		// It is not known when the loop is left, so that what is behind it may be executed before the next iteration, and waits for the store.
		"left from the middle": {"ld.global.u32 %r5, [%rd1]; st.global.u32 [%rd1], %r5; xor.b32 %r5, %r5, 31; and.b32 %r5, %r5, 31; mov.u32 %r3, 0;\nA: bar.sync 0; @%p1 bra B; @%p2 bra END;\n" +
			"B: add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, %r5; @%p3 bra A;", 8.5, 1, 1, []string{"none"}},
		// Everything known of two wavefronts is equal, but one takes the branch in one iteration and the other in all.
		"wavefronts that do less": {"shr.u32 %r5, %r1, 6; xor.b32 %r5, %r5, 1; mul.lo.u32 %r5, %r5, 29;" + seldom, 1.1, 1, 128, all},
		"workgroups that do less": {"mov.u32 %r5, %ctaid.x; xor.b32 %r5, %r5, 1; mul.lo.u32 %r5, %r5, 29;" + seldom, 1.1, 2, 64, all},
		// The first wavefront of the first workgroup does less than the second of the second; the others end at once.
		"others that do less": {"shr.u32 %r5, %r1, 6; mov.u32 %r6, %ctaid.x; setp.ne.u32 %p1, %r5, %r6; @%p1 bra END; xor.b32 %r5, %r5, 1; mul.lo.u32 %r5, %r5, 29;" + seldom, 1.1, 2, 128, all},
		// Only the last of many workgroups has the loop, and only one of its work-items.
		"last workgroup": {"mov.u32 %r5, %ctaid.x; mul.lo.u32 %r5, %r5, 128; add.u32 %r5, %r5, %r1; setp.ne.u32 %p1, %r5, 12799; @%p1 bra END; mov.u32 %r3, 0;\n" +
			"L: add.u32 %r4, %r4, %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 500; @%p1 bra L; st.global.u32 [%rd1], %r4;", 2, 100, 128, all},
		// A wavefront that is alone waits for nobody; it retires before the latency of its last branch.
		"one path": {"setp.lt.u32 %p1, %r1, 32; @%p1 bra A; add.u32 %r3, %r3, 1;\nA: @%p1 bra B; add.u32 %r3, %r3, 1;\n" +
			"B: @!%p1 bra C; add.u32 %r3, %r3, 1;\nC: @%p1 bra END; add.u32 %r3, %r3, 1;", 1.05, 1, 64, all},
		// The memory serves the four parts of a wavefront in turn.
		"atomics on all paths": {"setp.lt.u32 %p1, %r1, 32; @%p1 bra A; setp.lt.u32 %p1, %r1, 48; @%p1 bra B;" + atomics + "bra C;\nB: " + atomics +
			"\nC: bra END;\nA: setp.lt.u32 %p1, %r1, 16; @%p1 bra D;" + atomics + "bra END;\nD: " + atomics, 1.2, 1, 64, all},
		// Two of four wavefronts wait for each other, and for nobody else.
		"barrier of some":   {"setp.ge.u32 %p1, %r1, 128; @%p1 bra A; bar.sync 1, 128; bra END;\nA: " + strings.Repeat("add.u32 %r4, %r4, %r3; ", 40), 3, 1, 256, all},
		"barrier on a path": {"setp.ge.u32 %p1, %r1, 64; @%p1 bra END; bar.sync 0; add.u32 %r3, %r3, 1;", 1.9, 4, 128, all},
	} {
		t.Run(name, func(t *testing.T) {
			module := ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n" +
				".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n" +
				"mov.u32 %r1, %tid.x; mov.u32 %r4, 0; ld.param.u64 %rd1, [p]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n" +
				c.body + "\nEND: ret;\n}\n"
			job := fmt.Sprintf("module = \"k.ptx\"\nmachine = \"gcn3-split\"\ngrid = [%d]\nblock = [%d]\n[[param]]\nname = \"p\"\ntype = \"u32\"\ncount = %d\ninit = \"zeros\"\n", c.grid, c.block, c.block)
			opts := warpbound.LoadOptions{}
			if strings.HasPrefix(name, "long loop") {
				opts.Effort = little
			}
			files := fstest.MapFS{"k.ptx": {Data: []byte(module)}, "job.toml": {Data: []byte(job)}}
			whole, err := warpbound.LoadFS(files, "job.toml", opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range c.modes {
				j, err := whole.Split(warpbound.SplitOptions{Mode: mode, Branches: []string{"all"}})
				if err != nil {
					t.Fatal(err)
				}
				a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"split/" + mode}, Runs: warpbound.Runs{Observe: true, Vectors: 1}})
				if err != nil {
					t.Fatal(err)
				}
				check(t, a, mode, c.maximum)
				for id, of := range map[string]string{"no-abstract-execution": "long loop with exit", "loops-summarised": "long loop"} {
					warned := slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool {
						return w.ID == id && strings.HasPrefix(w.Pos, "k.ptx:")
					})
					if warned != (name == of) {
						t.Errorf("%s: %v", mode, a.Warnings)
					}
				}
			}
		})
	}
}

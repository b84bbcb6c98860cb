package absexec

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"warpbound/internal/kernelgen"
	"warpbound/internal/test/effort"
)

// TestRandomKernels checks that abstract executions cover those of random kernels. Loops
// that depend on data are bounded by what the launch was seen to need. Kernels with nests
// of such loops have too many steps to follow.
func TestRandomKernels(t *testing.T) {
	opts := kernelgen.Options{Statements: 12, Depth: 3, Trips: 4, Threads: 70, CTAs: 6}
	coverRandom(t, effort.Draw(t, 800), opts, 10_000, noSummaries)
}

// TestRandomSummaries checks the same of executions that summarise loops.
func TestRandomSummaries(t *testing.T) {
	opts := kernelgen.Options{Statements: 9, Depth: 3, Trips: 24, Threads: 70, CTAs: 6}
	seeds := effort.Draw(t, 240)
	if found := coverRandom(t, seeds, opts, 20_000, coarseSummaries); effort.Many() && found < len(seeds)*5/4 {
		t.Error("hardly any loop is summarised")
	}
}

// coverRandom checks that abstract executions cover those of random kernels, and returns how many loops they
// summarise.
func coverRandom(t *testing.T, seeds []uint64, opts kernelgen.Options, steps int64, how summaries) (found int) {
	tooLong := 0
	for _, seed := range seeds {
		opts.Irreducible = seed%4 == 0
		c := kernelgen.New(rand.New(rand.NewPCG(seed, 1)), opts)
		l := load(t, "job.toml", func(name string) []byte {
			if name == kernelgen.ModuleFile {
				return []byte(c.Module)
			}
			return []byte(c.Job)
		})
		config := l.config()
		width := []int{32, 4, 16, 64}[seed/2%4]
		l.prepare(t, 0, width)
		bound, uniform := l.observe(t)
		config.Bound = bound
		if seed%3 == 0 {
			config.Uniform = uniform
		}
		config.MaxSteps = steps
		l.prepare(t, 0, width)
		config.Launch = l.semantics
		l.summarise = how
		if err := l.cover(t, config, 1); errors.Is(err, errTooLong) {
			tooLong++
		} else if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, c.Job, c.Module)
		}
		found += l.summaries
	}
	if effort.Many() && tooLong > len(seeds)/8 {
		t.Errorf("%d of %d kernels were too long", tooLong, len(seeds))
	}
	return found
}

// TestRandomArithmetic checks that what is known of the results of integer operations on
// numbers that depend on the CTA is right in every CTA: kernels store what they compute.
func TestRandomArithmetic(t *testing.T) {
	seeds := effort.Draw(t, 1500)
	known, all := 0, 0
	for _, seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 2))
		pick := func(list ...string) string { return list[rng.IntN(len(list))] }
		reg := func() string { return fmt.Sprintf("%%r%d", rng.IntN(8)) }
		number := func() string {
			n := []uint32{0, 1, 2, 7, 8, 31, 32, 100, 1<<9 - 8, 1 << 16, 1<<31 - 16, 1 << 31, 1<<32 - 1, 1<<32 - 64}
			return fmt.Sprint(n[rng.IntN(len(n))])
		}
		source := func() string {
			if rng.IntN(2) == 0 {
				return number()
			}
			return reg()
		}
		var b strings.Builder
		line := func(format string, args ...any) { fmt.Fprintf(&b, format+";\n", args...) }
		line("mov.u32 %%r0, %%ctaid.y; mad.lo.u32 %%i, %%r0, 96, %%i; mul.wide.u32 %%rd1, %%i, 64; add.u64 %%rd1, %%rd1, %%buf")
		line("mov.u32 %%r1, %%c; mov.u32 %%r2, %%t; mov.u32 %%r3, %%i; shl.b32 %%r4, %%c, 3; neg.s32 %%r5, %%i; add.u32 %%r6, %%c, %s; mov.u32 %%r7, %s", number(), number())
		for range 12 {
			switch rng.IntN(9) {
			case 0, 1:
				line("%s %s, %s, %s", pick("add.u32", "sub.s32", "mul.lo.u32", "min.u32", "min.s32", "max.s32", "max.u32"), reg(), reg(), source())
			case 2:
				line("%s %s, %s, %s", pick("and.b32", "or.b32", "xor.b32"), reg(), reg(), source())
			case 3:
				line("%s %s, %s, %d", pick("shl.b32", "shr.u32", "shr.s32"), reg(), reg(), rng.IntN(34))
			case 4:
				line("%s %s, %s, %d", pick("div.u32", "div.s32", "rem.u32", "rem.s32"), reg(), reg(), 1+rng.IntN(33))
			case 5:
				line("%s %s, %s", pick("neg.s32", "not.b32", "abs.s32", "mov.u32"), reg(), reg())
			case 6:
				line("mad.lo.s32 %s, %s, %s, %s", reg(), reg(), source(), reg())
			case 7:
				line("setp.%s %%p1, %s, %s; selp.b32 %s, %s, %s, %%p1", pick("lt.u32", "le.s32", "gt.s32", "ge.u32", "eq.s32", "ne.u32"), reg(), source(), reg(), reg(), source())
			case 8:
				line("%s %%rd2, %s; %s %s, %%rd2", pick("cvt.u64.u32", "cvt.s64.s32", "cvt.u64.s32", "cvt.s64.s8"), reg(), pick("cvt.u32.u64", "cvt.s32.s64", "cvt.u16.u64", "cvt.s8.s64"), reg())
			}
		}
		for r := range 8 {
			line("st.global.u32 [%%rd1+%d], %%r%d", 4*r, r)
		}
		line("mul.wide.s32 %%rd2, %s, %s; mad.wide.u32 %%rd3, %s, %s, %%rd2; st.global.u64 [%%rd1+40], %%rd2; st.global.u64 [%%rd1+48], %%rd3", reg(), source(), reg(), source())
		line("setp.lt.s32 %%p1, %s, %s; @%%p1 st.global.u32 [%%rd1+56], %s; ret", reg(), source(), reg())
		l := compile(t, 0, [3]int{1 + rng.IntN(12), 1 + rng.IntN(4), 1}, [3]int{8, 1, 1}, "", b.String())
		c := l.config()
		c.MaxBoxes = 1 + rng.IntN(8)
		if err := l.cover(t, c, 1); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, &b)
		}
		runs, err := l.run(c, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			for _, e := range r.events {
				for _, v := range e.values {
					all++
					if v.known&0xff == 0xff {
						known++
					}
				}
			}
		}
	}
	if effort.Many() && known < all/2 {
		t.Errorf("%d of %d stored values are known", known, all)
	}
}

// TestSuite checks that abstract executions cover those of the kernels of the suite, in
// some CTAs each, and what is not known of them: at most, of any warp and box.
func TestSuite(t *testing.T) {
	const o2, o0 = "", "O0.sm_70"
	for _, c := range []struct {
		dir, version string
		boxes        int
		want         summary
	}{
		{"vectorAdd", o2, 2, summary{}},
		{"vectorAdd", o0, 2, summary{}},
		{"matrixMul", o2, 1, summary{}},
		{"matrixMul", o0, 1, summary{}},
		{"reduction", o2, 3, summary{}},
		{"reduction", o0, 3, summary{}},
		{"bitonicSort", o2, 1, summary{uncertain: 135, open: 180}},
		{"bitonicSort", o0, 1, summary{uncertain: 630, open: 675}},
		{"histogram64", o2, 1, summary{unknown: 32}},
		{"histogram64", o0, 1, summary{unknown: 32}},
		{"bfs", o2, 2, summary{uncertain: 697, open: 698, unknown: 189}},
		{"cfdStep", o2, 1, summary{}},
		{"cfdAdvance", o2, 1, summary{}},
		{"gaussianFactor", o2, 2, summary{}},
		{"gaussianUpdate", o2, 23, summary{}},
		{"ludDiagonal", o2, 1, summary{}},
		{"ludPerimeter", o2, 1, summary{}},
		{"ludInternal", o2, 1, summary{}},
		{"nwUpper", o2, 1, summary{}},
		{"nwLower", o2, 1, summary{}},
		{"sradCoefficient", o2, 6, summary{uncertain: 4, open: 5}},
		{"sradSelect", o2, 6, summary{}},
		{"sradUpdate", o2, 4, summary{}},
	} {
		t.Run(c.dir+c.version, func(t *testing.T) {
			l := suite(t, c.dir, c.version)
			config := l.config()
			config.Bound, _ = l.observe(t)
			l.prepare(t, 0, 32)
			config.Launch = l.semantics
			boxes, got := 0, summary{}
			for w := range l.grid.Warps() {
				results, err := New(config).Warp(t.Context(), w, func(Box) Visitor { return &summary{} })
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range results {
					s := r.Visitor.(*summary)
					got = summary{0, max(got.uncertain, s.uncertain), max(got.open, s.open), max(got.unknown, s.unknown), max(got.forks, s.forks)}
				}
				boxes = max(boxes, len(results))
			}
			if got != c.want || boxes != c.boxes {
				t.Errorf("got %d, %+v, want %d, %+v", boxes, got, c.boxes, c.want)
			}
			if err := l.cover(t, config, 1000); err != nil {
				t.Fatal(err)
			}
		})
	}
}

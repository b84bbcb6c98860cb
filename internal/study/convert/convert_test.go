package convert_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/estimate"
	"warpbound/internal/job"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/internal/study/convert"
	"warpbound/internal/test/jobtest"
	"warpbound/kernels"
)

// hold runs a job and its converted module with inputs of all kinds: results must be equal, and times what the conversion says.
func hold(t rapid.TB, j *platform.Job, text []byte, c *estimate.IfConversion) {
	t.Helper()
	other, err := j.WithModule(text)
	if err != nil {
		t.Fatal(err)
	}
	open := func(j *platform.Job) runner.Runner {
		r, err := j.Platform.Open(j.Workload, runner.Options{Repeats: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first, second := open(j), open(other)
	defer first.Close()
	defer second.Close()
	for _, word := range []uint32{0, 1, 500, 501, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00001, 0x3f800000} {
		in := j.First().Bound.Inputs(0)
		for i, p := range j.Spec.Params {
			if p.Kind == job.Buffer && p.Content.Kind == job.Uniform {
				for at := 0; at+4 <= len(in.Buffers[i]); at += 4 {
					if word != 1 || at%8 == 0 {
						binary.LittleEndian.PutUint32(in.Buffers[i][at:], word)
					}
				}
			}
		}
		a, err := first.Run(context.Background(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := second.Run(context.Background(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(a.Buffers, b.Buffers, bytes.Equal) {
			t.Errorf("with %#x the converted module has other results:\n%s", word, text)
		}
		if b.Cycles != c.After.Cycles {
			t.Errorf("with %#x the converted module takes %d cycles, not %d:\n%s", word, b.Cycles, c.After.Cycles, text)
		}
	}
}

// TestSuite converts kernels of the suite. On fermi-c2050 they take the cycles that docs/methods/oblivious.md says.
func TestSuite(t *testing.T) {
	for _, c := range []struct {
		job, refused string
		kinds        string
		cycles       int64
		all          bool // on machines of other cores, too
	}{
		{job: "bitonicSort/job.toml", kinds: "if-then 1", cycles: 14828, all: true},
		{job: "artificial/tiny.toml", kinds: "if-then-else 15", all: true},
		{job: "substringSearch/job.toml", kinds: "loop-exit 10, if-then-else 0, if-then 0", cycles: 39975, all: true},
		{job: "sradCoefficient/job.toml", kinds: "region 2", cycles: 4064},
		{job: "petriSmall/job.toml", kinds: "if-then 1, if-then 2, if-then 1, if-then 2, if-then 1, if-then 1, if-then 2, if-then 0, if-then 1, if-then 2, if-then 2, if-then 1", cycles: 7609},
		{job: "vectorAdd/job.toml"},
		{job: "insertionSort/tiny.toml", all: true, refused: "insertionSort.ptx:52:2: inputs can change an address, which no selection replaces (after 1 conversion)"},
		{job: "bfs/job.toml", refused: "bfs.ptx:129:2: a loop is on a path of the branch at bfs/bfs.ptx:56:2"},
		{job: "triangleSum/job.toml", refused: "triangleSum/job.toml:1:1: only branches of PTX are converted"},
	} {
		machines := []string{""}
		if c.all {
			machines = []string{"", "orin-nano", "predictable-rr"}
		}
		for _, machine := range machines {
			j := jobtest.Load(t, kernels.Suite(), c.job, machine)
			text, made, err := convert.Convert(t.Context(), j, convert.Options{Vectors: 3})
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("%s on %s: %v, want %s", c.job, machine, err, c.refused)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s on %s: %v", c.job, machine, err)
				continue
			}
			var kinds []string
			for _, b := range made.Branches {
				kinds = append(kinds, fmt.Sprintf("%s %d", b.Kind, b.Added))
			}
			if got := strings.Join(kinds, ", "); got != c.kinds {
				t.Errorf("%s on %s: %s, want %s", c.job, machine, got, c.kinds)
			}
			if made.Runs != 3 || made.After.Method != "static/oblivious" || made.After.Evidence != estimate.Proven {
				t.Errorf("%s on %s: %+v", c.job, machine, made)
			}
			if machine == "" && c.cycles != 0 && made.After.Cycles != c.cycles {
				t.Errorf("%s takes %d cycles, want %d: update docs/methods/oblivious.md", c.job, made.After.Cycles, c.cycles)
			}
			hold(t, j, text, made)
		}
	}
}

// branching is a kernel with BODY in it, which has one element v of a sampled buffer for each thread, and words of its own in the buffers
// out and in shared memory.
const branching = `.version 8.0
.target sm_90
.address_size 64
.visible .entry branching(.param .u64 in, .param .u64 table, .param .u64 out)
{
	.reg .pred %p<4>, %l;
	.reg .b32 %i<3>, %v, %c, %tid, %dead, %r<4>, %sm;
	.reg .f32 %f<3>;
	.reg .b16 %h;
	.reg .b64 %in, %table, %out, %o, %a, %z;
	.shared .align 16 .b8 words[1040];
	ld.param.u64 %in, [in];
	ld.param.u64 %table, [table];
	ld.param.u64 %out, [out];
	mov.u32 %tid, %tid.x;
	mul.wide.u32 %z, %tid, 4;
	add.u64 %a, %in, %z;
	ld.global.u32 %v, [%a];
	add.u64 %a, %table, %z;
	ld.global.u32 %c, [%a];
	mad.lo.u32 %sm, %tid, 16, 0;
	mul.wide.u32 %z, %tid, 16;
	add.u64 %o, %out, %z;
	mov.u32 %r0, words;
	add.u32 %sm, %sm, %r0;
	st.shared.v4.u32 [%sm], {%c, %c, %c, %c};
	setp.eq.u32 %p0, %tid, 0;
	@%p0 st.shared.u32 [words+1024], 0;
	bar.sync 0;
	setp.gt.u32 %p0, %v, 500;
	and.b32 %r1, %v, 1;
	setp.eq.u32 %p1, %r1, 0;
	setp.gt.u32 %p2, %c, 20;
	setp.gt.s32 %p3, %v, 100;
	cvt.rn.f32.s32 %f0, %v;
	mov.f32 %f1, 0f3F800000;
	mov.b32 %f2, %v;
	mov.u32 %r0, 5;
	mov.u32 %r2, %c;
	mov.u32 %r3, %tid;
	mov.u16 %h, 3;
BODY
	st.global.v4.u32 [%o], {%r0, %r1, %r2, %r3};
	st.global.f32 [%o+1024], %f1;
	selp.b32 %r0, 1, 0, %p1;
	st.global.u32 [%o+1028], %r0;
	st.global.u16 [%o+1032], %h;
	ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%sm];
	st.global.v4.u32 [%o+2048], {%r0, %r1, %r2, %r3};
	ret;
}
`

const branchingJob = `module = "match.ptx"
grid = [1]
block = [64]
param = [
	{name = "in", type = "u32", count = 64, init = "uniform(0, 1000)"},
	{name = "table", type = "u32", count = 64, init = "iota"},
	{name = "out", type = "u32", count = 1024, init = "iota"},
]
`

// plain are instructions for paths of branches; those behind the first accessing access memory.
var plain = []string{
	"add.u32 %r0, %r0, %v;", "mul.lo.u32 %r1, %r0, %r2;", "mov.u32 %r2, %r0;", "mov.u32 %r0, 7;", "mov.u32 %r1, %c;", "xor.b32 %r3, %r1, %v;", "mov.u32 %r0, %tid.x;",
	"add.f32 %f1, %f1, %f0;", "mov.f32 %f1, 0f00000000;", "div.rn.f32 %f1, %f0, %f2;", "sqrt.rn.f32 %f1, %f2;", "mov.f32 %f2, %f1;",
	"div.u32 %r1, %r3, %r0;", "rem.s32 %r2, %r1, %r0;", "setp.lt.u32 %p1, %r0, %r1;", "setp.gt.s32 %p0, %r2, 3;", "not.pred %p3, %p1;", "mov.pred %p0, %p1;",
	"selp.b32 %r0, %r1, %r2, %p1;", "@%p1 add.u32 %r0, %r0, 3;", "@!%p2 mov.u32 %r1, 9;", "@%p0 mov.u32 %r3, %r1;", "cvt.u16.u32 %h, %r0;", "add.u16 %h, %h, 1;", "abs.s32 %r3, %r3;",
	"ld.global.u32 %r1, [%a];", "ld.shared.u32 %r0, [%sm+4];", "ld.global.u16 %h, [%o+8];", "ld.global.v2.u32 {%r2, %r3}, [%o+8];", "st.global.u32 [%o+4], %r1;", "st.global.u32 [%o+4], 17;",
	"st.shared.u32 [%sm], %r0;", "st.shared.u32 [%sm+4], %r2;", "st.shared.u8 [%sm+9], %r1;", "st.shared.v2.u32 [%sm+8], {%r0, 5};", "st.global.f32 [%o+1024], %f1;", "st.shared.f32 [%sm+12], 0f3F800000;",
	"ld.shared.u8 %r1, [%sm+9];", "@%p1 st.shared.u32 [%sm+4], %r3;", "@!%p3 ld.shared.u32 %r2, [%sm];", "red.global.add.u32 [%out+3072], %r0;", "red.shared.add.u32 [words+1024], 1;", "atom.global.add.u32 %dead, [%o+3072], %r1;",
}

// drawCode draws code with branches of all shapes.
func drawCode(t *rapid.T, to *strings.Builder, labels, loops *int, depth int) {
	for range rapid.IntRange(1, 4).Draw(t, "statements") {
		p := rapid.SampledFrom([]string{"%p0", "!%p0", "%p1", "!%p1", "%p3", "%p2"}).Draw(t, "predicate")
		shape := 0
		if depth > 0 {
			shape = rapid.IntRange(0, 6).Draw(t, "shape")
		}
		l := *labels
		*labels += 2
		switch shape {
		case 1: // if-then
			fmt.Fprintf(to, "\t@%s bra L%d;\n", p, l)
			drawCode(t, to, labels, loops, depth-1)
			fmt.Fprintf(to, "L%d:\n", l)
		case 2: // if-then-else
			fmt.Fprintf(to, "\t@%s bra L%d;\n", p, l)
			drawCode(t, to, labels, loops, depth-1)
			fmt.Fprintf(to, "\tbra L%d;\nL%d:\n", l+1, l)
			drawCode(t, to, labels, loops, depth-1)
			fmt.Fprintf(to, "L%d:\n", l+1)
		case 3: // both or either of two conditions
			q := rapid.SampledFrom([]string{"%p0", "!%p1", "%p3"}).Draw(t, "second")
			fmt.Fprintf(to, "\t@%s bra L%d;\n", p, l)
			drawCode(t, to, labels, loops, 0)
			fmt.Fprintf(to, "\t@%s bra L%d;\n", q, l+rapid.IntRange(0, 1).Draw(t, "either"))
			drawCode(t, to, labels, loops, depth-1)
			fmt.Fprintf(to, "L%d:\n", l)
			drawCode(t, to, labels, loops, 0)
			fmt.Fprintf(to, "L%d:\n", l+1)
		case 5: // a loop that inputs may leave
			if *loops > 1 || depth < 2 {
				continue
			}
			*loops++
			i := *loops
			fmt.Fprintf(to, "\tmov.u32 %%i%d, 0;\nL%d:\n", i, l)
			drawCode(t, to, labels, loops, rapid.IntRange(1, 2).Draw(t, "inner"))
			fmt.Fprintf(to, "\t@%s bra L%d;\n", p, l+1)
			drawCode(t, to, labels, loops, rapid.IntRange(0, 1).Draw(t, "depth"))
			if rapid.Bool().Draw(t, "another") {
				q := rapid.SampledFrom([]string{"%p0", "!%p1", "%p3"}).Draw(t, "second")
				fmt.Fprintf(to, "\t@%s bra M%d;\n", q, l)
			}
			fmt.Fprintf(to, "\txor.b32 %%r1, %%v, %%i%d;\n\tsetp.gt.u32 %%p1, %%r1, 600;\n\tadd.u32 %%i%d, %%i%d, 1;\n\tsetp.lt.u32 %%l, %%i%d, 3;\n\t@%%l bra L%d;\n", i, i, i, i, l)
			drawCode(t, to, labels, loops, 0)
			fmt.Fprintf(to, "M%d:\n\tadd.u32 %%r0, %%r0, 1;\nL%d:\n", l, l+1)
		case 4:
			if depth == 3 {
				to.WriteString("\tbar.sync 0;\n")
			}
		default:
			fmt.Fprintf(to, "\t%s\n", rapid.SampledFrom(plain).Draw(t, "instruction"))
		}
	}
}

// TestRandom converts random kernels, and holds the results against those of the kernels as they are.
func TestRandom(t *testing.T) {
	converted, refused, several, left := 0, 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		machine := rapid.SampledFrom([]string{"fermi-c2050", "predictable-rr", "integrated-fermi", "gcn3-split", "orin-nano"}).Draw(rt, "machine")
		var body strings.Builder
		labels, loops := 0, 0
		drawCode(rt, &body, &labels, &loops, 3)
		code := strings.Replace(branching, "BODY\n", body.String(), 1)
		j := jobtest.Text(t, fmt.Sprintf("machine = %q\n", machine)+branchingJob, code)
		text, made, err := convert.Convert(t.Context(), j, convert.Options{Vectors: 2})
		if err != nil {
			if strings.Contains(err.Error(), "or its results differ") || strings.Contains(err.Error(), "after conversion") {
				rt.Fatalf("%v\n%s", err, code)
			}
			refused++
			rt.Log(err)
			return
		}
		converted++
		if len(made.Branches) > 1 {
			several++
		}
		if slices.ContainsFunc(made.Branches, func(b estimate.ConvertedBranch) bool { return b.Kind == "loop-exit" }) {
			left++
		}
		hold(rt, j, text, made)
	})
	if converted < 20 || refused == 0 || several == 0 || left == 0 {
		t.Errorf("%d kernels were converted, %d of them at several places and %d at loops, and %d refused", converted, several, left, refused)
	}
}

// TestRefused has reasons against conversions that depend on the launch.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, body, job, want string }{
		{"address", "and.b32 %r1, %v, 12;\ncvt.u64.u32 %a, %r1;\nadd.u64 %a, %o, %a;\nld.global.u32 %r2, [%a];", "", "match.ptx:45:1: inputs can change an address, which no selection replaces"},
		{"address on a path", "@%p0 bra L;\nand.b32 %r1, %v, 12;\ncvt.u64.u32 %a, %r1;\nadd.u64 %a, %o, %a;\nld.global.u32 %r2, [%a];\nL:", "", "match.ptx:46:1: inputs can change an address, which no selection replaces (after 1 conversion)"},
		{"out of range", "setp.lt.u32 %p1, %v, 2000;\n@%p1 bra L;\nld.global.u32 %r1, [%in+65536];\nL:", "", "match.ptx:44:1: lanes that the branch is not for cannot execute this: thread [0 0 0] of CTA [0 0 0]: access outside every buffer"},
		{"store out of range", "setp.lt.u32 %p1, %v, 2000;\n@%p1 bra L;\nst.global.u32 [%out+4096], %r1;\nL:", "", "match.ptx:44:1: lanes that the branch is not for cannot execute this"},
		{"race", "@%p0 bra L;\nst.shared.u32 [words], %r1;\nL:", "", "match.ptx:43:1: this store and the load at match.ptx:43:1 are a data race on shared memory"},
		{"not written", "@%p0 bra L;\nst.global.u32 [%o], 1;\nL:", "unset", "match.ptx:43:1: the kernel reads memory that nothing has written"},
		{"clock", "mov.u32 %r1, %clock;\n@%p0 mov.u32 %r1, 0;", "", "match.ptx:42:1: mov.u32 %r1, %clock: what it reads depends on when and where threads run"},
		{"loop", "L:\nadd.u32 %r0, %r0, %v;\nsetp.lt.u32 %p1, %r0, 4000;\n@%p1 bra L;", "", "match.ptx:45:1: the branch decides whether a loop goes on, and nothing else ends it"},
		{"loop without another end", "L:\nadd.u32 %r0, %r0, 1;\nsetp.gt.u32 %p1, %r0, %v;\n@%p1 bra E;\nadd.u32 %r2, %r0, %r2;\nsetp.lt.u32 %p2, %r2, 0;\n@!%p2 bra L;\nE:", "", "match.ptx:45:1: the loop that this branch leaves has no end otherwise within"},
	} {
		text := branchingJob
		if c.job == "unset" {
			text = strings.Replace(text, `count = 1024, init = "iota"`, `count = 1024, init = "unset"`, 1)
		}
		j := jobtest.Text(t, text, strings.Replace(branching, "BODY", c.body, 1))
		_, _, err := convert.Convert(t.Context(), j, convert.Options{Vectors: 1})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}

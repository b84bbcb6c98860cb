package symexec_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/symexec"
	"warpbound/internal/test/effort"
)

// computations are instructions on numbers of a thread: of integers, of floats, and between them.
// Constants are such that floats become subnormal, infinite and NaN, and integers wrap around.
var computations = []string{
	"add.u32 %i, %i, %c", "sub.u32 %i, %i, %i", "mul.lo.u32 %i, %i, %i", "mad.lo.s32 %i, %i, %c, %i", "mul.hi.s32 %i, %i, %i",
	"div.s32 %i, %i, %i", "rem.u32 %i, %i, %c", "shl.b32 %i, %i, %i", "shr.s32 %i, %i, %c", "xor.b32 %i, %i, %i",
	"bfe.s32 %i, %i, %i, %i", "popc.b32 %i, %i", "clz.b32 %i, %i", "min.s32 %i, %i, %i", "max.u32 %i, %i, %c", "prmt.b32 %i, %i, %i, %i",
	"add.f32 %f, %f, %f", "mul.f32 %f, %f, %k", "mul.ftz.f32 %f, %f, %k", "sub.rz.f32 %f, %f, %f", "fma.rn.f32 %f, %f, %k, %f",
	"div.rn.f32 %f, %f, %f", "sqrt.rn.f32 %f, %f", "min.f32 %f, %f, %f", "max.ftz.f32 %f, %f, %k", "neg.f32 %f, %f", "add.sat.f32 %f, %f, %k",
	"cvt.rn.f32.s32 %f, %i", "cvt.rzi.s32.f32 %i, %f", "cvt.rni.u32.f32 %i, %f", "cvt.sat.u8.s32 %i, %i", "mov.b32 %i, %f", "mov.b32 %f, %i",
}

var conditions = []string{
	"setp.lt.s32 %p1, %i, %c", "setp.hi.u32 %p1, %i, %i", "setp.eq.u32 %p1, %i, %c", "setp.ne.s32 %p1, %i, %i",
	"setp.lt.f32 %p1, %f, %f", "setp.geu.f32 %p1, %f, %k", "setp.eq.ftz.f32 %p1, %f, %k", "setp.nan.f32 %p1, %f, %f", "setp.neu.f32 %p1, %f, %k",
}

// generated writes a kernel of random branches and loops in which threads are independent.
type generated struct {
	strings.Builder
	*rand.Rand
	labels int
}

func (d *generated) line(form string) {
	for strings.ContainsAny(form, "%") {
		at := strings.IndexByte(form, '%')
		var operand string
		switch form[at+1] {
		case 'i':
			operand = fmt.Sprintf("#r%d", 2+d.IntN(6))
		case 'f':
			operand = fmt.Sprintf("#f%d", 1+d.IntN(5))
		case 'c':
			operand = []string{"0", "1", "2", "3", "5", "7", "31", "-1", "-6", "255", "0x7fffffff", "0x80000000"}[d.IntN(12)]
		case 'k':
			operand = []string{"0f00000000", "0f80000000", "0f3F800000", "0fC0400000", "0f00000003", "0f7F000000", "0f7F800000", "0f7FC00000", "0f3E99999A"}[d.IntN(9)]
		default:
			operand = "#" + form[at+1:at+2]
		}
		form = form[:at] + operand + form[at+2:]
	}
	d.WriteString("\t" + strings.ReplaceAll(form, "#", "%") + ";\n")
}

func (d *generated) statements(depth int) {
	for range 1 + d.IntN(3) {
		for range d.IntN(4) {
			d.line(computations[d.IntN(len(computations))])
		}
		if depth == 0 {
			continue
		}
		d.labels += 2
		skip, end := d.labels, d.labels+1
		switch d.IntN(4) {
		case 0: // a loop of up to three iterations
			fmt.Fprintf(d, "\tmov.u32 %%r%d, 0;\nL%d:\n", 10+depth, skip)
			d.statements(depth - 1)
			fmt.Fprintf(d, "\tadd.u32 %%r%d, %%r%d, 1;\n\tsetp.gt.u32 %%p2, %%r%d, 2;\n\t@%%p2 bra L%d;\n", 10+depth, 10+depth, 10+depth, end)
			d.line(conditions[d.IntN(len(conditions))])
			fmt.Fprintf(d, "\t@%%p1 bra L%d;\nL%d:\n", skip, end)
		default:
			d.line(conditions[d.IntN(len(conditions))])
			fmt.Fprintf(d, "\t@%s%%p1 bra L%d;\n", []string{"", "!"}[d.IntN(2)], skip)
			d.statements(depth - 1)
			fmt.Fprintf(d, "\tbra L%d;\nL%d:\n", end, skip)
			if d.IntN(2) == 0 {
				d.statements(depth - 1)
			}
			fmt.Fprintf(d, "L%d:\n", end)
		}
	}
}

// TestVerdictsOfAllInputs executes random kernels on all their inputs: no thread takes an
// outcome that is proved not to be taken or that is on no path of a thread that may be any one,
// and threads take all that are covered.
func TestVerdictsOfAllInputs(t *testing.T) {
	const threads, values = 4, 6 // of the launch, of each of two inputs of a thread
	infeasible, never, complete := 0, 0, 0
	for _, seed := range effort.Draw(t, 40) {
		d := &generated{Rand: rand.New(rand.NewPCG(seed, 33)), labels: 10}
		d.statements(2)
		s := together(t, 0, `module = "k.ptx"
grid = [2, 1, 1]
block = [2, 1, 1]
[[param]]
name = "data"
type = "s32"
count = 8
[[param]]
name = "out"
type = "u32"
count = 4
`, `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 out)
{
	.reg .pred %p<4>; .reg .b32 %r<20>; .reg .f32 %f<9>; .reg .b64 %rd<9>;
	ld.param.u64 %rd1, [data];
	ld.param.u64 %rd2, [out];
	mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r0, 2, %r1;
	mul.wide.u32 %rd3, %r2, 8;
	add.u64 %rd4, %rd1, %rd3;
	ld.global.u32 %r3, [%rd4];
	ld.global.u32 %r4, [%rd4+4];
	cvt.rn.f32.s32 %f1, %r3;
	cvt.rn.f32.s32 %f2, %r4;
`+d.String()+`
	st.global.u32 [%rd2], %r5;
	ret;
}
`).limited(t, 500_000)
		s.options.Buffers[0].Element = symexec.Element{Bytes: 4, Signed: true, Low: 0xfffffffe, High: values - 3}
		s.options.MaxPaths, s.options.MaxSteps, s.options.MaxQueries = 200, 4000, 60
		all := s.outcomes(t)
		proof, err := symexec.Prove(context.Background(), s.options, all)
		if err != nil {
			t.Fatal(err)
		}
		if !proof.Independent {
			t.Fatal("threads are not independent")
		}
		o := s.options
		o.Indices = symexec.AllIndices([3]int{2, 1, 1}, [3]int{2, 1, 1})
		res, err := symexec.Explore(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		taken := make(map[symexec.BranchOutcome]bool)
		for i := range values * values {
			again := s.Again(t, 1)
			contents := again.Grid.Contents(s.options.Buffers[0].Address, 8*threads)
			for k := range threads {
				binary.LittleEndian.PutUint32(contents[8*k:], uint32(i/values)-2)
				binary.LittleEndian.PutUint32(contents[8*k+4:], uint32(i%values)-2)
			}
			branch := make(map[*emu.Warp]int)
			again.Run(t, again.Grid.CTAs(), func(cta *emu.CTA, warp int) func(*emu.Effect) {
				w := &cta.Warps[warp]
				taken[symexec.BranchOutcome{Branch: branch[w], Target: w.PC()}] = true
				branch[w] = w.PC()
				return nil
			})
		}
		for outcome, v := range res.Outcomes {
			if v == symexec.Covered && !taken[outcome] || v == symexec.Infeasible && taken[outcome] || slices.Contains(proof.Never, outcome) && taken[outcome] {
				t.Errorf("seed %d: outcome %v is %v, proved never to be taken: %v, taken: %v", seed, outcome, v, slices.Contains(proof.Never, outcome), taken[outcome])
			}
			if v == symexec.Infeasible {
				infeasible++
			}
		}
		never += len(proof.Never)
		if res.Complete {
			complete++
		}
	}
	if effort.Many() && (never == 0 || infeasible == 0) {
		t.Errorf("%d outcomes are on no path, %d proved never to be taken", infeasible, never)
	}
	t.Logf("%d kernels explored completely, %d outcomes on no path, %d proved", complete, infeasible, never)
}

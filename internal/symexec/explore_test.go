package symexec_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/symexec"
)

const job = `module = "k.ptx"
kernel = "k"
machine = "fermi-c2050"
grid = [1, 1, 1]
block = [1, 1, 1]
[[param]]
name = "data"
type = "u32"
count = 16
init = "zeros"
[[param]]
name = "n"
type = "u32"
value = 3
`

// kernel is a module with a kernel of a buffer and a number.
func kernel(body string) string {
	return `.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data, .param .u32 n)
{
	.reg .pred %p<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;
	.shared .align 4 .b8 s[64];
	ld.param.u64 %rd1, [data];
	ld.param.u32 %r1, [n];
` + body + "\n}\n"
}

func TestExplore(t *testing.T) {
	for name, c := range map[string]struct {
		body                               string
		paths, faults, infeasible, covered int // the last two: branch outcomes
		complete                           bool
	}{
		"a branch on a word, and one that follows from it": {`
	ld.global.u32 %r2, [%rd1+4];
	setp.lt.u32 %p1, %r2, 77;
	@%p1 bra A;
	setp.lt.u32 %p2, %r2, 50;
	@%p2 bra A;
	st.global.u32 [%rd1], %r2;
A:	ret;`, 2, 0, 1, 3, true},
		"a loop as often as a parameter says": {`
	setp.gt.u32 %p1, %r1, 4;
	@%p1 exit;
	mov.u32 %r2, 0;
A:	setp.ge.u32 %p2, %r2, %r1;
	@%p2 bra B;
	add.u32 %r2, %r2, 1;
	bra A;
B:	bar.sync 0;
	ret;`, 6, 0, 0, 2, true},
		"an index that may be out of bounds": {`
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd3, %rd1, %rd2;
	mov.u32 %r3, 5;
	st.global.u32 [%rd3], %r3;
	ld.global.u32 %r4, [%rd1+8];
	setp.eq.u32 %p1, %r4, 5;
	@%p1 bra A;
	exit;
A:	ret;`, 3, 1, 0, 2, true},
		"shared memory, an atomic and a guard": {`
	st.shared.u32 [s+4], %r1;
	atom.shared.add.u32 %r2, [s+4], 7;
	ld.shared.u32 %r3, [s+4];
	setp.eq.u32 %p1, %r2, 3;
	@%p1 st.global.u32 [%rd1], %r3;
	ld.global.u32 %r4, [%rd1];
	setp.eq.u32 %p2, %r4, 10;
	@!%p2 bra A;
	st.global.u32 [%rd1+4], %r4;
A:	ret;`, 3, 0, 0, 2, true},
		"an indexed branch": {`
	setp.gt.u32 %p1, %r1, 2;
	@%p1 exit;
T:	.branchtargets A, B, A;
	brx.idx %r1, T;
A:	st.global.u32 [%rd1], %r1;
B:	ret;`, 3, 0, 0, 2, true},
		"floating point": {`
	ld.global.f32 %f1, [%rd1];
	add.rn.f32 %f2, %f1, 0f3F800000;
	setp.gt.f32 %p1, %f2, 0f40000000;
	@%p1 bra A;
	setp.gt.f32 %p2, %f1, 0f40000000;
	@%p2 bra A;
	ret;
A:	exit;`, 2, 0, 1, 3, true},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			s := alone(t, job, kernel(c.body))
			res := s.explore(t)
			faults, count := 0, make(map[symexec.Verdict]int)
			for _, p := range res.Paths {
				if p.Fault != nil {
					faults++
				}
			}
			for _, v := range res.Outcomes {
				count[v]++
			}
			if len(res.Paths) != c.paths || faults != c.faults || res.Complete != c.complete ||
				count[symexec.Infeasible] != c.infeasible || count[symexec.Covered] != c.covered {
				t.Errorf("%d paths, %d faults, complete %v, outcomes %v", len(res.Paths), faults, res.Complete, res.Outcomes)
			}
			s.replay(t, res)
		})
	}
}

// TestApproximations explores what has no meaning as a formula.
// TestAtomics compares what an atomic operation leaves with zero and with both of its operands. Every path must be the one that its inputs take,
// and there must be one for each way that some operands go.
func TestAtomics(t *testing.T) {
	signed := func(x, y uint32) bool { return int32(x) < int32(y) }
	for name, op := range map[string]func(old, x uint32) uint32{
		"add.u32":  func(old, x uint32) uint32 { return old + x },
		"and.b32":  func(old, x uint32) uint32 { return old & x },
		"or.b32":   func(old, x uint32) uint32 { return old | x },
		"xor.b32":  func(old, x uint32) uint32 { return old ^ x },
		"exch.b32": func(old, x uint32) uint32 { return x },
		"min.u32":  func(old, x uint32) uint32 { return min(old, x) },
		"max.u32":  func(old, x uint32) uint32 { return max(old, x) },
		"min.s32": func(old, x uint32) uint32 {
			if signed(x, old) {
				return x
			}
			return old
		},
		"max.s32": func(old, x uint32) uint32 {
			if signed(old, x) {
				return x
			}
			return old
		},
		"inc.u32": func(old, x uint32) uint32 {
			if old >= x {
				return 0
			}
			return old + 1
		},
		"dec.u32": func(old, x uint32) uint32 {
			if old == 0 || old > x {
				return x
			}
			return old - 1
		},
		"cas.b32": func(old, x uint32) uint32 { // x, or 3 in its place
			if old == x {
				return 3
			}
			return old
		},
	} {
		t.Run(name, func(t *testing.T) {
			third := ""
			if name == "cas.b32" {
				third = ", 3"
			}
			s := alone(t, job, kernel(`
	ld.global.u32 %r2, [%rd1];
	ld.global.u32 %r3, [%rd1+4];
	st.shared.u32 [s], %r2;
	atom.shared.`+name+` %r4, [s], %r3`+third+`;
	ld.shared.u32 %r5, [s];
	setp.eq.u32 %p1, %r5, 0;
	@%p1 bra A;
	st.global.u32 [%rd1+8], %r5;
A:	setp.lt.u32 %p1, %r5, %r2;
	@%p1 bra B;
	st.global.u32 [%rd1+12], %r5;
B:	setp.eq.u32 %p1, %r5, %r3;
	@%p1 bra C;
	st.global.u32 [%rd1+16], %r5;
C:	ret;`))
			res := s.explore(t)
			s.replay(t, res)
			some := []uint32{0, 1, 2, 3, 4, 1<<31 - 1, 1 << 31, 1<<32 - 2, 1<<32 - 1}
			ways := make(map[[3]bool]bool)
			for _, old := range some {
				for _, x := range some {
					after := op(old, x)
					ways[[3]bool{after == 0, after < old, after == x}] = true
				}
			}
			if !res.Complete || len(res.Paths) < len(ways) {
				t.Errorf("%d paths, complete %v; some operands go %d ways", len(res.Paths), res.Complete, len(ways))
			}
		})
	}
}

// TestApproximations explores what has no meaning as a formula.
func TestApproximations(t *testing.T) {
	s := alone(t, job, kernel(`
	ld.global.f32 %f1, [%rd1];
	setp.eq.u32 %p1, %r1, 3;
	@%p1 ex2.approx.f32 %f2, %f1;
	rsqrt.approx.ftz.f32 %f3, %f2;
	setp.gt.f32 %p2, %f3, 0f3F000000;
	@%p2 bra A;
	exit;
A:	ret;`))
	s.options.Buffers[0].Element = symexec.Element{Bytes: 4, Float: true, High: 0x40800000}
	s.options.MaxPaths = 6
	res := s.explore(t)
	s.replay(t, res)
	if len(res.Paths) != 6 || res.Complete {
		t.Errorf("%d paths, complete %v", len(res.Paths), res.Complete)
	}
}

// TestUnsettled has a branch taken only if NaN becomes an integer that is not the emulator's, or a
// quotient by zero. Paths are the emulator's, and it is not excluded unless no input is NaN, or zero.
func TestUnsettled(t *testing.T) {
	number := symexec.Element{Bytes: 4, Float: true, High: 0x40800000}
	for name, c := range map[string]struct {
		convert string
		element symexec.Element
		want    symexec.Verdict
	}{
		"any word": {"cvt.rzi.s32.f32 %r2, %f1;", symexec.Element{}, symexec.Open},
		"a number": {"cvt.rzi.s32.f32 %r2, %f1;", number, symexec.Infeasible},
		"a wide integer": {`cvt.rzi.u64.f32 %rd2, %f1; shr.u64 %rd2, %rd2, 62; cvt.u32.u64 %r2, %rd2;
	neg.s32 %r2, %r2; add.s32 %r2, %r2, 1;`, number, symexec.Infeasible},
		"a quotient":  {"mov.b32 %r2, %f1; div.u32 %r2, 1, %r2; add.u32 %r2, %r2, 1;", symexec.Element{}, symexec.Open},
		"a remainder": {"mov.b32 %r2, %f1; rem.s32 %r2, 1, %r2; add.s32 %r2, %r2, 1;", symexec.Element{}, symexec.Open},
		"a quotient by no zero": {"mov.b32 %r2, %f1; or.b32 %r2, %r2, 1; div.u32 %r2, 1, %r2; add.u32 %r2, %r2, 1;",
			symexec.Element{}, symexec.Infeasible},
		"a guard": {`setp.lt.f32 %p3, %f1, 0f40800000; mov.u32 %r2, 1;
	@%p3 cvt.rzi.s32.f32 %r2, %f1;`, symexec.Element{}, symexec.Infeasible},
		"a guard for NaN": {`setp.ltu.f32 %p3, %f1, 0f40800000; mov.u32 %r2, 1;
	@%p3 cvt.rzi.s32.f32 %r2, %f1;`, symexec.Element{}, symexec.Open},
	} {
		t.Run(name, func(t *testing.T) {
			s := alone(t, job, kernel(`
	ld.global.f32 %f1, [%rd1];
	abs.f32 %f1, %f1;
	`+c.convert+`
	setp.lt.s32 %p1, %r2, 0;
	@%p1 bra A;
	exit;
A:	ret;`))
			s.options.Buffers[0].Element = c.element
			res := s.explore(t)
			s.replay(t, res)
			if !res.Complete {
				t.Errorf("%d paths, complete %v", len(res.Paths), res.Complete)
			}
			all, never := s.prove(t)
			open := 0
			for _, outcome := range all {
				if v := res.Outcomes[outcome]; v != symexec.Covered {
					open++
					proved := slices.Contains(never, outcome)
					if v != c.want || proved != (c.want == symexec.Infeasible) {
						t.Errorf("%v is %v, proved never to be taken: %v", outcome, v, proved)
					}
				}
			}
			if open != 1 {
				t.Errorf("outcomes %v", res.Outcomes)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	s := alone(t, job, kernel(`
A:	setp.ne.u32 %p1, %r1, 0;
	sub.u32 %r1, %r1, 1;
	@%p1 bra A;
	ret;`))
	s.options.MaxPaths = 3
	res := s.explore(t)
	if len(res.Paths) != 3 || res.Complete {
		t.Errorf("%d paths, complete %v", len(res.Paths), res.Complete)
	}
	s.replay(t, res)
	s.options.MaxPaths, s.options.MaxSteps = 100, 20
	if res := s.explore(t); res.CutOff == 0 || res.Complete {
		t.Errorf("%d paths cut off, complete %v", res.CutOff, res.Complete)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := symexec.Explore(ctx, s.options); err == nil {
		t.Error("exploration goes on")
	}
	for _, name := range []string{"data", symexec.Parameters, "a|b", ""} {
		other := s.options
		other.Buffers = append(other.Buffers[:1:1], symexec.Buffer{Name: name, Address: other.Buffers[0].Address, Bytes: 4, Symbolic: true})
		if _, err := symexec.Explore(context.Background(), other); err == nil || !strings.Contains(err.Error(), "name") {
			t.Errorf("a buffer %q: %v", name, err)
		}
	}
	other := s.options
	other.Params = []symexec.Range{{Offset: 8, Bytes: 5}}
	if _, err := symexec.Explore(context.Background(), other); err == nil || !strings.Contains(err.Error(), "5 bytes at 8") {
		t.Errorf("parameters: %v", err)
	}
	s = alone(t, job, strings.Replace(strings.Replace(kernel("movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1; ret;"), "sm_70", "sm_80", 1), "6.3", "7.8", 1))
	if _, err := symexec.Explore(context.Background(), s.options); err == nil || !strings.Contains(err.Error(), "k.ptx:10:") {
		t.Errorf("an operation on several lanes: %v", err)
	}
}

// TestIndices explores a kernel of which the CTA is symbolic.
func TestIndices(t *testing.T) {
	s := together(t, 0, strings.Replace(job, "grid = [1", "grid = [8", 1), kernel(`
	mov.u32 %r2, %ctaid.x;
	setp.eq.u32 %p1, %r2, 5;
	@%p1 bra A;
	setp.gt.u32 %p2, %r2, 6;
	@%p2 bra A;
	setp.gt.u32 %p2, %r2, 7;
	@%p2 bra A;
	exit;
A:	ret;`))
	index := symexec.Index{Register: isa.CtaidX, Below: 8}
	s.options.Indices = []symexec.Index{index}
	res := s.explore(t)
	taken := make(map[uint64]int)
	for _, p := range res.Paths {
		taken[min(p.Model.Numbers[index.Name()], 8)] = len(p.Threads[0].Outcomes)
	}
	if len(res.Paths) != 3 || !res.Complete || taken[5] != 1 || taken[7] != 2 {
		t.Errorf("paths by index: %v", taken)
	}
	if last := (symexec.BranchOutcome{Branch: 8, Target: 10}); res.Outcomes[last] != symexec.Infeasible {
		t.Errorf("%v is %v of %v", last, res.Outcomes[last], res.Outcomes)
	}
}

// TestAllIndices has an index for each axis of CTAs and threads that has more than one, and a branch on each decides two ways.
func TestAllIndices(t *testing.T) {
	grid, block := [3]int{2, 3, 4}, [3]int{5, 6, 7}
	indices := symexec.AllIndices(grid, block)
	if len(indices) != 6 {
		t.Fatalf("indices %v", indices)
	}
	sizes := strings.NewReplacer("grid = [1, 1, 1]", "grid = [2, 3, 4]", "block = [1, 1, 1]", "block = [5, 6, 7]").Replace(job)
	for _, i := range indices {
		s := together(t, 0, sizes, kernel("mov.u32 %r2, "+i.Name()+"; setp.eq.u32 %p1, %r2, "+fmt.Sprint(i.Below-1)+"; @%p1 bra A; exit; A: ret;"))
		s.options.Indices = indices
		res := s.explore(t)
		if len(res.Paths) != 2 || !res.Complete {
			t.Errorf("%s below %d: %d paths, complete %v", i.Name(), i.Below, len(res.Paths), res.Complete)
		}
	}
	s := together(t, 0, sizes, kernel("mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0; @%p1 bra A; exit; A: ret;"))
	s.options.Indices = []symexec.Index{{Register: isa.TidX, Below: 1}} // the first thread alone
	if res := s.explore(t); len(res.Paths) != 1 || !res.Complete {
		t.Errorf("%d paths of the first thread, complete %v", len(res.Paths), res.Complete)
	}
	for register, below := range map[isa.Special]uint64{isa.TidZ: 8, isa.CtaidZ: 5, isa.NtidX: 1} {
		s := together(t, 0, sizes, kernel("ret;"))
		s.options.Indices = []symexec.Index{{Register: register, Below: below}}
		if _, err := symexec.Explore(context.Background(), s.options); err == nil || !strings.Contains(err.Error(), "is no index of the launch") {
			t.Errorf("%v below %d: %v", register, below, err)
		}
	}
}

// TestCoverage covers both outcomes of many branches in a row, of which 2^100 paths lead through.
func TestCoverage(t *testing.T) {
	var body strings.Builder
	for i := range 100 {
		fmt.Fprintf(&body, "ld.global.u32 %%r2, [%%rd1+%d]; setp.gt.u32 %%p1, %%r2, %d; @%%p1 bra L%d; add.u32 %%r3, %%r3, %%r2; L%d:\n", i%16*4, i*3%17, i, i)
	}
	s := alone(t, job, kernel(body.String()+"ret;"))
	s.options.MaxPaths = 40
	res := s.explore(t)
	for outcome, v := range res.Outcomes {
		if v != symexec.Covered {
			t.Errorf("%v is %v after %d paths", outcome, v, len(res.Paths))
		}
	}
	s.replay(t, res)
}

// TestContents explores with contents that are known.
func TestContents(t *testing.T) {
	known := strings.Replace(job, `init = "zeros"`, "values = [1, 7, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]", 1)
	s := alone(t, known, kernel(`
	and.b32 %r1, %r1, 15;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd3, %rd1, %rd2;
	ld.global.u32 %r2, [%rd3];
	setp.eq.u32 %p1, %r2, 7;
	@%p1 bra A;
	setp.gt.u32 %p2, %r2, 16;
	@%p2 bra A;
	exit;
A:	ret;`))
	s.options.Buffers[0].Symbolic = false
	res := s.explore(t)
	if len(res.Paths) != 2 || !res.Complete {
		t.Errorf("%d paths, complete %v", len(res.Paths), res.Complete)
	}
	for outcome, v := range res.Outcomes {
		if (v == symexec.Infeasible) != (outcome.Target == len(s.Kernel.Instrs)-1 && outcome.Branch > 8) {
			t.Errorf("outcome %v is %v", outcome, v)
		}
	}
}

// TestLongPaths looks for the path on which all of some independent conditions hold.
func TestLongPaths(t *testing.T) {
	var body strings.Builder
	for i := range 9 {
		fmt.Fprintf(&body, "ld.global.u32 %%r2, [%%rd1+%d]; setp.ne.u32 %%p1, %%r2, 7; @%%p1 bra L%d; add.u32 %%r3, %%r3, 1; L%[2]d:\n", 4*i, i)
	}
	s := alone(t, job, kernel(body.String()+"ret;")).concrete()
	s.options.MaxPaths = 20 // 10 cover all outcomes
	longest, shortest := 0, math.MaxInt
	for _, p := range s.explore(t).Paths {
		longest, shortest = max(longest, p.Threads[0].Instructions), min(shortest, p.Threads[0].Instructions)
	}
	if longest != shortest+9 {
		t.Errorf("paths of %d to %d instructions were found, and the longest has 9 more than the shortest", shortest, longest)
	}
}

// TestLengthen leads to the longest path where exploration of all paths is out of question.
func TestLengthen(t *testing.T) {
	var conditions strings.Builder
	for i := range 16 {
		fmt.Fprintf(&conditions, "ld.global.u32 %%r2, [%%rd1+%d]; add.u32 %%r2, %%r2, %%r3; setp.ne.u32 %%p1, %%r2, 7; @%%p1 bra L%d; add.u32 %%r3, %%r3, 1; L%[2]d:\n", 4*i, i)
	}
	const sort = `
	mov.u32 %r2, 4;
A:	mov.u32 %r3, %r2;
B:	cvt.u64.u32 %rd2, %r3; add.u64 %rd3, %rd1, %rd2;
	ld.global.u32 %r4, [%rd3]; ld.global.u32 %r5, [%rd3+-4];
	setp.le.u32 %p1, %r5, %r4;
	@%p1 bra C;
	st.global.u32 [%rd3], %r5; st.global.u32 [%rd3+-4], %r4;
	sub.u32 %r3, %r3, 4;
	setp.gt.u32 %p1, %r3, 0;
	@%p1 bra B;
C:	add.u32 %r2, %r2, 4;
	setp.lt.u32 %p1, %r2, 32;
	@%p1 bra A;
`
	for name, c := range map[string]struct {
		body    string
		longest int
	}{
		"conditions": {conditions.String(), 2 + 16*5 + 1},
		"a sort":     {sort, 2 + 1 + 7*4 + 28*11 + 1},
	} {
		s := alone(t, job, kernel(c.body+"ret;")).concrete()
		res := s.explore(t)
		s.options.MaxQueries = 100
		longest := 0
		for _, guess := range []func(symexec.Remaining) int{func(r symexec.Remaining) int { return r.Min }, func(r symexec.Remaining) int { return r.Max }} {
			remaining := make(map[symexec.BranchOutcome]int)
			for outcome, r := range res.Remaining {
				remaining[outcome] = guess(r)
			}
			p, asked, err := symexec.Lengthen(context.Background(), s.options, remaining)
			if err != nil || asked > 100 {
				t.Fatalf("%s: %d queries, %v", name, asked, err)
			}
			longest = max(longest, p.Threads[0].Instructions)
			s.replay(t, &symexec.Result{Paths: []symexec.Path{*p}, Outcomes: res.Outcomes})
		}
		if longest != c.longest {
			t.Errorf("%s: the longest path has %d instructions, not %d", name, longest, c.longest)
		}
	}
	s := alone(t, job, kernel(sort+"ret;")).concrete()
	s.options.MaxSteps = 20
	if p, _, err := symexec.Lengthen(context.Background(), s.options, nil); p != nil || err != nil {
		t.Errorf("a path beyond the limit is %v, %v", p, err)
	}
}

// TestThreads explores two threads of which the second reads what the first wrote.
func TestThreads(t *testing.T) {
	s := together(t, 2, job, kernel(`
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd3, %rd1, %rd2;
	ld.global.u32 %r3, [%rd3];
	setp.gt.u32 %p1, %r3, %r1;
	st.shared.u32 [s], %r3;
	barrier.red.popc.u32 %r4, 0, %p1;
	setp.eq.u32 %p2, %r4, 2;
	@%p2 bra A;
	ld.shared.u32 %r5, [s];
	setp.gt.u32 %p1, %r5, 30;
	@%p1 bra A;
	exit;
A:	ret;`))
	s.options.Buffers[0].Element = symexec.Element{Bytes: 4, Low: 10, High: 20}
	s.options.Params[0].Element = symexec.Element{Bytes: 4, Signed: true, Low: 1<<32 - 5, High: 12}
	res := s.explore(t)
	s.replay(t, res)
	if len(res.Paths) != 2 || !res.Complete {
		t.Errorf("%d paths, complete %v", len(res.Paths), res.Complete)
	}
	if never := (symexec.BranchOutcome{Branch: 13, Target: 15}); res.Outcomes[never] != symexec.Infeasible {
		t.Errorf("%v is %v of %v", never, res.Outcomes[never], res.Outcomes)
	}
	for _, p := range res.Paths {
		if len(p.Ranges) != 3 || len(p.Formula) < 4 { // of the parameter and two elements, besides at least the vote
			t.Errorf("%v of %v are ranges", p.Ranges, p.Formula)
		}
		if !p.Communicates {
			t.Error("the threads do not communicate")
		}
		var arrays []string
		for _, r := range p.Reads {
			arrays = append(arrays, fmt.Sprint(r.Array, r.At, r.Bytes, r.Thread))
			value := uint64(0)
			for i := range r.Bytes {
				value |= p.Model.Cells[r.Array][r.At+uint64(i)] << (8 * i)
			}
			if r.Array == "data" && (value < 10 || value > 20) || r.Array != "data" && int32(value) > 12 {
				t.Errorf("%s at %d is %d", r.Array, r.At, value)
			}
		}
		if got, want := strings.Join(arrays, " "), "parameters8 4 0 data0 4 0 parameters8 4 1 data4 4 1"; got != want {
			t.Errorf("reads are %s, want %s", got, want)
		}
	}
}

// TestSomeThreads explores threads of a CTA whose others do not run.
func TestSomeThreads(t *testing.T) {
	s := together(t, 96, job, kernel(`
	mov.u32 %r2, %tid.x;
	setp.gt.u32 %p1, %r2, 40;
	@%p1 bra A;
	bar.sync 1, 64;
	exit;
A:	bar.sync 0;
	ret;`))
	s.options.Threads = []symexec.Thread{{Warp: 0, Lane: 3}, {Warp: 0, Lane: 4}, {Warp: 2, Lane: 31}}
	res := s.explore(t)
	if len(res.Paths) != 1 || res.Paths[0].Fault != nil || len(res.Paths[0].Threads) != 3 {
		t.Fatalf("%+v", res.Paths)
	}
	for _, threads := range [][]symexec.Thread{nil, {{Warp: 3}}, {{}, {}}, {{CTA: [3]int{0, 1, 0}}}, {{Lane: 32}}} {
		s.options.Threads = threads
		if _, err := symexec.Explore(context.Background(), s.options); err == nil {
			t.Errorf("threads %v are explored", threads)
		}
	}
	s.options.Threads = []symexec.Thread{{}, {Lane: 1}}
	s.options.Indices = []symexec.Index{{Register: isa.TidX, Below: 96}}
	if _, err := symexec.Explore(context.Background(), s.options); err == nil {
		t.Error("indices of two threads are explored")
	}
}

// TestCommunication explores threads of which one reads what another wrote, or not.
func TestCommunication(t *testing.T) {
	for want, body := range map[bool]string{
		false: "st.shared.u32 [%r4], %r2; ld.shared.u32 %r5, [%r4]; red.shared.add.u32 [s+32], 1; st.local.u32 [l], %r2; ld.local.u32 %r3, [l]; ret;",
		true:  "st.shared.u32 [%r4+4], %r2; ld.shared.u32 %r5, [%r4]; ret;",
	} {
		s := together(t, 2, job, kernel(`
	.local .align 4 .b8 l[4];
	mov.u32 %r2, %tid.x; mov.u32 %r3, s; mad.lo.u32 %r4, %r2, 4, %r3;
`+body))
		if res := s.explore(t); len(res.Paths) != 1 || res.Paths[0].Communicates != want || res.Paths[0].Fault != nil {
			t.Errorf("%+v, want %v", res.Paths, want)
		}
	}
}

// TestOwnLocalMemory: what threads store at one address of local memory does not reach each other.
func TestOwnLocalMemory(t *testing.T) {
	s := together(t, 2, strings.Replace(job, "block = [1", "block = [2", 1), kernel(`
	.local .align 4 .b8 l[4];
	mov.u32 %r2, %tid.x;
	st.local.u32 [l], %r2;
	bar.sync 0;
	ld.local.u32 %r3, [l];
	setp.ne.u32 %p1, %r2, %r3;
	@%p1 bra A;
	exit;
A:	ret;`))
	res := s.explore(t)
	for outcome, v := range res.Outcomes {
		if taken := outcome.Target != outcome.Branch+1; taken == (v == symexec.Covered) {
			t.Errorf("%v is %v", outcome, v)
		}
	}
}

package symexec_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"math/bits"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/kernelgen"
	"warpbound/internal/symexec"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
	"warpbound/kernels"
)

// outcomes returns all outcomes of the kernel's branches, as exploration lists them.
func (s *subject) outcomes(t *testing.T) []symexec.BranchOutcome {
	t.Helper()
	o := s.options
	o.MaxPaths = 0
	res, err := symexec.Explore(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return slices.SortedFunc(maps.Keys(res.Outcomes), func(a, b symexec.BranchOutcome) int {
		return (a.Branch-b.Branch)<<16 + a.Target - b.Target
	})
}

func (s *subject) prove(t *testing.T) (all, proved []symexec.BranchOutcome) {
	t.Helper()
	all = s.outcomes(t)
	proof, err := symexec.Prove(context.Background(), s.options, all)
	if err != nil {
		t.Fatal(err)
	}
	return all, proof.Never
}

func TestProve(t *testing.T) {
	for name, c := range map[string]struct {
		shape, body string
		want        string // for each branch, and for each of its outcomes: ? or x if it is proved
	}{
		"indices": {"grid = [4, 3, 1]\nblock = [40, 2, 1]", `
	mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %tid.x;
	mad.lo.u32 %r5, %r3, %r2, %r4;
	setp.ge.u32 %p1, %r5, 160;
	@%p1 bra A;
	setp.ge.u32 %p1, %r5, 159;
	@%p1 bra A;
	mov.u32 %r6, %laneid;
	setp.gt.u32 %p1, %r6, 31;
	@%p1 bra A;
	mov.u32 %r6, %warpid;
	setp.gt.u32 %p1, %r6, 2;
	@%p1 bra A;
	mov.u32 %r6, %warpid;
	setp.gt.u32 %p1, %r6, 1;
	@%p1 bra A;
	mov.u32 %r6, %ctaid.z;
	setp.ne.u32 %p1, %r6, 0;
	@%p1 bra A;
	exit;
A:	ret;`, "?x ?? ?x ?x ?? ?x"},
		"ranges of what is read": {"", `
	ld.global.u32 %r2, [%rd1+8];
	setp.gt.u32 %p1, %r2, 20;
	@%p1 bra A;
	and.b32 %r3, %r2, 15;
	mul.wide.u32 %rd2, %r3, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r4, [%rd3];
	setp.lt.u32 %p1, %r4, 10;
	@%p1 bra A;
	setp.lt.s32 %p1, %r1, 0;
	@%p1 bra A;
	exit;
A:	ret;`, "?x ?x ??"},
		"what may be written": {"", `
	ld.global.u32 %r2, [%rd1+8];
	setp.gt.u32 %p1, %r2, 20;
	@%p1 bra A;
	st.global.u32 [%rd1], %r1;
A:	ret;`, "??"},
		"what vectors of atomic operations may write": {"", `
	ld.global.u32 %r2, [%rd1+8];
	setp.gt.u32 %p1, %r2, 20;
	@%p1 bra A;
	red.global.add.v2.f32 [%rd1], {%f1, %f2};
A:	ret;`, "??"},
		"bytes of what is read": {"", `
	ld.global.u8 %r2, [%rd1+8];
	setp.gt.u32 %p1, %r2, 20;
	@%p1 bra A;
	ld.global.u8 %r2, [%rd1+9];
	setp.gt.u32 %p1, %r2, 0;
	@%p1 bra A;
	exit;
A:	ret;`, "?x ?x"},
		"shared memory": {"", `
	st.shared.u32 [s], 1;
	ld.shared.u32 %r2, [s];
	setp.eq.u32 %p1, %r2, 1;
	@%p1 bra A;
	exit;
A:	ret;`, "??"},
		"paths that join, and a loop": {"", `
	mov.u32 %r2, 3;
	setp.eq.u32 %p1, %r1, 7;
	@%p1 bra A;
	mov.u32 %r2, 5;
A:	setp.eq.u32 %p2, %r2, 4;
	@%p2 bra E;
	mov.u32 %r3, 0;
B:	setp.ge.u32 %p3, %r3, %r1;
	@%p3 bra C;
	setp.ge.u32 %p4, %r3, %r1;
	@%p4 bra E;
	add.u32 %r3, %r3, 1;
	setp.eq.u32 %p4, %r2, 6;
	@%p4 bra E;
	bra B;
C:	setp.lt.u32 %p5, %r3, %r1;
	@%p5 bra E;
	setp.gt.u32 %p5, %r3, %r1;
	@%p5 bra E;
	exit;
E:	ret;`, "?? ?x ?? ?x ?x ?x ??"},
		"what has no meaning, and guards": {"", `
	cvt.rn.f32.u32 %f1, %r1;
	ex2.approx.f32 %f2, %f1;
	setp.gt.f32 %p1, %f2, 0f41000000;
	@%p1 bra A;
	mov.u32 %r2, 1;
	@!%p1 mov.u32 %r2, 2;
	setp.eq.u32 %p2, %r2, 1;
	@%p2 bra A;
	@!%p1 exit;
	setp.eq.u32 %p2, %r2, 1;
	@%p2 bra A;
	exit;
A:	ret;`, "?? ?x xx"},
		"an indexed branch": {"", `
	and.b32 %r2, %r1, 1;
T:	.branchtargets A, B, C;
	brx.idx %r2, T;
A:	st.global.u32 [%rd1], %r1;
B:	st.global.u32 [%rd1], %r1;
C:	ret;`, "??x"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			text := job
			if c.shape != "" {
				text = strings.Replace(job, "grid = [1, 1, 1]\nblock = [1, 1, 1]", c.shape, 1)
			}
			s := together(t, 0, text, kernel(c.body))
			s.options.Buffers[0].Element = symexec.Element{Bytes: 4, Low: 10, High: 20}
			all, proved := s.prove(t)
			var got strings.Builder
			for i, outcome := range all {
				if i > 0 && outcome.Branch != all[i-1].Branch {
					got.WriteByte(' ')
				}
				if slices.Contains(proved, outcome) {
					got.WriteByte('x')
				} else {
					got.WriteByte('?')
				}
			}
			if got.String() != c.want {
				t.Errorf("proved %s of %v, want %s", &got, all, c.want)
			}
		})
	}
}

// TestProveTables reads tables of constants at an index that is data. What tables of up to 1024 bytes hold is known.
func TestProveTables(t *testing.T) {
	for elements, proved := range map[int]int{16: 1, 256: 1, 257: 0} {
		body := kernel(`
	ld.global.u32 %r2, [%rd1];
	rem.u32 %r2, %r2, ` + strconv.Itoa(elements) + `;
	mul.wide.u32 %rd2, %r2, 4;
	mov.u64 %rd3, table;
	add.u64 %rd3, %rd3, %rd2;
	ld.const.u32 %r3, [%rd3];
	setp.gt.u32 %p1, %r3, 9;
	@%p1 bra A;
	exit;
A:	ret;`)
		s := together(t, 0, job, strings.Replace(body, ".visible", fmt.Sprintf(".const .align 4 .u32 table[%d] = {1, 9, 3};\n.visible", elements), 1))
		if _, got := s.prove(t); len(got) != proved {
			t.Errorf("%d elements: %v are proved, want %d", elements, got, proved)
		}
	}
}

// TestProveIndependence: threads are independent if none uses what others may write.
func TestProveIndependence(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want bool
	}{
		"only what is read":       {"ld.global.u32 %r2, [%rd1+8]; add.u32 %r3, %r2, %r1;", true},
		"memory of its own":       {"st.local.u32 [l], %r1; ld.local.u32 %r2, [l]; add.u32 %r2, %r2, 1;", true},
		"only what is written":    {"st.global.u32 [%rd1], %r1; red.global.add.u32 [%rd1], 1; atom.global.add.u32 %r8, [%rd1], 1; bar.sync 0;", true},
		"a variable and a buffer": {"st.global.u32 [%rd1], %r1; ld.global.u32 %r2, [g]; add.u32 %r2, %r2, 1;", true},
		"a buffer":                {"st.global.u32 [%rd1], %r1; ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1;", false},
		"a write that is behind":  {"ld.global.u32 %r2, [g]; add.u32 %r2, %r2, 1; st.global.u32 [g], %r1;", false},
		"shared memory":           {"st.shared.u32 [s], %r1; ld.shared.u32 %r2, [s]; add.u32 %r2, %r2, 1;", false},
		"an atomic":               {"atom.global.add.u32 %r2, [%rd1], 1; add.u32 %r2, %r2, 1;", false},
		"a vector of atomics":     {"atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f3, %f3}; add.f32 %f4, %f1, %f2;", false},
		"a vector of reductions":  {"red.global.add.v2.f32 [%rd1], {%f3, %f3}; bar.sync 0;", true},
		"an address of any":       {"ld.global.u64 %rd2, [%rd1]; st.global.u32 [g], 1; ld.global.u32 %r2, [%rd2]; add.u32 %r2, %r2, 1;", false},
		"a barrier that votes":    {"setp.eq.u32 %p1, %r1, 0; bar.red.popc.u32 %r2, 0, %p1; add.u32 %r2, %r2, 1;", false},
		"a shuffle":               {"shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; add.u32 %r2, %r2, 1;", false},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			code := strings.Replace(kernel("\t.local .u32 l;\n"+c.body+" ret;"), ".visible", ".global .u32 g;\n.visible", 1)
			s := together(t, 0, job, code)
			proof, err := symexec.Prove(context.Background(), s.options, nil)
			if err != nil {
				t.Fatal(err)
			}
			if proof.Independent != c.want {
				t.Errorf("threads are independent: %t, want %t", proof.Independent, c.want)
			}
			if s.options.Later = true; c.want && strings.Contains(c.body, "ld.global") {
				if proof, err = symexec.Prove(context.Background(), s.options, nil); err != nil || proof.Independent {
					t.Errorf("after other launches threads are independent: %v, %v", proof, err)
				}
			}
		})
	}
}

// TestProveLater: nothing is known of memory that kernels can write once others have been
// launched, and as much as before of indices, parameters and constants.
func TestProveLater(t *testing.T) {
	body := `
	ld.global.u32 %r2, [%rd1+8];
	setp.gt.u32 %p1, %r2, 20;
	@%p1 bra A;
	ld.global.u32 %r2, [g];
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra A;
	ld.const.u32 %r2, [c];
	setp.ne.u32 %p1, %r2, 5;
	@%p1 bra A;
	mov.u32 %r2, %tid.x;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra A;
	exit;
A:	ret;`
	code := strings.Replace(kernel(body), ".visible", ".global .u32 g; .const .u32 c = 5;\n.visible", 1)
	s := together(t, 0, job, code)
	s.options.Buffers[0].Element = symexec.Element{Bytes: 4, Low: 10, High: 20}
	for _, later := range []bool{false, true} {
		s.options.Later = later
		all, proved := s.prove(t)
		want := 4
		if later {
			want = 2
		}
		if len(all) != 8 || len(proved) != want || later && proved[0].Branch < all[4].Branch {
			t.Errorf("later %t: proved %v of %v, want %d", later, proved, all, want)
		}
	}
}

// TestProofsOfRandomKernels executes random kernels, of which no thread takes an outcome that
// is proved not to be taken.
func TestProofsOfRandomKernels(t *testing.T) {
	count, outcomes := 0, 0
	seeds := effort.Draw(t, 80)
	for _, seed := range seeds {
		c := kernelgen.New(rand.New(rand.NewPCG(seed, 5)), kernelgen.Options{
			Statements: 14, Depth: 3, Trips: 6, Threads: 12, CTAs: 3, Bounded: seed%2 == 0})
		s := together(t, 0, c.Job, c.Module).concrete().limited(t, 500_000)
		s.options.MaxQueries = 40
		all, proved := s.prove(t)
		count, outcomes = count+len(proved), outcomes+len(all)
		if len(proved) == 0 {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 6))
		for range 6 {
			again := s.Again(t, 1)
			for _, b := range s.options.Buffers {
				contents := again.Grid.Contents(b.Address, b.Bytes)
				for at := 0; at+4 <= len(contents); at += 4 {
					binary.LittleEndian.PutUint32(contents[at:], r.Uint32()>>r.IntN(32))
				}
			}
			branch := make(map[*emu.Warp]int)
			again.Run(t, again.Grid.CTAs(), func(cta *emu.CTA, warp int) func(*emu.Effect) {
				w := &cta.Warps[warp]
				if outcome := (symexec.BranchOutcome{Branch: branch[w], Target: w.PC()}); slices.Contains(proved, outcome) {
					t.Errorf("seed %d: a thread takes %v", seed, outcome)
				}
				branch[w] = w.PC()
				return nil
			})
		}
	}
	if effort.Many() && count < 2*(len(seeds)-4) {
		t.Errorf("%d of %d outcomes are proved not to be taken", count, outcomes)
	}
	t.Logf("%d of %d outcomes are proved not to be taken", count, outcomes)
}

// TestProofsOfSuite executes CTAs of the suite's kernels, of which no thread takes an outcome
// that is proved not to be taken.
func TestProofsOfSuite(t *testing.T) {
	for _, name := range effort.Some(t, flowtest.Kernels(), 5) {
		t.Run(name, func(t *testing.T) {
			s := read(t, 0, func(file string) ([]byte, error) { return fs.ReadFile(kernels.Suite(), path.Join(name, file)) }).concrete().limited(t, 20_000)
			s.options.MaxQueries = 40
			_, proved := s.prove(t)
			branch := make(map[*emu.Warp]*[emu.MaxWidth]int)
			s.Again(t, s.Grid.Width()).Run(t, 2, func(cta *emu.CTA, warp int) func(*emu.Effect) {
				w := &cta.Warps[warp]
				if branch[w] == nil {
					branch[w] = new([emu.MaxWidth]int)
				}
				for lanes := w.Active(); lanes != 0; lanes &= lanes - 1 {
					lane := bits.TrailingZeros64(lanes)
					if outcome := (symexec.BranchOutcome{Branch: branch[w][lane], Target: w.PC()}); slices.Contains(proved, outcome) {
						t.Fatalf("a thread takes %v", outcome)
					}
					branch[w][lane] = w.PC()
				}
				return nil
			})
		})
	}
}

// TestProveRefuses names what is wrong with a buffer that the launch does not have.
func TestProveRefuses(t *testing.T) {
	s := alone(t, job, kernel("ret;"))
	s.options.Buffers[0].Bytes = 1 << 30
	if _, err := symexec.Prove(context.Background(), s.options, nil); err == nil || !strings.Contains(err.Error(), "there is no buffer") {
		t.Error(err)
	}
}

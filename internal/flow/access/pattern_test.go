package access_test

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/flow/access"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/value"
	"warpbound/internal/isa"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// touched counts what an execution of an access costs, from its addresses.
func touched(in *isa.Instr, acc *emu.Access, mask uint64) int {
	segments := make(map[uint64]bool)
	words := make(map[uint64]bool)
	banks := make(map[uint64]int)
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		for at := acc.Addr[lane]; at < acc.Addr[lane]+uint64(acc.Bytes); at++ {
			segments[at/128] = true
			key := at / 4
			if in.Op == isa.Atom || in.Op == isa.Red {
				key = key<<6 | uint64(lane)
			}
			if !words[key] {
				words[key] = true
				banks[at/4%32]++
			}
		}
	}
	if in.Space != isa.Shared {
		return len(segments)
	}
	maximum := 0
	for _, n := range banks {
		maximum = max(maximum, n)
	}
	return maximum
}

// checkAccesses runs a launch and compares its accesses with what is said of them. It
// returns how many are said to be exactly one thing.
func checkAccesses(t *testing.T, l *flowtest.Launch, r *value.Result, ctas int) (exact, all int) {
	t.Helper()
	found := make(map[int]access.Pattern)
	for _, a := range flowtest.Must(r.Accesses(t.Context(), access.DefaultMemory)) {
		found[a.Instr] = a
		if a.Reason == "" {
			exact++
		}
		all++
	}
	l.Run(t, ctas, func(c *emu.CTA, k int) func(*emu.Effect) {
		return func(eff *emu.Effect) {
			in := &l.Kernel.Instrs[eff.PC]
			if eff.Access.Kind == emu.NoAccess || eff.Mask == 0 || access.KindOf(in) == "" {
				return
			}
			a, ok := found[eff.PC]
			if !ok {
				t.Fatalf("%s is executed", l.Kernel.Format(in))
			}
			if n := touched(in, &eff.Access, eff.Mask); n < a.Min || n > a.Max || eff.Access.Bytes != a.Bytes {
				t.Fatalf("%s touches %d segments or banks with %d bytes in lanes %x: %+v", l.Kernel.Format(in), n, eff.Access.Bytes, eff.Mask, a)
			}
			first := bits.TrailingZeros64(eff.Mask)
			for m := eff.Mask; a.HasStride && m != 0; m &= m - 1 {
				lane := bits.TrailingZeros64(m)
				if got, want := eff.Access.Addr[lane]-eff.Access.Addr[first], uint64(a.Stride)*uint64(lane-first); got != want {
					t.Fatalf("%s: lane %d is %d bytes from lane %d, want %d: %+v", l.Kernel.Format(in), lane, got, first, want, a)
				}
			}
		}
	})
	return exact, all
}

func TestAccessesOfRandomKernels(t *testing.T) {
	exact, all := 0, 0
	for _, seed := range effort.Draw(t, 1000) {
		l := flowtest.RandomMixed(t, seed)
		e, a := checkAccesses(t, l, flowtest.Must(value.Analyze(t.Context(), l.Graph, l.Known(seed%3 == 2))), 3)
		exact, all = exact+e, all+a
	}
	t.Logf("%d of %d accesses depend on nothing else", exact, all)
}

// What is said of accesses of a kernel of which the analysis does not know an instruction holds of its runs.
func TestAccessesBesideUnmodelledInstructions(t *testing.T) {
	for _, seed := range effort.Draw(t, 200) {
		l := flowtest.RandomMixed(t, seed)
		places := flowtest.Replaceable(l.Kernel)
		l = l.Replaced(t, places[rand.New(rand.NewPCG(seed, 1)).IntN(len(places))], seed%2 == 0)
		checkAccesses(t, l, flowtest.Must(value.Analyze(t.Context(), l.Graph, l.Known(seed%3 == 2))), 2)
	}
}

// The same for the suite, with all that is known of its launches and with little.
func TestAccessesOfTheSuite(t *testing.T) {
	for _, kernel := range flowtest.Kernels() {
		t.Run(kernel, func(t *testing.T) {
			for _, vague := range []bool{false, true} {
				l := flowtest.Suite(t, kernel)
				checkAccesses(t, l, flowtest.Must(value.Analyze(t.Context(), l.Graph, l.Known(vague))), 1)
			}
		})
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		name             string
		body             string
		stride           int64
		hasStride        bool
		minimum, maximum int
		reason           string
	}{
		{"one element for all", "ld.global.u32 %r1, [%buf];", 0, true, 1, 1, ""},
		{"neighbours", "mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %d1, %buf; ld.global.u32 %r1, [%d1];", 4, true, 1, 1, ""},
		{"not aligned", "mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %d1, %buf; ld.global.u32 %r1, [%d1+4];", 4, true, 2, 2, ""},
		{"doubles", "mul.wide.u32 %d1, %tid, 8; add.u64 %d1, %d1, %buf; ld.global.u64 %d2, [%d1];", 8, true, 2, 2, ""},
		{"a row each", "mul.wide.u32 %d1, %tid, 4096; add.u64 %d1, %d1, %buf; ld.global.u32 %r1, [%d1];", 4096, true, 32, 32, ""},
		{"anywhere", "ld.global.u32 %r1, [%buf]; mad.wide.u32 %d1, %tid, %r1, %buf; ld.global.u32 %r2, [%d1];", 0, false, 1, 32, "not affine"},
		{"anywhere in a table", "mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %d1, %buf; ld.global.u32 %r1, [%d1]; and.b32 %r1, %r1, 63; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %buf; ld.global.u32 %r2, [%d1];", 0, false, 1, 2, "not affine"},
		{"in a table by a guard", "mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %d1, %buf; ld.global.u32 %r1, [%d1]; and.b32 %r1, %r1, 255; mul.wide.u32 %d1, %r1, 4; setp.lt.u32 %p1, %r1, 8; @%p1 ld.global.u32 %r2, [%d1];", 0, false, 1, 2, "not affine"},
		{"in a table behind a store by a guard", "mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %d1, %buf; ld.global.u32 %r1, [%d1]; and.b32 %r1, %r1, 255; mul.wide.u32 %d1, %r1, 4; setp.lt.u32 %p1, %r1, 8; @%p1 st.shared.u32 [tile], %r1; ld.global.u32 %r2, [%d1];", 0, false, 1, 8, "not affine"},
		{"no conflict", "mov.u64 %d1, tile; mul.wide.u32 %d2, %tid, 4; add.u64 %d1, %d1, %d2; ld.shared.u32 %r1, [%d1];", 4, true, 1, 1, ""},
		{"two-way conflict", "mov.u64 %d1, tile; mul.wide.u32 %d2, %tid, 8; add.u64 %d1, %d1, %d2; ld.shared.u32 %r1, [%d1];", 8, true, 2, 2, ""},
		{"all in one bank", "mov.u64 %d1, tile; mul.wide.u32 %d2, %tid, 128; add.u64 %d1, %d1, %d2; ld.shared.u32 %r1, [%d1];", 128, true, 32, 32, ""},
		{"padded", "mov.u64 %d1, tile; mul.wide.u32 %d2, %tid, 132; add.u64 %d1, %d1, %d2; ld.shared.u32 %r1, [%d1];", 132, true, 1, 1, ""},
		{"a variable that only an address names", "st.shared.u32 [tile], %tid;", 0, true, 1, 1, ""},
		{"one address of atomics", "mov.u64 %d1, tile; red.shared.add.u32 [%d1], 1;", 0, true, 32, 32, ""},
		{"four matrices", "mov.u64 %d1, tile; mul.wide.u32 %d2, %tid, 16; add.u64 %d1, %d1, %d2; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%d1];", 16, true, 4, 4, ""},
		{"four matrices in padded rows", "mov.u64 %d1, tile; mul.wide.u32 %d2, %tid, 80; add.u64 %d1, %d1, %d2; stmatrix.sync.aligned.m8n8.x4.shared.b16 [%d1], {%r1, %r2, %r3, %r4};", 80, true, 4, 4, ""},
		{"two matrices", "mov.u64 %d1, tile; mul.wide.u32 %d2, %tid, 16; add.u64 %d1, %d1, %d2; ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%d1];", 0, false, 1, 16, "only the first 16 lanes give an address"},
		{"within a branch", "setp.lt.u32 %p1, %tid, 3; @%p1 bra M; mul.wide.u32 %d1, %tid, 8; add.u64 %d1, %d1, %buf; ld.global.u64 %d2, [%d1]; M:", 8, true, 1, 2, ""},
		{"a grid-stride loop", `mov.u32 %r1, %tid;
L: mul.wide.u32 %d1, %r1, 8; add.u64 %d1, %d1, %buf; ld.global.u32 %r3, [%d1]; add.u32 %r1, %r1, 64; setp.lt.u32 %p1, %r1, 1000; @%p1 bra L;`, 8, true, 1, 2, ""},
		{"a pointer", `mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %d1, %buf; mov.u32 %r1, 0;
L: ld.global.u32 %r3, [%d1]; add.u64 %d1, %d1, 256; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 10; @%p1 bra L;`, 4, true, 1, 1, ""},
		{"lanes in different iterations", `mov.u32 %r1, 0;
L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %tid; @%p1 bra L; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %buf; ld.global.u32 %r3, [%d1];`, 0, false, 1, 2, "not affine"},
		{"a pointer into rows", `mov.u32 %r2, %ctaid.x; mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %d1, %buf; mul.wide.u32 %d2, %r2, 2000; add.u64 %d1, %d1, %d2; mov.u32 %r1, 0;
L: ld.global.u32 %r3, [%d1]; add.u64 %d1, %d1, 512; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3; @%p1 bra L;`, 4, true, 1, 2, ""},
		{"a pointer by uneven steps", `mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %d1, %buf; mov.u32 %r1, 0;
L: ld.global.u32 %r3, [%d1]; add.u64 %d1, %d1, 260; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3; @%p1 bra L;`, 4, true, 1, 2, ""},
		{"by a counter", `mov.u32 %r1, 0;
L: shl.b32 %r2, %r1, 5; add.u32 %r2, %r2, %tid; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %d1, %buf; ld.global.u32 %r3, [%d1];
add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 10; @%p1 bra L;`, 4, true, 1, 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			launch := launchfacts.Launch{Grid: [3]int{4, 1, 1}, Block: [3]int{64, 1, 1}, Params: []launchfacts.Word{{Offset: 0, Interval: strided.Multiples(64, 256)}}}
			all := flowtest.Must(flowtest.Must(value.Analyze(t.Context(), flowtest.BodyGraph(t, c.body), launch)).Accesses(t.Context(), access.DefaultMemory))
			a := all[len(all)-1]
			if a.HasStride != c.hasStride || a.Stride != c.stride || a.Min != c.minimum || a.Max != c.maximum || !strings.Contains(a.Reason, c.reason) {
				t.Errorf("got %+v", a)
			}
		})
	}
}

package symexec_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"warpbound/internal/symexec"
	"warpbound/internal/test/effort"
)

// TestMemory accesses buffers whose contents are known and shared memory in random order, at
// offsets that are known and others. The last number decides on branches.
func TestMemory(t *testing.T) {
	for _, seed := range effort.Draw(t, 60) {
		r := rand.New(rand.NewPCG(seed, 4))
		var body strings.Builder
		body.WriteString("and.b32 %r2, %r1, 7; shl.b32 %r2, %r2, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; cvt.u64.u32 %rd3, %r2; add.u64 %rd2, %rd1, %rd3;\n")
		for range 10 {
			address := []string{"shared.%s [%%r3+%d]", "global.%s [%%rd2+%d]", "shared.%s [s+%d]", "global.%s [%%rd1+%d]"}[r.IntN(4)]
			typ := []string{"u8", "u16", "u32"}[r.IntN(3)]
			at := fmt.Sprintf(address, typ, 4*r.IntN(8))
			switch r.IntN(4) {
			case 0, 1:
				fmt.Fprintf(&body, "ld.%s", strings.Replace(at, " ", " %r5, ", 1))
				body.WriteString("; add.u32 %r4, %r4, %r5; shl.b32 %r6, %r4, 3; xor.b32 %r4, %r4, %r6;\n")
			case 2:
				fmt.Fprintf(&body, "st.%s, %%r4;\n", at)
			default:
				fmt.Fprintf(&body, "st.%s, %%r2;\n", at)
			}
		}
		for bit := range 3 {
			fmt.Fprintf(&body, "and.b32 %%r5, %%r4, %d; setp.eq.u32 %%p1, %%r5, 0; @%%p1 bra L%d; add.u32 %%r7, %%r7, 1; L%d:\n", 4<<bit, bit, bit)
		}
		known := strings.Replace(job, `init = "zeros"`, "values = [1, 70000, 3, 4, 500, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]", 1)
		s := alone(t, known, kernel(body.String()+"ret;")).limited(t, 500_000)
		s.options.Buffers[0].Symbolic = seed%3 == 0
		res := s.explore(t)
		s.replay(t, res)
		s.partition(t, r, res)
	}
}

// TestTables looks numbers up in tables of different sizes.
func TestTables(t *testing.T) {
	for _, count := range []int{16, 1 << 8, 1 << 14} {
		known := strings.Replace(job, "count = 16\ninit = \"zeros\"", fmt.Sprintf("count = %d\ninit = \"iota\"", count), 1)
		s := alone(t, known, kernel(`
	and.b32 %r2, %r1, 0x3fff;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd3, %rd1, %rd2;
	ld.global.u32 %r3, [%rd3];
	setp.eq.u32 %p1, %r3, 11;
	@%p1 bra A;
	exit;
A:	ret;`))
		s.options.Buffers[0].Symbolic = false
		res := s.explore(t)
		s.replay(t, res)
		covered := 0
		for _, v := range res.Outcomes {
			if v == symexec.Covered {
				covered++
			}
		}
		if small := count <= 1<<8; small && (covered != 2 || !res.Complete) || covered == 0 {
			t.Errorf("of a table of %d, %d outcomes are covered, complete %v", count, covered, res.Complete)
		}
	}
}

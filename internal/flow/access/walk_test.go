package access_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"warpbound/internal/flow/access"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/value"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// TestAccessesOfWalks checks what is said of accesses by pointers and indices that begin at distances of the lanes, of the CTA
// and of an argument, and move on in one or two loops by steps of any size, which all lanes make or only some.
func TestAccessesOfWalks(t *testing.T) {
	strides := 0
	seeds := effort.Draw(t, 1500)
	for _, seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 6))
		of := func(n ...int) int { return n[rng.IntN(len(n))] }
		var b strings.Builder
		line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
		size := of(1, 4, 4, 8)
		step := func() int { return size * of(0, 1, 2, 3, 5, 8, 16, 31, 32, 33, 64, 65, 128) }
		line("mul.lo.u32 %%r1, %%tid, %d; mul.lo.u32 %%r2, %%cta, %d; add.u32 %%r1, %%r1, %%r2; add.u32 %%r1, %%r1, %d;", step(), step(), step())
		if rng.IntN(3) == 0 {
			line("and.b32 %%r2, %%m, %d; mul.lo.u32 %%r2, %%r2, %d; add.u32 %%r1, %%r1, %%r2;", of(1, 3, 7), step())
		}
		if rng.IntN(4) == 0 {
			line("shr.u32 %%r2, %%tid, %d; mul.lo.u32 %%r2, %%r2, %d; add.u32 %%r1, %%r1, %%r2;", 1+rng.IntN(4), step())
		}
		if rng.IntN(4) == 0 {
			line("setp.lt.u32 %%p3, %%tid, %d; @%%p3 add.u32 %%r1, %%r1, %d;", rng.IntN(40), step())
		}
		wide := rng.IntN(2) == 0
		if wide {
			line("cvt.u64.u32 %%d1, %%r1; add.u64 %%d1, %%d1, %%buf;")
		}
		load := fmt.Sprintf("ld.global.u%d", 8*size)
		to := map[int]string{1: "%r9", 4: "%r9", 8: "%d9"}[size]
		body := func() {
			if wide {
				line("%s %s, [%%d1+%d];", load, to, step())
				return
			}
			line("cvt.u64.u32 %%d2, %%r1; add.u64 %%d2, %%d2, %%buf; %s %s, [%%d2+%d];", load, to, step())
		}
		advance := func() {
			guard := ""
			if rng.IntN(5) == 0 {
				line("setp.lt.u32 %%p4, %%tid, %d;", rng.IntN(40))
				guard = "@%p4 "
			}
			if wide {
				line("%sadd.u64 %%d1, %%d1, %d;", guard, step())
				return
			}
			line("%sadd.u32 %%r1, %%r1, %d;", guard, step())
		}
		trips := []string{fmt.Sprint(1 + rng.IntN(4)), "%n", "%r8"}[rng.IntN(3)]
		line("and.b32 %%r8, %%tid, 3; mov.u32 %%r3, 0;")
		line("A:")
		body()
		advance()
		if rng.IntN(2) == 0 {
			line("mov.u32 %%r4, 0;\nB:")
			body()
			advance()
			body()
			line("add.u32 %%r4, %%r4, 1; setp.lt.u32 %%p2, %%r4, %s; @%%p2 bra B;", []string{"2", "3", "%r8"}[rng.IntN(3)])
		}
		line("add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p1, %%r3, %s; @%%p1 bra A;", trips)
		body()
		job := fmt.Sprintf("module = \"k.ptx\"\nmachine = \"fermi-c2050\"\ngrid = [3]\nblock = [%d]\nseed = 1\n[[param]]\nname = \"p\"\ntype = \"u32\"\ncount = 65536\n"+
			"[[param]]\nname = \"n\"\ntype = \"u32\"\nvalue = %d\n[[param]]\nname = \"m\"\ntype = \"u32\"\nvalue = %d\n", of(32, 64, 40), 1+rng.IntN(3), rng.IntN(8))
		l := flowtest.Job(t, job, flowtest.BodyModule(b.String()))
		launch := l.Known(false)
		if rng.IntN(2) == 0 {
			launch.Params[2].Interval = strided.Any(32)
		}
		r := flowtest.Must(value.Analyze(t.Context(), l.Graph, launch))
		checkAccesses(t, l, r, 3)
		for _, a := range flowtest.Must(r.Accesses(t.Context(), access.DefaultMemory)) {
			if a.HasStride {
				strides++
			}
		}
	}
	if effort.Many() && strides < len(seeds)*2/3 {
		t.Errorf("%d accesses have strides", strides)
	}
}

package symexec_test

import (
	"fmt"
	"strings"
	"testing"
)

// longLoop sums elements of a buffer as long as the sum is not one number.
const longLoop = `
	mov.u32 %r2, 0; mov.u32 %r3, 0;
A:	and.b32 %r4, %r2, 15;
	mul.wide.u32 %rd2, %r4, 4;
	add.u64 %rd3, %rd1, %rd2;
	ld.global.u32 %r5, [%rd3];
	add.u32 %r3, %r3, %r5;
	st.shared.u32 [s], %r3;
	setp.eq.u32 %p2, %r3, 12345;
	@%p2 bra B;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, 10000;
	@%p1 bra A;
B:	ret;`

// TestLongPath executes 110,000 instructions of one path, with 10,000 branches on inputs.
func TestLongPath(t *testing.T) {
	s := alone(t, job, kernel(longLoop))
	s.options.MaxPaths, s.options.MaxSteps = 2, 1<<20
	res := s.explore(t)
	if len(res.Paths) != 2 || res.Paths[0].Threads[0].Instructions < 100_000 {
		t.Errorf("%d paths", len(res.Paths))
	}
	s.replay(t, res)
}

// inARow is a kernel of ifs in a row in a loop of two iterations.
func inARow(ifs int) string {
	var body strings.Builder
	body.WriteString("mov.u32 %r6, 0; Loop:\n")
	for i := range ifs {
		fmt.Fprintf(&body, "ld.global.u32 %%r2, [%%rd1+%d]; ld.global.u32 %%r4, [%%rd1+%d]; setp.gt.u32 %%p1, %%r2, %%r4; @%%p1 bra L%d; add.u32 %%r3, %%r2, %d; st.global.u32 [%%rd1+%d], %%r3; L%d:\n",
			i%16*4, i*7%16*4, i, i%3, i*5%16*4, i)
	}
	body.WriteString("add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 2; @%p2 bra Loop; ret;")
	return kernel(body.String())
}

func BenchmarkCoverage(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		s := alone(b, job, inARow(252))
		s.options.MaxPaths, s.options.MaxSteps = 300, 1<<20
		b.StartTimer()
		res := s.explore(b)
		covered, open := 0, 0
		for _, v := range res.Sides {
			if v.String() == "covered" {
				covered++
			} else {
				open++
			}
		}
		b.ReportMetric(float64(covered), "covered")
		b.ReportMetric(float64(open), "open")
		b.ReportMetric(float64(len(res.Paths)), "paths")
		b.ReportMetric(float64(res.Queries), "queries")
		b.ReportMetric(s.options.Solver.Stats().Time.Seconds(), "solver-s")
		b.ReportMetric(float64(s.options.Solver.Stats().Asked[0]), "unknown")
	}
}

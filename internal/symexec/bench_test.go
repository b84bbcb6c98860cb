package symexec_test

import (
	"io/fs"
	"path"
	"testing"

	"warpbound/internal/symexec"
	"warpbound/kernels"
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

// BenchmarkPetri covers the 504 outcomes of 252 ifs in a row.
func BenchmarkPetri(b *testing.B) {
	for b.Loop() {
		s := read(b, 1, func(file string) ([]byte, error) { return fs.ReadFile(kernels.Suite(), path.Join("petri", file)) }).concrete()
		s.options.MaxPaths, s.options.MaxSteps, s.options.MaxQueries = 150, 1<<20, 300
		res := s.explore(b)
		covered := 0
		for _, v := range res.Outcomes {
			if v == symexec.Covered {
				covered++
			}
		}
		b.ReportMetric(float64(covered), "outcomes")
		b.ReportMetric(s.options.Solver.Stats().Time.Seconds(), "solver-s")
	}
}

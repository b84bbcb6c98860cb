package symexec_test

import "testing"

// TestBarriers explores three threads that wait for each other at barriers of all kinds.
func TestBarriers(t *testing.T) {
	for name, c := range map[string]struct {
		body          string
		paths, faults int
	}{
		"arrivals": {`
	setp.eq.u32 %p1, %r2, 0;
	@!%p1 bra A;
	st.shared.u32 [s], %r1;
	barrier.arrive 1, 3;
	bra E;
A:	barrier.sync 1, 3;
	ld.shared.u32 %r3, [s];
	setp.gt.u32 %p2, %r3, 5;
	@%p2 bra E;
	add.u32 %r3, %r3, 1;
E:	ret;`, 2, 0},
		"an arrival before others": {`
	setp.eq.u32 %p1, %r2, 0;
	@!%p1 bra A;
	barrier.arrive 1, 3;
	barrier.sync 2, 3;
	bra E;
A:	barrier.sync 2, 3;
	barrier.sync 1, 3;
E:	ret;`, 1, 0},
		"threads that end": {`
	setp.eq.u32 %p1, %r2, %r1;
	@%p1 exit;
	bar.sync 0;
	st.shared.u32 [s], %r2;
	bar.sync 0;
	ld.shared.u32 %r3, [s];
	setp.eq.u32 %p2, %r3, 1;
	@%p2 bra E;
	add.u32 %r3, %r3, 1;
E:	ret;`, 4, 0},
		"reductions": {`
	setp.gt.u32 %p1, %r1, %r2;
	barrier.red.or.pred %p2, 0, %p1;
	barrier.red.and.pred %p3, 0, 3, %p1;
	barrier.red.popc.u32 %r3, 0, %p1;
	@%p2 bra A;
	exit;
A:	@%p3 bra B;
	setp.gt.u32 %p1, %r3, 1;
	@%p1 bra B;
	ret;
B:	exit;`, 4, 0},
		"numbers that are inputs": {`
	setp.gt.u32 %p1, %r1, 17;
	@%p1 exit;
	setp.lt.u32 %p1, %r1, 14;
	@%p1 exit;
	barrier.sync %r1;
	ret;`, 6, 2},
		"a deadlock": {`
	setp.eq.u32 %p1, %r2, %r1;
	@%p1 bra A;
	barrier.sync 1;
	exit;
A:	barrier.sync 2;
	ret;`, 4, 3},
		"different numbers of threads": {`
	add.u32 %r3, %r2, 1;
	barrier.sync 1, %r3;
	ret;`, 1, 1},
		"a number of threads that is an input": {`
	setp.gt.u32 %p1, %r1, 3;
	@%p1 exit;
	barrier.sync 1, %r1;
	exit;`, 5, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := together(t, 3, job, kernel("mov.u32 %r2, %tid.x;\n"+c.body))
			s.options.MaxPaths = 12
			res := s.explore(t)
			faults := 0
			for _, p := range res.Paths {
				if p.Fault != nil {
					faults++
				}
			}
			if c.paths > 0 && (len(res.Paths) != c.paths || faults != c.faults || !res.Complete) {
				t.Errorf("%d paths, %d faults, complete %v", len(res.Paths), faults, res.Complete)
			}
			s.replay(t, res)
		})
	}
}

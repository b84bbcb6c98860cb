package absexec

import (
	"context"
	"math"
	"math/bits"
	"strings"
	"testing"
)

// counting adds up how often each instruction is told, and the lanes of its accesses.
type counting struct {
	silent
	issued, lanes map[int]int
	times         []int
}

func (c *counting) Step(s *Step) {
	n := 1
	for _, t := range c.times {
		n *= t
	}
	c.issued[s.PC] += n
	if s.Access != nil {
		c.lanes[s.PC] += n * bits.OnesCount64(s.May)
	}
}

func (c *counting) Repeat(times int) { c.times = append(c.times, times) }
func (c *counting) Repeated()        { c.times = c.times[:len(c.times)-1] }

// often refuses what is repeated less than once.
type often struct {
	silent
	t *testing.T
}

func (o *often) Repeat(times int) {
	if times < 1 {
		o.t.Errorf("%d times", times)
	}
}

// TestCrowd: where ways multiply each lane executes the blocks on the way as often as the bounds of the loops allow. The loop at L makes
// at most 9 iterations for one entry, that at M 3.
func TestCrowd(t *testing.T) {
	const body = `mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %buf; mov.u32 %r1, 0;
		L: ld.global.u32 %r2, [%rd1]; setp.lt.u32 %p1, %r2, 3; @%p1 bra C;
		st.global.u32 [%rd1+4], %r1; red.global.add.u32 [%rd1+8], %r1; mov.u32 %r4, 0;
		M: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r2; @%p2 bra M;
		setp.eq.u32 %p3, %r2, 7; @%p3 bra E;
		C: add.u32 %r1, %r1, 1; setp.lt.u32 %p4, %r1, %r2; @%p4 bra L;
		E: st.global.u32 [%rd1], %r1; ret;`
	l := compile(t, 5, [3]int{1, 1, 1}, [3]int{16, 1, 1}, "", body)
	l.prepare(t, 0, 32)
	config := l.config()
	config.Launch = l.semantics
	config.Bound = func(header int) (int, bool) {
		if l.graph.Name(header) == "M" {
			return 3, true
		}
		return 9, true
	}
	config.MaxSteps = 20_000
	x := New(config)
	count := &counting{issued: map[int]int{}, lanes: map[int]int{}}
	results, err := x.Warp(context.Background(), 0, func(Box) Visitor {
		count = &counting{issued: map[int]int{}, lanes: map[int]int{}}
		return count
	})
	if err != nil || !x.Summarises() {
		t.Fatalf("%v, summarised: %t", err, x.Summarises())
	}
	// Followed up to the first branch, whose lanes go on one by one then.
	const lanes, first, times = 16, 1, 16 * 10
	at := l.code.Len() - 15
	for i, want := range []struct{ issued, lanes int }{
		{first + times, lanes + times}, {first + times, 0}, {first + times, 0}, // L
		{times, times}, {times, lanes * times}, {times, 0},
		{4 * times, 0}, {4 * times, 0}, {4 * times, 0}, // M
		{times, 0}, {times, 0},
		{times, 0}, {times, 0}, {times, 0}, // C
		{1, lanes}, // E, where all meet
	} {
		if pc := at - 1 + i; count.issued[pc] != want.issued || count.lanes[pc] != want.lanes {
			t.Errorf("instruction %d is issued %d times for %d lanes, want %d and %d", pc, count.issued[pc], count.lanes[pc], want.issued, want.lanes)
		}
	}
	for i, loop := range results[0].Loops {
		if want, _ := config.Bound(l.graph.Loops().Loops[i].Header); loop.Iterations != want || !loop.Forced {
			t.Errorf("loop %d: %+v, want its bound of %d", i, loop, want)
		}
	}
	config.Bound = func(int) (int, bool) { return math.MaxInt, true }
	_, err = New(config).Warp(context.Background(), 0, func(Box) Visitor { return &often{t: t} })
	if err != nil {
		t.Errorf("with bounds of %d: %v", math.MaxInt, err)
	}
	config.MaxSteps = 200 // the 15 instructions of the ways, once for each lane, are more
	_, err = New(config).Warp(context.Background(), 0, func(Box) Visitor { return silent{} })
	if err == nil || !strings.Contains(err.Error(), "more than 200 instructions") {
		t.Errorf("after 200 steps: %v", err)
	}
	for name, body := range map[string]string{
		"one way back":     "L: ld.global.u32 %r2, [%buf]; add.u32 %r2, %r2, %t; setp.lt.u32 %p1, %r2, 3; @%p1 bra E; add.u32 %r1, %r1, 1; setp.lt.u32 %p4, %r1, %r2; @%p4 bra L; E: ret;",
		"meets in it":      "L: ld.global.u32 %r2, [%buf]; add.u32 %r2, %r2, %t; setp.lt.u32 %p1, %r2, 3; @%p1 bra C; add.u32 %r1, %r1, 1; C: setp.lt.u32 %p4, %r1, %r2; @%p4 bra L; E: ret;",
		"waits for them":   "L: ld.global.u32 %r2, [%buf]; add.u32 %r2, %r2, %t; setp.lt.u32 %p1, %r2, 3; @%p1 bra C; bar.sync 0; setp.eq.u32 %p3, %r2, 7; @%p3 bra E; C: setp.lt.u32 %p4, %r1, %r2; @%p4 bra L; E: ret;",
		"waits for a lane": "L: ld.global.u32 %r2, [%buf]; add.u32 %r2, %r2, %t; setp.lt.u32 %p1, %r2, 3; @%p1 bra C; bar.warp.sync 1; setp.eq.u32 %p3, %r2, 7; @%p3 bra E; C: setp.lt.u32 %p4, %r1, %r2; @%p4 bra L; E: ret;",
		"asks the others":  "L: ld.global.u32 %r2, [%buf]; add.u32 %r2, %r2, %t; setp.lt.u32 %p1, %r2, 3; @%p1 bra C; vote.sync.ballot.b32 %r3, %p1, 1; setp.eq.u32 %p3, %r2, 7; @%p3 bra E; C: setp.lt.u32 %p4, %r1, %r2; @%p4 bra L; E: ret;",
	} {
		l := compile(t, 5, [3]int{1, 1, 1}, [3]int{16, 1, 1}, "", body)
		l.prepare(t, 0, 32)
		config := l.config()
		config.Launch = l.semantics
		x := New(config)
		for b := range l.graph.Len() {
			if x.wayFrom(b) != nil {
				t.Errorf("%s: lanes that part in block %d are taken one by one", name, b)
			}
		}
	}
}

package symexec

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// thread is a thread as far as it has been executed.
type thread struct {
	pc       int
	regs     []*smt.Term // of threads that do not run they may be those of other states
	steps    int
	outcomes *chain[BranchOutcome]
	marks    *chain[int] // instructions until each of the outcomes
	barriers *chain[int]
	waits    *isa.Instr  // the barrier at which it waits, or the operation on several lanes
	together collective  // such an operation
	sources  []*smt.Term // of that
	open     int         // see openOutcomes
	ended    bool
}

// now returns the thread that runs.
func (s *state) now() *thread { return &s.threads[s.at] }

// steps returns the instructions that all threads executed.
func (s *state) steps() int {
	n := 0
	for i := range s.threads {
		n += s.threads[i].steps
	}
	return n
}

// admit checks which threads and indices there are, and finds the CTAs of threads.
func (x *explorer) admit() error {
	if len(x.Threads) == 0 {
		return errors.New("there is no thread to explore")
	}
	if len(x.Threads) > 1 && len(x.Indices) > 0 {
		return errors.New("only the indices of a single thread can be symbolic")
	}
	if err := x.checkIndices(); err != nil {
		return err
	}
	grid := x.launch.Grid()
	for i, t := range x.Threads {
		for axis, at := range t.CTA {
			if at < 0 || at >= grid[axis] {
				return fmt.Errorf("the launch has no CTA %v", t.CTA)
			}
		}
		if t.Warp < 0 || t.Warp >= x.launch.Warps() || t.Lane < 0 || t.Lane >= x.launch.Width() || x.launch.Threads(t.Warp)>>t.Lane&1 == 0 {
			return fmt.Errorf("a CTA has no thread in lane %d of warp %d", t.Lane, t.Warp)
		}
		if slices.Contains(x.Threads[:i], t) {
			return fmt.Errorf("the thread in lane %d of warp %d of CTA %v is given twice", t.Lane, t.Warp, t.CTA)
		}
		first := slices.IndexFunc(x.Threads, func(o Thread) bool { return o.CTA == t.CTA })
		if i > first && x.ctas[i-1] != first {
			return fmt.Errorf("the threads of CTA %v are not together", t.CTA)
		}
		x.ctas = append(x.ctas, first)
	}
	x.findWarps()
	return nil
}

// findWarps finds the lanes of the warp of each thread.
func (x *explorer) findWarps() {
	type warp struct{ cta, warp int }
	known := make(map[warp][]int)
	for i, t := range x.Threads {
		w := warp{x.ctas[i], t.Warp}
		if known[w] == nil {
			known[w] = slices.Repeat([]int{-1}, x.launch.Width())
		}
		known[w][t.Lane] = i
		x.warps = append(x.warps, known[w])
	}
}

// members returns the threads of the CTA of the one that runs.
func (s *state) members() (first, end int) {
	first = s.x.ctas[s.at]
	for end = first; end < len(s.threads) && s.x.ctas[end] == first; end++ {
	}
	return first, end
}

// run makes a thread the one that runs.
func (s *state) run(i int) {
	s.at = i
	s.now().regs = slices.Clone(s.now().regs)
}

// pass lets the next thread run that can: of the CTA in turn, then of the next one.
func (s *state) pass() {
	first, end := s.members()
	waiting := -1
	for k := range end - first {
		i := first + (s.at-first+1+k)%(end-first)
		switch t := &s.threads[i]; {
		case t.ended:
		case t.waits == nil:
			s.run(i)
			return
		default:
			waiting = i
		}
	}
	switch {
	case waiting >= 0 && s.settleStuck(first, end):
		if s.unfollowed == nil {
			s.pass()
		}
	case waiting >= 0 && (end-first == s.x.ctaThreads() || len(s.barriers) == 0):
		in := s.threads[waiting].waits
		s.fault = diag.Errorf(in.Pos, "%s: threads of the CTA wait here, and the others have ended or wait elsewhere", s.x.text(in))
	case waiting >= 0: // threads that do not run here may arrive
		for len(s.barriers) > 0 {
			s.release(0)
		}
		s.pass()
	case end < len(s.threads):
		s.run(end)
	default:
		s.done = true
	}
}

// ctaThreads returns the number of threads of a CTA of the launch.
func (x *explorer) ctaThreads() int {
	n := 0
	for warp := range x.launch.Warps() {
		n += bits.OnesCount64(x.launch.Threads(warp))
	}
	return n
}

// end ends the thread that runs.
func (s *state) end() {
	s.now().ended = true
	for i := len(s.barriers) - 1; i >= 0; i-- {
		s.settle(i)
	}
	for _, i := range s.x.warps[s.at] {
		if i >= 0 && s.threads[i].together.in != nil {
			s.settleLanes(i)
		}
	}
	s.pass()
}

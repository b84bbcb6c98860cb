package published

import "slices"

// Result is what the abstract simulation of a CTA gives, in cycles.
type Result struct {
	Cycles int64
	Issue  int64 // of all time nodes
	Stall  int64 // of all memory accesses
	Loops  []LoopPart
}

// LoopPart is what a loop contributes, the loops within it included.
type LoopPart struct {
	Loop   int // in the flow graph's forest
	Issue  int64
	Stall  int64
	Counts []int // iterations by warp
}

// Simulate is the procedure of Section 3.3 for an abstract warp and so many warps. counts
// returns how often each warp returns to the header of a loop for each entry.
func Simulate(w Warp, warps int, counts func(loop int) []int) *Result {
	s := &simulation{warps: warps, low: int64(warps), high: int64(warps), counts: counts, parts: make(map[int]*LoopPart)}
	s.proceed(w)
	s.flush(0)
	r := &Result{Issue: s.issue, Stall: s.stall, Cycles: s.issue + s.stall}
	for _, loop := range s.order {
		r.Loops = append(r.Loops, *s.parts[loop])
	}
	return r
}

// simulation is the state of the procedure: T_WCET in its parts, the bounds N_low and
// N_high of the occupancy, T_SHIFT, and LOG, the accesses that are not flushed yet.
type simulation struct {
	warps        int
	issue, stall int64
	low, high    int64
	shift        int64
	log          []entry
	counts       func(loop int) []int
	parts        map[int]*LoopPart
	order        []int // loops as they are entered first
	nest         []*LoopPart
}

// entry is an access in LOG, with its latency and N_low when it was made.
type entry struct{ wait, low int64 }

func (s *simulation) proceed(w Warp) {
	for i := range w {
		n := &w[i]
		switch n.Kind {
		case Time:
			s.issue += s.high * n.Instr
			s.shift += n.Shift
			for _, p := range s.nest {
				p.Issue += s.high * n.Instr
			}
		case Barrier:
			s.shift = 0
			s.flush(0)
		case Memory:
			s.log = append(s.log, entry{n.Wait, s.low})
			s.shift += max(0, (n.Wait-s.low+s.low-1)/s.low)
			s.flush(int(s.shift))
		case Loop:
			s.loop(n)
		}
	}
}

// loop proceeds through a loop as often as the warp does that iterates most. Warps that
// iterate less often are not there any more; behind the loop, any number of them may be.
func (s *simulation) loop(n *Node) {
	counts := slices.Clone(s.counts(n.Loop))
	for w := range counts {
		counts[w] += n.More
	}
	part, ok := s.parts[n.Loop]
	if !ok {
		part = &LoopPart{Loop: n.Loop, Counts: counts}
		s.parts[n.Loop] = part
		s.order = append(s.order, n.Loop)
	}
	s.nest = append(s.nest, part)
	low, high := s.low, s.high
	minimum, maximum := counts[0], counts[0]
	for _, c := range counts {
		minimum, maximum = min(minimum, c), max(maximum, c)
	}
	for i := range maximum {
		active := int64(0)
		for _, c := range counts {
			if c > i {
				active++
			}
		}
		s.low, s.high = min(low, active), min(high, active)
		s.proceed(n.Body)
	}
	s.flush(0)
	s.nest = s.nest[:len(s.nest)-1]
	s.low, s.high = low, high
	if minimum != maximum {
		s.low = 1
	}
}

// flush takes the oldest accesses out of LOG until so many are left. Each stalls all warps
// for max(0, T_memory - N_low).
func (s *simulation) flush(left int) {
	for len(s.log) > left {
		stall := max(0, s.log[0].wait-s.log[0].low)
		s.log = s.log[1:]
		s.stall += stall
		for _, p := range s.nest {
			p.Stall += stall
		}
	}
}

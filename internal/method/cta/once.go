package cta

import (
	"slices"

	"warpbound/internal/absexec"
	"warpbound/internal/graph"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// This file counts what lanes do that have left loops at different times, such as the code behind an early
// exit. It is outside of all loops, so that each thread executes it once at most. An abstract execution comes to
// it in every iteration in which lanes may leave; a warp issues it at most once for each of its threads.
// It pays for so many issues that take longest. Alternatives that begin at such a branch count as one instruction.

// once finds the blocks that a thread executes at most once.
func once(g *graph.Graph) []bool {
	all := make([]bool, g.Len())
	for _, component := range graph.SCC(g) {
		for _, b := range component {
			all[b] = len(component) == 1
		}
	}
	for b := range all {
		for _, to := range g.Succ(b) {
			all[b] = all[b] && to != b
		}
	}
	return all
}

// greatest are the times of issues of an instruction, in ascending order, as it may be issued for so many of the threads
// only: those that take longest. The slice is never changed.
type greatest []saturating.Int

// add returns the times with one more, and by how much that raises their sum, if there are so many of them at most.
func (g greatest) add(cycles saturating.Int, limit int) (greatest, saturating.Int) {
	replaced, rest := saturating.Int(0), g
	if len(g) >= limit {
		replaced, rest = g[0], g[1:]
		if cycles <= replaced {
			return g, 0
		}
	}
	i, _ := slices.BinarySearch(rest, cycles)
	return slices.Insert(slices.Clone(rest), i, cycles), cycles.Sub(replaced)
}

// issues are the tallies of an instruction: of its service, and of the delays from one barrier to the next.
type issues struct {
	count          int
	service, delay greatest
	segment        int // of the delays
}

// limited returns what an issue of an instruction adds to the service and to the delay of the warp, and whether
// it may be one more.
func (r *recorder) limited(
	c *cost.Instr, s *absexec.Step, service, delay saturating.Int,
) (_, _ saturating.Int, more bool) {
	if c.Kind == cost.Barrier || c.Kind == cost.Arrival || !r.perThread(s.PC, s.Certain) {
		return service, delay, true
	}
	return r.tally(r.issued, s.PC, service, delay)
}

// perThread reports whether the threads of the warp issue an instruction once each, at most, and perhaps not here. In
// alternatives and in loops that are summarised it counts as part of the whole.
func (r *recorder) perThread(pc int, certain bool) bool {
	return !certain && len(r.forks)+len(r.loops) == 0 && r.once[r.graph.BlockOf(pc)]
}

// tally counts an issue of an instruction.
func (r *recorder) tally(
	issued map[int]issues, pc int, service, delay saturating.Int,
) (_, _ saturating.Int, more bool) {
	t := issued[pc]
	if segment := len(r.frame.delays); t.segment != segment {
		t.segment, t.delay = segment, nil
	}
	t.count++
	t.service, service = t.service.add(service, r.width)
	t.delay, delay = t.delay.add(delay, r.width)
	issued[pc] = t
	return service, delay, t.count <= r.width
}

// limit counts alternatives that begin at a branch which each thread executes once at most, and that come to no
// barriers. It makes the frame of the longest what they add to that of the warp, and returns what they add to its delay.
func (r *recorder) limit(branch int, longest *frame, delay saturating.Int) saturating.Int {
	service, delay, more := r.tally(r.forked, branch, longest.service, delay)
	longest.service = service
	for pc := range longest.instrs {
		s := &longest.instrs[pc]
		s.service = min(s.service, service)
		service = service.Sub(s.service)
		if !more {
			s.count = 0
		}
	}
	return delay
}

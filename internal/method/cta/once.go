package cta

import (
	"warpbound/internal/absexec"
	"warpbound/internal/graph"
	"warpbound/internal/method/cost"
)

// This file counts what lanes do that have left loops at different times, such as the code behind an early
// exit. It is outside of all loops, so that each thread executes it once at most. An abstract execution comes to
// it in every iteration in which lanes may leave; a warp issues it at most once for each of its threads.

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

// together is what the issues of an instruction take together, as it may be issued for so many of the threads only.
type together struct{ issues, sum, max int64 }

// add counts an issue and returns by how much the bound grows of what all together take, for so many of them
// at most.
func (t *together) add(cycles, limit int64) int64 {
	before := min(t.sum, t.max*limit)
	t.issues++
	t.sum += cycles
	t.max = max(t.max, cycles)
	return min(t.sum, t.max*limit) - before
}

// issues are the tallies of an instruction: of its service, and of the delays from one barrier to the next.
type issues struct {
	service, delay together
	segment        int // of the delays
}

// limited returns what an issue of an instruction adds to the service and to the delay of the warp, and whether
// it may be one more.
func (r *recorder) limited(c *cost.Instr, s *absexec.Step, service, delay int64) (_, _ int64, more bool) {
	if s.Certain || len(r.forks)+len(r.loops) > 0 || c.Kind == cost.Barrier || c.Kind == cost.Arrival || !r.once[r.graph.BlockOf(s.PC)] {
		return service, delay, true
	}
	t := r.issued[s.PC]
	if t == nil {
		t = &issues{}
		r.issued[s.PC] = t
	}
	if segment := len(r.frame.delays); t.segment != segment {
		t.segment, t.delay = segment, together{}
	}
	return t.service.add(service, r.width), t.delay.add(delay, r.width), t.service.issues <= r.width
}

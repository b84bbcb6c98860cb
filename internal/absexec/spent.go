package absexec

import (
	"slices"

	"warpbound/internal/graph"
)

// This file looks ahead where a loop has iterated as often as its bound allows: lanes that go on
// to a place from which every way leads back to its header would iterate once more.

// unspent returns the successors of a branch without those from which lanes of the running entry surely come back to the header of a
// loop that must not iterate again, if all of these lanes may go another way.
func (x *execution) unspent(top *entry, successors []successor) []successor {
	for i := range top.loops {
		c := &top.loops[i]
		if !c.open || x.config.Bound == nil {
			continue
		}
		l := &x.graph.Loops().Loops[c.loop]
		if bound, ok := x.config.Bound(l.Header); !ok || c.n < bound {
			continue
		}
		var others uint64
		for _, s := range successors {
			if !x.returns(c.loop, s.pc) {
				others |= s.may
			}
		}
		successors = slices.DeleteFunc(successors, func(s successor) bool {
			spent := x.returns(c.loop, s.pc) && s.may&^others == 0
			x.facts[c.loop].Forced = x.facts[c.loop].Forced || spent
			return spent
		})
	}
	return successors
}

// returns reports whether every way on from an instruction that begins a block leads to the header of a loop.
func (x *Executor) returns(loop, pc int) bool {
	if x.returning[loop] == nil {
		x.returning[loop] = returning(&x.graph.Loops().Loops[loop], x.graph.Succ)
	}
	return x.returning[loop][x.graph.BlockOf(pc)]
}

// returning returns the blocks from which every way leads to the header of a loop, the header among them.
func returning(l *graph.Loop, succ func(int) []int) map[int]bool {
	all := make(map[int]bool, len(l.Body))
	before := make(map[int][]int) // for each block of the body
	var leaving []int
	for _, b := range l.Body {
		all[b] = true
		for _, to := range succ(b) {
			if b != l.Header && !l.Contains(to) {
				leaving = append(leaving, b)
			}
			before[to] = append(before[to], b)
		}
	}
	for len(leaving) > 0 {
		b := leaving[len(leaving)-1]
		leaving = leaving[:len(leaving)-1]
		if b != l.Header && all[b] {
			delete(all, b)
			leaving = append(leaving, before[b]...)
		}
	}
	return all
}

package split

import (
	"iter"
	"slices"

	"warpbound/internal/absexec"
	"warpbound/internal/saturating"
)

// This file tells workgroups from each other of which different things are known: those in which one work-item adds
// up the rest, for example.

// class is what workgroups with the same facts have in common.
type class struct {
	kinds      []*kind          // of their wavefronts
	wavefronts []saturating.Int // of each kind
}

// classify tells the classes of workgroups from each other in which facts about one more wavefront
// differ, those of each of its abstract executions. If there are too many workgroups, they stay one class.
func (e *executions) classify(grid [3]int, results []absexec.Result, each []*facts) {
	if count(grid) > maxGroups {
		for _, f := range each[1:] {
			each[0].include(f)
		}
		results, each = nil, each[:1]
	}
	different := each[:1]
	of := make([]int32, min(count(grid), maxGroups)) // of these, by workgroup
	for i, r := range results {
		n := slices.IndexFunc(different, each[i].equal)
		if n < 0 {
			n = len(different)
			different = append(slices.Clip(different), each[i])
		} else if i > 0 {
			different[n].cover(each[i])
		}
		for group := range inside(r.Box, grid) {
			of[group] = int32(n)
		}
	}
	if len(different) > 1 && e.class == nil {
		e.class = make([]int32, len(of))
	}
	if e.class == nil {
		e.facts[0] = append(e.facts[0], different[0])
		return
	}
	before := e.facts
	e.facts = nil
	numbers := make(map[[2]int32]int32) // of classes
	for group, old := range e.class {
		key := [2]int32{old, of[group]}
		n, ok := numbers[key]
		if !ok {
			n = int32(len(e.facts))
			numbers[key] = n
			e.facts = append(e.facts, append(slices.Clone(before[old]), different[of[group]]))
		}
		e.class[group] = n
	}
}

// count returns the number of workgroups of a grid.
func count(grid [3]int) int { return grid[0] * grid[1] * grid[2] }

// inside returns the workgroups of a box, by their linear index in the grid.
func inside(b absexec.Box, grid [3]int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for z := b.Lo[2]; z < b.Hi[2]; z++ {
			for y := b.Lo[1]; y < b.Hi[1]; y++ {
				for x := b.Lo[0]; x < b.Hi[0]; x++ {
					if !yield(x + grid[0]*(y+grid[1]*z)) {
						return
					}
				}
			}
		}
	}
}

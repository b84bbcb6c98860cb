package emu

import (
	"cmp"
	"slices"
	"sync"

	"warpbound/internal/isa"
)

// Undefined is an instruction that did what the PTX manual leaves undefined, for one reason.
type Undefined struct {
	Instr *isa.Instr
	Why   string
	Count int64 // of such executions
}

// undefinedList gathers them for a launch, also from several goroutines.
type undefinedList struct {
	sync.Mutex
	found []undefinedAt
}

type undefinedAt struct {
	pc int32
	Undefined
}

// noteUndefined notes that an instruction does what the manual leaves undefined, and that the run
// goes on.
func (g *Grid) noteUndefined(pc int32, why string) {
	g.undefined.Lock()
	defer g.undefined.Unlock()
	for i := range g.undefined.found {
		if u := &g.undefined.found[i]; u.pc == pc && u.Why == why {
			u.Count++
			return
		}
	}
	g.undefined.found = append(g.undefined.found, undefinedAt{pc, Undefined{g.code.Instr(int(pc)), why, 1}})
}

// Undefined lists what the launch has done so far that the manual leaves undefined, in the order of
// the kernel. What does not let a run go on is a fault instead.
func (g *Grid) Undefined() []Undefined {
	g.undefined.Lock()
	defer g.undefined.Unlock()
	slices.SortFunc(g.undefined.found, func(a, b undefinedAt) int {
		return cmp.Or(cmp.Compare(a.pc, b.pc), cmp.Compare(a.Why, b.Why))
	})
	var list []Undefined
	for i := range g.undefined.found {
		list = append(list, g.undefined.found[i].Undefined)
	}
	return list
}

package absexec

import (
	"math/bits"
	"slices"

	"warpbound/internal/isa"
)

// This file tells how many different numbers lanes hold of which nothing else is known. A register is the same
// in lanes that have computed it from the same numbers and have gone the same ways. So it is a function of some
// decisions: truth values that each lane has for itself. Of n decisions there are 2^n outcomes, and no more different
// numbers (docs/methods/abstract-execution.md). That is how few places a binary search reads at first.

// maxDecisions limits the decisions on which a value is known to depend: more have no fewer outcomes than a warp has lanes.
const maxDecisions = 5

// decisions are those on which something depends, in ascending order: each is a truth value that some step has given
// to every lane.
type decisions []int32

// union returns the decisions of both. It is false if they are too many.
func (d decisions) union(e decisions) (decisions, bool) {
	switch {
	case len(e) == 0:
		return d, true
	case len(d) == 0:
		return e, true
	}
	all := slices.Concat(d, e)
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > maxDecisions {
		return nil, false
	}
	return all, true
}

// choice is what tells which of some ways a lane goes.
type choice struct {
	on    decisions
	mixed bool // not by decisions alone
}

// and adds another choice, which lanes make as well.
func (c choice) and(d choice) choice {
	if on, ok := c.on.union(d.on); ok && !c.mixed && !d.mixed {
		return choice{on: on}
	}
	return choice{mixed: true}
}

// dependsOn returns the decisions of which a value is the same function in all lanes of mask.
func (v *value) dependsOn(mask uint64) choice {
	switch {
	case mask&^v.alike == 0:
		return choice{on: v.on}
	case mask&^v.known != 0:
		return choice{mixed: true}
	}
	return choice{mixed: !v.constant(mask)}
}

// constant reports whether a value that is known in all lanes of mask is the same in each.
func (v *value) constant(mask uint64) bool {
	first := bits.TrailingZeros64(mask)
	for m := mask; m != 0; m &= m - 1 {
		if !v.equal(v, first, bits.TrailingZeros64(m)) {
			return false
		}
	}
	return true
}

// dependOn is dependsOn for some values together.
func dependOn(values []*value, mask uint64) choice {
	var all choice
	for _, v := range values {
		if mask&^(v.alike|v.known) != 0 {
			return choice{mixed: true}
		}
	}
	for _, v := range values {
		if all = all.and(v.dependsOn(mask)); all.mixed {
			break
		}
	}
	return all
}

// liken makes the result of a pure instruction, a new value, the function of decisions that it is in the lanes of mask. A truth
// value that is none becomes a decision.
func (x *execution) liken(in *isa.Instr, v *value, truth bool, src []*value, mask uint64) {
	if !x.likens || mask&^v.known == 0 {
		return
	}
	by := choice{mixed: true}
	if in.Op.Info().Effect&isa.Crosslane == 0 {
		by = dependOn(src, mask)
	}
	switch {
	case !by.mixed:
		v.alike, v.on = mask, by.on
	case truth:
		x.decided++
		v.alike, v.on = mask, decisions{x.decided}
	}
}

// likenLoaded returns what the lanes of mask load by an access as the function of decisions that it is: that of the address,
// where threads have no memories of their own.
func (x *execution) likenLoaded(a *Access, v *value, mask uint64) *value {
	common := a.Lanes[isa.Global] | a.Lanes[isa.Shared] | a.Lanes[isa.Const] | a.Lanes[isa.Param]
	if a.Space == isa.Global || a.Space == isa.Shared || a.Space == isa.Const {
		common = mask
	}
	if !x.likens || mask&^common != 0 || mask&^v.known == 0 {
		return v
	}
	by := a.addr.dependsOn(mask)
	if by.mixed {
		return v
	}
	w := *v
	w.alike, w.on = mask, by.on
	return &w
}

// chosen returns what tells how the lanes of the running entry go on at a branch.
func (x *execution) chosen(in *isa.Instr) choice {
	if !x.likens {
		return choice{mixed: true}
	}
	var by []*value
	if in.Guard.Set {
		by = append(by, x.top().state.regs[in.Guard.Reg])
	}
	if in.Op == isa.BrxIdx {
		by = append(by, x.source(x.top().pc, 0))
	}
	return dependOn(by, x.top().may)
}

// mergeAlike makes a new value, that of lanes that come together, the function of decisions that it is: those of here hold v
// and those of from w, and a choice tells which does.
func (m *value) mergeAlike(v, w *value, here, from uint64, by choice) {
	if by.mixed || (here|from)&^m.known == 0 {
		return
	}
	if by = by.and(v.dependsOn(here)); by.mixed {
		return
	}
	if by = by.and(w.dependsOn(from)); !by.mixed {
		m.alike, m.on = here|from, by.on
	}
}

// Different returns how many different addresses the lanes of mask access at most.
func (a *Access) Different(mask uint64) int {
	n := bits.OnesCount64(mask)
	if mask&^a.addr.alike == 0 {
		n = min(n, 1<<len(a.addr.on))
	}
	return n
}

package loopbound

import (
	"maps"
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
)

// maxFollowed limits the ways through one iteration of a loop that are followed one by one.
const maxFollowed = 32

// factsPerStep is how many facts are copied in the time of a step.
const factsPerStep = 8

// way is control on its way through one iteration of a loop, from the header on.
type way struct {
	st    *transfer.State
	order map[operands]order // what conditions that held on it say
	facts []transfer.Fact    // the same of differences
	gaps  []strided.Interval // of each difference: the values that it can have at the header
}

// operands are the forms of two words that are compared, as signed or unsigned numbers.
type operands struct {
	a, b string
	sign bool
}

// order is a set of the outcomes of a comparison: less, equal and greater.
type order uint8

// orders are the outcomes for which comparisons hold.
var orders = map[isa.Cmp]order{isa.Lt: 1, isa.Eq: 2, isa.Gt: 4, isa.Le: 3, isa.Ge: 6, isa.Ne: 5}

func (w *way) clone() *way {
	c := &way{st: w.st.Clone(), order: maps.Clone(w.order), facts: slices.Clone(w.facts), gaps: slices.Clone(w.gaps)}
	return c
}

func (u *unrolling) maxWays() int64 { return u.solution.Launch.Effort.Of(maxFollowed) }

// cost returns what a clone costs, in steps.
func (w *way) cost() int { return w.st.Cost() + (len(w.facts)+len(w.order))/factsPerStep }

// runIterationByWay executes one iteration on every way by itself: it returns what is then known at
// the header, nil if control does not return to it, and false if there are too many ways or the
// context has ended.
func (u *unrolling) runIterationByWay(st *transfer.State) (*transfer.State, bool) {
	u.m.Assumed = nil
	u.back, u.ways, u.header, u.next = nil, 0, st, make([]strided.Interval, len(u.differences))
	first := &way{st: st.Clone(), order: make(map[operands]order)}
	for _, d := range u.differences {
		d.now = u.evaluateForm(d.form, st).Form
		first.gaps = append(first.gaps, d.set)
	}
	if !u.followWay(u.loop.Header, u.solution.Graph.Blocks[u.loop.Header].Start, first) {
		return nil, false
	}
	for i, d := range u.differences {
		if u.next[i].Bits() > 0 {
			d.set = u.next[i]
		}
	}
	return u.joinStates(u.loop.Header, u.back, u.isAssignedInside), true
}

// followWay executes a way from an instruction of a block to the end of the iteration; false if
// there are too many ways or the context has ended.
func (u *unrolling) followWay(b, pc int, w *way) bool {
	if u.ctx.Err() != nil {
		return false
	}
	block := &u.solution.Graph.Blocks[b]
	for ; pc < block.End; pc++ {
		in := &u.solution.Graph.Kernel.Instrs[pc]
		if !u.isRelevant(in) {
			continue
		}
		if in.Op == isa.Selp && !in.Guard.Set && in.Src[2].Kind == isa.KindReg {
			p := u.m.ReadRegister(w.st, in.Src[2].Reg)
			if _, decided := p.Set.IsConst(); !decided {
				return u.followBoth(b, pc, w, p, in.Src[2].Reg)
			}
		}
		u.assumeDifferences(w)
		u.execute(w.st, pc)
	}
	for _, e := range block.Edges {
		if !u.loop.Contains(e.To) {
			continue
		}
		if u.work += w.cost(); int64(u.work) > u.maxWork() || !u.followEdge(b, e, w.clone()) {
			return false
		}
	}
	return true
}

// followBoth goes on where a predicate holds and where it does not.
func (u *unrolling) followBoth(b, pc int, w *way, p *transfer.Value, r isa.Reg) bool {
	if u.ways++; int64(u.ways) > u.maxWays() {
		return false
	}
	for bit := range uint64(2) {
		next := w.clone()
		next.st.Set(r, &transfer.Value{Set: strided.Const(1, bit), Form: affine.Constant(1, bit), Cond: p.Cond})
		if u.noteCondition(next, p.Cond, bit == 1) && !u.followWay(b, pc, next) {
			return false
		}
	}
	return true
}

// followEdge goes on along an edge, if control can pass it.
func (u *unrolling) followEdge(b int, e cfg.Edge, w *way) bool {
	u.assumeDifferences(w)
	last := u.solution.Graph.Last(b)
	if last.Guard.Set && len(u.solution.Graph.Blocks[b].Edges) > 1 {
		p := u.m.ReadRegister(w.st, last.Guard.Reg)
		holds := (e.Kind != cfg.FallThrough) != last.Guard.Not
		if c, ok := p.Set.IsConst(); ok && (c != 0) != holds || !u.noteCondition(w, p.Cond, holds) {
			return true
		}
	}
	if e.To == u.loop.Header {
		if u.ways++; int64(u.ways) > u.maxWays() {
			return false
		}
		if u.endWay(w) {
			u.back = append(u.back, w.st)
		}
		return true
	}
	return u.followWay(e.To, u.solution.Graph.Blocks[e.To].Start, w)
}

// noteCondition notes on a way that a condition holds, or does not; false if that is impossible.
func (u *unrolling) noteCondition(w *way, c *transfer.Condition, holds bool) bool {
	st, ok := u.m.RefineState(w.st, c, holds)
	if !ok {
		return false
	}
	w.st = st
	for _, c := range c.Comparisons(holds) {
		if !c.A.Form.IsKnown() || !c.B.Form.IsKnown() {
			continue
		}
		key, possible := operands{c.A.Form.Key(), c.B.Form.Key(), c.Sign}, orders[c.Cmp]
		if key.b < key.a {
			key.a, key.b = key.b, key.a
			possible = orders[c.SwapOperands().Cmp]
		}
		if before, ok := w.order[key]; ok {
			possible &= before
		}
		if possible == 0 {
			return false
		}
		w.order[key] = possible
		if !u.restrictDifferences(w, c) {
			return false
		}
	}
	return true
}

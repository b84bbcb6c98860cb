package loopbound

import (
	"maps"
	"slices"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// maxUnrolled limits the instructions that are executed, and the registers that are joined, to
// follow a loop iteration by iteration. Those of all loops of a kernel are limited to
// maxUnrolledInAll; when these are spent, minUnrolled are left for each further loop. No better
// bound is looked for than one of few iterations, or enough if the counter is steady, which is as
// good if nothing is missing.
const (
	maxUnrolled      = 1 << 14
	maxUnrolledInAll = 1 << 20
	minUnrolled      = 1 << 8
	few              = 1 << 5
	enough           = 1 << 12
)

// unrolling follows a loop iteration by iteration: from what is known where control enters
// the loop it finds what is known at the header after one return to it, two and so on,
// until there is none. Whatever the loop does to its counters, this ends where it does, if
// the sets of their values are close enough.
//
// Forms are about the last execution of the place where a symbol gets its value, so that
// at the header none is kept that mentions a symbol of the loop. Inside of loops in the
// loop, registers that these change have the values that they have in all of their
// iterations.
type unrolling struct {
	*loopAnalysis
	m        *transfer.Machine
	order    []int // blocks of the loop, in an order in which control passes them
	along    map[fixpoint.Edge]*transfer.State
	inner    map[int]int      // by header of a loop inside: the loop
	decides  map[isa.Reg]bool // registers on which it depends where control goes
	deciding []isa.Reg        // the same, ascending
	work     int

	header      *transfer.State // in this iteration
	differences []*difference
	next        []strided.Interval // of each difference, at the end of the iteration
	back        []*transfer.State  // in which control returns to the header in the iteration
	ways        int                // of the iteration
}

// boundByUnrolling bounds a loop that ends after few iterations. The error is that of the context.
func (l *loopAnalysis) boundByUnrolling() (Bound, error) {
	if l.loop.Header == l.solution.Graph.Entry() || !l.solution.IsRegular(l.loop) {
		return Bound{}, nil
	}
	if found, err := l.followIterations(true); found.Known || err != nil {
		return found, err
	}
	return l.followIterations(false)
}

// followIterations bounds a loop by following each way through an iteration by itself, or all
// together. The error is that of the context.
func (l *loopAnalysis) followIterations(byWay bool) (Bound, error) {
	u := &unrolling{loopAnalysis: l, m: l.machine().CopySettled(), along: make(map[fixpoint.Edge]*transfer.State)}
	u.orderBlocks()
	u.findDeciding()
	switch {
	case !u.changesDeciding():
		return Bound{}, nil // one iteration is like another
	case !byWay:
		return u.runIterations(u.runIteration)
	case len(u.inner) > 0:
		return Bound{}, nil // there is no end to the ways through loops inside
	}
	u.m.LastDefined = make(map[affine.Symbol]transfer.Definition)
	u.startDifferences()
	return u.runIterations(u.runIterationByWay)
}

// maxWork is the work after which the loop is not followed any more.
func (u *unrolling) maxWork() int64 {
	effort := u.solution.Launch.Effort
	left := max(effort.Of(maxUnrolledInAll)-*u.unrolled, effort.Of(minUnrolled))
	return min(left, effort.Of(maxUnrolled))
}

// runIterations follows the iterations until there is none. The error is that of the context.
func (u *unrolling) runIterations(iterate func(*transfer.State) (*transfer.State, bool)) (Bound, error) {
	limit := u.maxWork()
	defer func() { *u.unrolled += int64(u.work) }()
	st := u.enterLoop()
	for n := int64(0); st != nil && int64(u.work) < limit; n++ {
		before := make([]strided.Interval, len(u.differences))
		for i, d := range u.differences {
			before[i] = d.set
		}
		next, ok := iterate(st)
		if err := u.ctx.Err(); err != nil { // then it may have left out ways
			return Bound{}, err
		}
		switch {
		case !ok:
			u.cutShort = true
			return Bound{}, nil
		case next == nil:
			return Bound{Known: true, Iterations: n, Reason: "followed iteration by iteration, the loop cannot go on"}, nil
		}
		closer := !holdsAll(next, st)
		for i, d := range u.differences {
			closer = closer || d.set.Join(before[i]) != d.set
		}
		if !closer {
			return Bound{}, nil // from here on there is never less
		}
		st = next
	}
	u.cutShort = u.cutShort || st != nil
	return Bound{}, nil
}

// orderBlocks orders the blocks of the loop and finds the loops inside.
func (u *unrolling) orderBlocks() {
	g := u.solution.Graph
	all := graph.New(len(g.Blocks))
	for _, b := range u.loop.Body {
		for _, e := range g.Blocks[b].Edges {
			if u.loop.Contains(e.To) && e.To != u.loop.Header {
				all.AddEdge(b, e.To)
			}
		}
	}
	u.order = graph.ReversePostOrder(all, u.loop.Header)
	u.inner = make(map[int]int)
	forest := g.Loops()
	for _, b := range u.loop.Body {
		if i := forest.Innermost(b); forest.Loops[i].Header == b && b != u.loop.Header {
			u.inner[b] = i
		}
	}
}

// findDeciding finds the registers on which branches in the loop depend. Of others nothing is known
// while the loop is followed, and what computes them is left out: neither where control goes nor
// when it comes back as it was depends on them. What is loaded does not depend on the address.
func (u *unrolling) findDeciding() {
	g := u.solution.Graph
	u.decides = make(map[isa.Reg]bool)
	writers := make(map[isa.Reg][]int)
	var found []isa.Reg // what computes them is still to be looked at
	decide := func(r isa.Reg) {
		if !u.decides[r] {
			u.decides[r] = true
			found = append(found, r)
		}
	}
	for _, b := range u.loop.Body {
		if last := g.Last(b); len(g.Blocks[b].Edges) > 1 {
			last.Reads(decide)
		}
		u.eachInstr(b, func(pc int) {
			g.Kernel.Instrs[pc].Writes(func(r isa.Reg) { writers[r] = append(writers[r], pc) })
		})
	}
	for len(found) > 0 {
		r := found[len(found)-1]
		found = found[:len(found)-1]
		for _, pc := range writers[r] {
			in := &g.Kernel.Instrs[pc]
			loads := in.Op.Info().Effect&isa.ReadsMem != 0
			in.Reads(func(r isa.Reg) {
				if !loads || len(writers[r]) == 0 || in.Guard.Set && in.Guard.Reg == r {
					decide(r)
				}
			})
		}
	}
	u.deciding = slices.Sorted(maps.Keys(u.decides))
}

// changesDeciding reports whether the loop changes a register with which control comes to the
// header and on which it depends where control goes.
func (u *unrolling) changesDeciding() bool {
	this := u.solution.Graph.Loops().Innermost(u.loop.Header)
	return slices.ContainsFunc(u.solution.Changes[this], func(r isa.Reg) bool {
		return u.decides[r] && u.solution.In[u.loop.Header].Get(r) != nil
	})
}

// eachInstr visits the instructions of a block.
func (u *unrolling) eachInstr(b int, visit func(pc int)) {
	for pc := u.solution.Graph.Blocks[b].Start; pc < u.solution.Graph.Blocks[b].End; pc++ {
		visit(pc)
	}
}

// isRelevant reports whether an instruction writes a register on which it depends where control
// goes.
func (u *unrolling) isRelevant(in *isa.Instr) bool {
	found := false
	in.Writes(func(r isa.Reg) { found = found || u.decides[r] })
	return found
}

// execute executes an instruction that matters.
func (u *unrolling) execute(st *transfer.State, pc int) {
	if u.isRelevant(&u.solution.Graph.Kernel.Instrs[pc]) {
		u.work++
		u.m.Execute(st, pc)
	}
}

// enterLoop returns what is known at the header where control enters the loop.
func (u *unrolling) enterLoop() *transfer.State {
	var from []*transfer.State
	for _, e := range u.solution.Into[u.loop.Header] {
		if st := u.solution.Along[e.Block][e.Index]; st != nil && !u.loop.Contains(e.Block) {
			from = append(from, st)
		}
	}
	return u.joinStates(u.loop.Header, from, u.isAssignedInside)
}

// runIteration executes one iteration: it returns what is then known at the header, nil if
// control does not return to it, and false if the context has ended.
func (u *unrolling) runIteration(st *transfer.State) (*transfer.State, bool) {
	g := u.solution.Graph
	clear(u.along)
	var back []*transfer.State
	for _, b := range u.order {
		if u.ctx.Err() != nil {
			return nil, false
		}
		if b != u.loop.Header {
			st = u.enterBlock(b)
		}
		if st == nil {
			continue
		}
		block := &g.Blocks[b]
		st = st.Clone()
		u.eachInstr(b, func(pc int) { u.execute(st, pc) })
		for i, e := range block.Edges {
			out, ok := u.m.FollowEdge(g, st, b, e.Kind)
			switch {
			case !ok || !u.loop.Contains(e.To):
			case e.To == u.loop.Header:
				back = append(back, out)
			default:
				u.along[fixpoint.Edge{Block: b, Index: i}] = out
			}
		}
	}
	return u.joinStates(u.loop.Header, back, u.isAssignedInside), true
}

// enterBlock returns what is known at the beginning of a block in this iteration.
func (u *unrolling) enterBlock(b int) *transfer.State {
	var from []*transfer.State
	for _, e := range u.solution.Into[b] {
		if st := u.along[e]; st != nil {
			from = append(from, st)
		}
	}
	st := u.joinStates(b, from, func(affine.Symbol) bool { return false })
	if inner, ok := u.inner[b]; ok && st != nil {
		u.work += len(u.solution.Changes[inner])
		for _, r := range u.solution.Changes[inner] {
			if u.decides[r] {
				st.Set(r, u.solution.In[b].Get(r))
			}
		}
	}
	return st
}

// joinStates returns what is known at a block to which control comes with one of several states;
// nil if there is none. Forms that mention a stale symbol are not kept.
func (u *unrolling) joinStates(b int, from []*transfer.State, stale func(affine.Symbol) bool) *transfer.State {
	known := u.solution.In[b]
	if len(from) == 0 || known == nil {
		return nil
	}
	st := transfer.NewState(len(u.solution.Graph.Kernel.Regs))
	u.work += len(from) * len(u.deciding)
	for _, r := range u.deciding {
		old := known.Get(r)
		if old == nil {
			st.Set(r, nil)
			continue
		}
		first := u.m.ReadRegister(from[0], r)
		v := transfer.Value{Set: first.Set, Form: first.Form, Cond: first.Cond}
		for _, other := range from[1:] {
			w := u.m.ReadRegister(other, r)
			v.Set = v.Set.Join(w.Set)
			if !v.Form.Equal(w.Form) {
				v.Form = affine.Form{}
			}
			if !v.Cond.Equal(w.Cond) {
				v.Cond = nil
			}
		}
		if v.Form.Mentions(stale) {
			v.Form = affine.Form{}
		}
		if v.Cond.Mentions(stale) {
			v.Cond = nil
		}
		if !v.Form.IsKnown() {
			if y, ok := u.m.Syms.Places[affine.Place{Origin: affine.Merged, At: b, Reg: r}]; ok {
				v.Form = affine.OfSymbol(v.Set.Bits(), y)
			}
		}
		w := *u.m.MakeValue(v.Set.Narrow(old.Set), v.Form)
		w.Cond = v.Cond
		u.m.NoteForm(w.Form, r)
		st.Set(r, &w)
	}
	return st
}

// holdsAll reports whether one state holds all that another does.
func holdsAll(all, part *transfer.State) bool {
	for _, r := range transfer.FindDiffering([]*transfer.State{all, part}) {
		v, w := part.Get(r), all.Get(r)
		if v != nil && (w == nil || w.Set.Join(v.Set) != w.Set) {
			return false
		}
	}
	return true
}

package ranking

import (
	"fmt"

	"warpbound/internal/cfg"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/value"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
	"warpbound/internal/symexec"
)

// words are the registers of a thread as terms: bit-vectors, or truth values of predicates. Others are not tracked.
type words map[isa.Reg]*smt.Term

// loop makes formulas of the ways around a loop.
type loop struct {
	b     *smt.Builder
	v     *value.Result
	g     *cfg.Graph
	loop  *graph.Loop
	order []int // the blocks of the loop, each behind those from which control comes to it, but around a loop
	fresh int
}

// step is one way around: from the header to the header.
type step struct {
	before, after words
	returns       *smt.Term   // control comes back to the header
	assumed       []*smt.Term // of before, and of the words on the way
}

// maxInstrs limits the instructions of a loop that is looked at.
const maxInstrs = 400

// newLoop returns nil if the loop, or one in it, has several entries, if it is too long, or if it begins the kernel.
func newLoop(b *smt.Builder, v *value.Result, index int) *loop {
	forest := v.Graph.Loops()
	l := &loop{b: b, v: v, g: v.Graph, loop: &forest.Loops[index]}
	instrs := 0
	for _, block := range l.loop.Body {
		instrs += l.g.Blocks[block].End - l.g.Blocks[block].Start
	}
	if instrs > maxInstrs || l.loop.Header == l.g.Entry() {
		return nil
	}
	for i := range forest.Loops {
		if inner := &forest.Loops[i]; l.loop.Contains(inner.Header) && len(inner.Entries) > 1 {
			return nil
		}
	}
	done := make(map[int]bool)
	var visit func(int)
	visit = func(block int) {
		done[block] = true
		for _, e := range l.g.Blocks[block].Edges {
			if e.To < l.g.Len() && l.loop.Contains(e.To) && !done[e.To] {
				visit(e.To)
			}
		}
		l.order = append(l.order, block)
	}
	visit(l.loop.Header)
	for i, k := 0, len(l.order)-1; i < k; i, k = i+1, k-1 {
		l.order[i], l.order[k] = l.order[k], l.order[i]
	}
	return l
}

// newName returns a new name for a variable. Other loops have others: their variables may be of other sorts.
func (l *loop) newName(what string) string {
	l.fresh++
	return fmt.Sprintf("%s_%d_%d", what, l.loop.Header, l.fresh)
}

// any returns a term for what a register can hold; nil if it is wider than terms are.
func (l *loop) any(r isa.Reg) *smt.Term {
	name := l.newName(fmt.Sprintf("r%d", r))
	switch t := l.g.Kernel.Regs[r].Type; {
	case t == isa.Pred:
		return l.b.Var(name, smt.Bool)
	case t.Bits() < 1 || t.Bits() > smt.MaxWidth:
		return nil
	default:
		return l.b.Var(name, smt.Bits(t.Bits()))
	}
}

// get returns what a register holds.
func (l *loop) get(w words, r isa.Reg) *smt.Term {
	t, ok := w[r]
	if !ok {
		t = l.any(r)
		w[r] = t
	}
	return t
}

// start returns any registers with which an iteration may begin, those that the loop names, and what is known of them.
func (l *loop) start() (words, []*smt.Term) {
	w := make(words)
	var known []*smt.Term
	for _, block := range l.order {
		for pc := l.g.Blocks[block].Start; pc < l.g.Blocks[block].End; pc++ {
			in := &l.g.Kernel.Instrs[pc]
			in.Writes(func(r isa.Reg) { l.get(w, r) })
			for _, o := range in.Src {
				if o.Kind == isa.KindReg {
					l.get(w, o.Reg)
				}
			}
			if in.Guard.Set {
				l.get(w, in.Guard.Reg)
			}
		}
	}
	return w, append(known, l.known(w)...)
}

// known says of the registers where an iteration begins what package value knows.
func (l *loop) known(w words) []*smt.Term {
	var all []*smt.Term
	for r := range l.g.Kernel.Regs {
		t := w[isa.Reg(r)]
		if t == nil {
			continue
		}
		if set, ok := l.v.At(l.loop.Header, isa.Reg(r)); ok {
			all = append(all, l.in(t, set))
		}
	}
	return all
}

// in says that a word is in a set, but for remainders that are no powers of two.
func (l *loop) in(t *smt.Term, set strided.Interval) *smt.Term {
	if t.Sort() == smt.Bool {
		t = l.b.Ite(t, l.b.Number(1, 1), l.b.Number(1, 0))
	}
	if t.Width() < set.Bits() {
		t = l.b.ZeroExt(t, set.Bits())
	} else if t.Width() > set.Bits() {
		t = l.b.Extract(t, 0, set.Bits())
	}
	return l.b.Ule(l.b.Sub(t, l.b.Number(set.Bits(), set.Base())), l.b.Number(set.Bits(), set.Span()))
}

// around goes once around the loop, from registers with which an iteration begins.
func (l *loop) around(before words) *step {
	s := &step{before: before, returns: l.b.Truth(false)}
	conds := make(map[int]*smt.Term) // of blocks: control comes there in this iteration
	at := make(map[int]words)
	conds[l.loop.Header], at[l.loop.Header] = l.b.Truth(true), before
	for _, block := range l.order {
		cond := conds[block]
		if cond == nil {
			continue
		}
		w := make(words, len(at[block]))
		for r, t := range at[block] {
			w[r] = t
		}
		if block != l.loop.Header {
			l.leaveInner(w, block)
		}
		l.run(s, w, &l.g.Blocks[block])
		for i, e := range l.g.Blocks[block].Edges {
			if e.To >= l.g.Len() || !l.loop.Contains(e.To) {
				continue
			}
			passes := l.b.And(cond, l.passes(w, block, i))
			switch {
			case e.To == l.loop.Header:
				s.after = l.merge(s.after, w, passes)
				s.returns = l.b.Or(s.returns, passes)
			case l.backs(block, e.To):
			default:
				at[e.To] = l.merge(at[e.To], w, passes)
				if conds[e.To] == nil {
					conds[e.To] = l.b.Truth(false)
				}
				conds[e.To] = l.b.Or(conds[e.To], passes)
			}
		}
	}
	return s
}

// merge returns w if control comes with it, else what is there already.
func (l *loop) merge(there, w words, comes *smt.Term) words {
	if there == nil {
		return w
	}
	merged := make(words, len(there))
	for r, t := range there {
		if t != nil && w[r] != nil {
			merged[r] = l.b.Ite(comes, w[r], t)
		}
	}
	return merged
}

// backs reports whether an edge leads back to the header of a loop inside.
func (l *loop) backs(from, to int) bool {
	for i := range l.g.Loops().Loops {
		if inner := &l.g.Loops().Loops[i]; inner.Header == to && inner.Contains(from) {
			return true
		}
	}
	return false
}

// leaveInner makes the registers that a loop inside writes any words, if a block is its header.
func (l *loop) leaveInner(w words, block int) {
	for i := range l.g.Loops().Loops {
		inner := &l.g.Loops().Loops[i]
		if inner.Header != block {
			continue
		}
		for _, b := range inner.Body {
			for pc := l.g.Blocks[b].Start; pc < l.g.Blocks[b].End; pc++ {
				l.g.Kernel.Instrs[pc].Writes(func(r isa.Reg) { w[r] = l.any(r) })
			}
		}
	}
}

// passes says that control passes an edge at the end of a block, if it comes to that. Of branches with several targets it is any of them.
func (l *loop) passes(w words, block, edge int) *smt.Term {
	edges := l.g.Blocks[block].Edges
	last := l.g.Last(block)
	switch {
	case len(edges) == 1:
		return l.b.Truth(true)
	case len(edges) == 2 && last.Guard.Set && (edges[0].Kind == cfg.FallThrough) != (edges[1].Kind == cfg.FallThrough):
		holds := l.holds(w, last.Guard)
		if edges[edge].Kind == cfg.FallThrough {
			holds = l.b.Not(holds)
		}
		return holds
	}
	return l.b.Var(l.newName("edge"), smt.Bool)
}

// holds says that a guard holds.
func (l *loop) holds(w words, g isa.Guard) *smt.Term {
	t := l.get(w, g.Reg)
	switch {
	case t == nil:
		t = l.b.Var(l.newName("guard"), smt.Bool)
	case t.Sort() != smt.Bool:
		t = l.b.Not(l.b.Eq(t, l.b.Number(t.Width(), 0)))
	}
	if g.Not {
		t = l.b.Not(t)
	}
	return t
}

// run executes a block.
func (l *loop) run(s *step, w words, b *cfg.Block) {
	for pc := b.Start; pc < b.End; pc++ {
		in := &l.g.Kernel.Instrs[pc]
		results := l.results(s, w, in)
		holds := l.b.Truth(true)
		if in.Guard.Set {
			holds = l.holds(w, in.Guard)
		}
		for i, o := range in.Dst {
			if o.Kind != isa.KindReg {
				continue
			}
			t, old := l.any(o.Reg), l.get(w, o.Reg)
			if t == nil || old == nil {
				w[o.Reg] = nil
				continue
			}
			if i < len(results) && results[i].Sort() == t.Sort() {
				t = results[i]
			}
			w[o.Reg] = l.b.Ite(holds, t, old)
		}
	}
}

// results returns the results of an instruction; nil if they can be any words.
func (l *loop) results(s *step, w words, in *isa.Instr) []*smt.Term {
	var src []*smt.Term
	for _, o := range in.Src {
		var t *smt.Term
		switch {
		case o.Kind == isa.KindReg:
			t = l.get(w, o.Reg)
		case o.Kind == isa.KindImm && in.Type == isa.Pred:
			src = append(src, l.b.Truth((o.Imm != 0) != o.Not))
			continue
		case o.Kind == isa.KindImm:
			t = l.b.Number(smt.MaxWidth, o.Imm)
		}
		switch {
		case t == nil:
			return nil
		case o.Not && t.Sort() == smt.Bool:
			t = l.b.Not(t)
		case o.Not:
			t = l.b.BvNot(t)
		}
		src = append(src, t)
	}
	var widths []int
	for _, o := range in.Dst {
		if o.Kind != isa.KindReg || l.g.Kernel.Regs[o.Reg].Type.Bits() > smt.MaxWidth {
			return nil
		}
		widths = append(widths, max(l.g.Kernel.Regs[o.Reg].Type.Bits(), 1))
	}
	if in.Op == isa.Rem && in.Type.Class() == isa.Unsigned && in.Src[1].Kind == isa.KindReg && in.Type.Bits() == widths[0] {
		return []*smt.Term{l.remainder(s, src[0], src[1], widths[0])}
	}
	results, ok := symexec.Lift(l.b, in, src, widths)
	if !ok {
		return nil
	}
	return results
}

// remainder returns a word that has the properties of the remainder of two others by which loops end: solvers
// find the remainder itself hard. Of a division by 0 it is any word.
func (l *loop) remainder(s *step, x, y *smt.Term, width int) *smt.Term {
	fit := func(t *smt.Term) *smt.Term {
		if t.Width() > width {
			return l.b.Extract(t, 0, width)
		}
		return l.b.ZeroExt(t, width)
	}
	x, y = fit(x), fit(y)
	r := l.b.Var(l.newName("rest"), smt.Bits(width))
	half := l.b.Lshr(l.b.Sub(x, l.b.Number(width, 1)), l.b.Number(width, 1)) // 2r < x
	s.assumed = append(s.assumed, l.b.Or(l.b.Eq(y, l.b.Number(width, 0)), l.b.And(
		l.b.And(l.b.Ult(r, y), l.b.Ule(r, x)),
		l.b.Ite(l.b.Ult(x, y), l.b.Eq(r, x), l.b.Ule(r, half)))))
	return r
}

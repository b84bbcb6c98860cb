// Package obligations writes what certificates state of blocks as formulas over bit-vectors, which solvers are to
// refute: each says that a fact does not hold.
//
// Instructions mean what symbolic execution says that they do (symexec.Lift), not what the checker makes of them, so that solvers are another
// opinion about its transfer functions. What has no such meaning, such as a load, is any word.
package obligations

import (
	"fmt"
	"math/bits"
	"slices"

	"warpbound/internal/certify"
	"warpbound/internal/certify/check"
	"warpbound/internal/certify/loops"
	"warpbound/internal/certify/words"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
	"warpbound/internal/symexec"
)

// Obligation is a fact, or a part of its proof, with a formula that says that it does not hold.
type Obligation struct {
	Name       string // a name for a file, which no other obligation of the kernel has
	Kind       string // invariant, infeasible, ranking, loop or range
	At         string // the position in the module
	What       string // is to be shown, in a line
	Assertions []*smt.Term
}

// The kinds of obligations.
const (
	Invariant  = "invariant"  // what comes along an edge is in the invariant of the next block
	Infeasible = "infeasible" // control never passes an edge
	Ranking    = "ranking"    // each way around a loop decreases its ranking function
	Loop       = "loop"       // so that control does not return more often to its header
	Range      = "range"      // an address is in a range
)

// Of returns the obligations of the facts about the blocks of a kernel.
func Of(p *check.Program, facts []certify.Fact) ([]Obligation, error) {
	w, err := newWriter(p, facts)
	if err != nil {
		return nil, err
	}
	reached := map[int]bool{0: true}
	for work := []int{0}; len(work) > 0; {
		b := work[0]
		work = work[1:]
		w.edges(b)
		w.ranges(b)
		for _, to := range w.flow.Passable(b) {
			if to != check.Exit && !reached[to] {
				reached[to] = true
				work = append(work, to)
			}
		}
	}
	for i := range facts {
		if f := &facts[i]; f.Kind == certify.Loop && f.Ranking != nil {
			w.loop(p.Loops[p.BlockAt(*f.PC)], f)
		}
	}
	return w.found, nil
}

// newWriter returns what writes obligations under the invariants among facts.
func newWriter(p *check.Program, facts []certify.Fact) (*writer, error) {
	w := &writer{Program: p, b: smt.NewBuilder(), all: make(check.Invariants, len(p.Blocks)), constants: make(map[string]*smt.Term)}
	for i := range facts {
		f := &facts[i]
		if f.Kind != certify.Invariant {
			continue
		}
		at := make(map[isa.Reg]words.Set)
		for _, r := range f.Invariant {
			at[isa.Reg(r.Register)] = words.Set{Bits: r.Bits, Low: r.Low, Step: r.Step, Count: r.Count}
		}
		w.all[p.BlockAt(*f.PC)] = at
	}
	flow, broken := p.Execute(w.all)
	if len(broken) > 0 {
		return nil, fmt.Errorf("an invariant of %s does not hold", p.Kernel.Regs[broken[0].Reg].Name)
	}
	w.flow = flow
	return w, nil
}

type writer struct {
	*check.Program
	flow      *check.Flow
	all       check.Invariants
	b         *smt.Builder
	fresh     int
	constants map[string]*smt.Term // what a thread keeps: parameters, indices and sizes of the launch
	found     []Obligation
}

// path is an execution of some blocks from the beginning of one of them.
type path struct {
	regs    []*smt.Term
	known   map[*smt.Term]bool // constants of which something is assumed
	assumed []*smt.Term
}

func (w *writer) add(name, kind string, b int, what string, p *path, goals ...*smt.Term) {
	w.found = append(w.found, Obligation{
		Name: name, Kind: kind, At: w.Kernel.Instrs[w.Blocks[b].Start].Pos.String(), What: what,
		Assertions: append(slices.Clone(p.assumed), goals...),
	})
}

// any returns a term for what a register holds of which nothing is known.
func (w *writer) any(r isa.Reg) *smt.Term {
	w.fresh++
	sort := smt.Bool
	if w.Kernel.Regs[r].Type != isa.Pred {
		sort = smt.Bits(w.Width(r))
	}
	return w.b.Var(fmt.Sprintf("r%d_%d", r, w.fresh), sort)
}

// begin is a path that begins with a block, with its invariant.
func (w *writer) begin(b int) *path {
	p := &path{known: make(map[*smt.Term]bool)}
	for r := range w.Kernel.Regs {
		p.regs = append(p.regs, w.any(isa.Reg(r)))
	}
	w.assume(p, b, w.b.Truth(true))
	return p
}

// assume adds the invariant of a block to which control comes if a condition holds.
func (w *writer) assume(p *path, b int, reached *smt.Term) {
	for r := range w.Kernel.Regs {
		if set, ok := w.all[b][isa.Reg(r)]; ok {
			p.assumed = append(p.assumed, w.b.Or(w.b.Not(reached), w.in(p.regs[r], set)))
		}
	}
}

// word returns a term as a bit-vector of a width, cut or extended by zeros.
func (w *writer) word(t *smt.Term, width int) *smt.Term {
	if t.Sort() == smt.Bool {
		t = w.b.Ite(t, w.b.Number(1, 1), w.b.Number(1, 0))
	}
	if t.Width() > width {
		return w.b.Extract(t, 0, width)
	}
	return w.b.ZeroExt(t, width)
}

// in says that a word is in a set.
func (w *writer) in(t *smt.Term, set words.Set) *smt.Term {
	t = w.word(t, set.Bits)
	if set.Count == 0 {
		return w.b.Eq(t, w.b.Number(set.Bits, set.Low))
	}
	distance := w.b.Sub(t, w.b.Number(set.Bits, set.Low))
	within := w.b.Ule(distance, w.b.Number(set.Bits, set.Count*set.Step))
	switch zeros := bits.TrailingZeros64(set.Step); {
	case set.Step == 1:
		return within
	case set.Step == 1<<zeros:
		return w.b.And(within, w.b.Eq(w.b.Extract(distance, 0, zeros), w.b.Number(zeros, 0)))
	case set.Count <= maxListed:
		one := w.b.Truth(false)
		for i := range set.Count + 1 {
			one = w.b.Or(one, w.b.Eq(distance, w.b.Number(set.Bits, i*set.Step)))
		}
		return one
	}
	rest := w.b.URem(distance, w.b.Number(set.Bits, set.Step))
	return w.b.And(within, w.b.Eq(rest, w.b.Number(set.Bits, 0)))
}

// maxListed is the largest number of steps of a set whose words are listed. Solvers find remainders hard.
const maxListed = 8

// constant returns what a thread keeps, which is in a set.
func (w *writer) constant(p *path, name string, set words.Set) *smt.Term {
	t, ok := w.constants[name]
	if !ok {
		t = w.b.Var(name, smt.Bits(set.Bits))
		w.constants[name] = t
	}
	if !p.known[t] && !set.IsAny() {
		p.assumed = append(p.assumed, w.in(t, set))
	}
	p.known[t] = true
	return t
}

// source returns a source of an instruction; nil if it has no term.
func (w *writer) source(p *path, in *isa.Instr, o isa.Operand) *smt.Term {
	var t *smt.Term
	switch o.Kind {
	case isa.KindReg:
		t = p.regs[o.Reg]
	case isa.KindImm:
		if in.Type == isa.Pred {
			return w.b.Truth((o.Imm != 0) != o.Not)
		}
		t = w.b.Number(64, o.Imm)
	case isa.KindParam:
		v := &w.Kernel.Params[o.Var]
		t = w.constant(p, fmt.Sprintf("param%d_%d", v.Offset, v.Bytes), w.Parameter(v.Offset, v.Bytes))
	case isa.KindSpecial:
		if !kept(o.Special) {
			return nil
		}
		t = w.constant(p, o.Special.String(), w.Special(o.Special))
	default:
		return nil
	}
	if o.Not && t.Sort() == smt.Bool {
		return w.b.Not(t)
	} else if o.Not {
		return w.b.BvNot(t)
	}
	return t
}

// guard says that the guard of an instruction holds.
func (w *writer) guard(p *path, in *isa.Instr) *smt.Term {
	if !in.Guard.Set {
		return w.b.Truth(true)
	}
	t := p.regs[in.Guard.Reg]
	if t.Sort() != smt.Bool {
		t = w.b.Not(w.b.Eq(t, w.b.Number(t.Width(), 0)))
	}
	if in.Guard.Not {
		return w.b.Not(t)
	}
	return t
}

// run executes instructions.
func (w *writer) run(p *path, pc, end int) {
	for ; pc < end; pc++ {
		in := &w.Kernel.Instrs[pc]
		results := w.results(p, in)
		holds := w.guard(p, in)
		for i, o := range in.Dst {
			if o.Kind != isa.KindReg {
				continue
			}
			t := w.any(o.Reg)
			if i < len(results) && results[i].Sort() == t.Sort() {
				t = results[i]
			}
			p.regs[o.Reg] = w.b.Ite(holds, t, p.regs[o.Reg])
		}
	}
}

// results returns the results of an instruction as terms; nil if they can be anything.
func (w *writer) results(p *path, in *isa.Instr) []*smt.Term {
	if in.Op == isa.Ld {
		return w.loaded(p, in)
	}
	var src []*smt.Term
	for _, o := range in.Src {
		t := w.source(p, in, o)
		if t == nil {
			return nil
		}
		src = append(src, t)
	}
	var widths []int
	for _, o := range in.Dst {
		if o.Kind != isa.KindReg || w.Kernel.Regs[o.Reg].Type.Bits() > smt.MaxWidth {
			return nil
		}
		widths = append(widths, w.Width(o.Reg))
	}
	results, ok := symexec.Lift(w.b, in, src, widths)
	if !ok {
		return nil
	}
	return results
}

// loaded returns what an instruction loads: a part of the parameter block, or a number that fits its type.
func (w *writer) loaded(p *path, in *isa.Instr) []*smt.Term {
	if len(in.Dst) != 1 || in.Dst[0].Kind != isa.KindReg || in.Type.Bits() > smt.MaxWidth {
		return nil
	}
	var t *smt.Term
	if offset, bytes, ok := check.Loads(in); ok {
		t = w.constant(p, fmt.Sprintf("param%d_%d", offset, bytes), w.Parameter(offset, bytes))
	} else {
		w.fresh++
		t = w.b.Var(fmt.Sprintf("loaded%d", w.fresh), smt.Bits(in.Type.Bits()))
	}
	width := w.Width(in.Dst[0].Reg)
	if t.Width() < width && in.Type.IsSigned() {
		return []*smt.Term{w.b.SignExt(t, width)}
	}
	return []*smt.Term{w.word(t, width)}
}

// passes says that control passes an edge at the end of a block.
func (w *writer) passes(p *path, b int, e check.Edge) *smt.Term {
	in := &w.Kernel.Instrs[w.Blocks[b].End-1]
	holds := w.guard(p, in)
	if !check.Branches(in) {
		return w.b.Truth(true)
	}
	if e.Taken {
		return holds
	}
	return w.b.Not(holds)
}

// edges adds what is to be shown of the edges of a block.
func (w *writer) edges(b int) {
	passable := w.flow.Passable(b)
	for i, e := range w.Blocks[b].Edges {
		p := w.begin(b)
		w.run(p, w.Blocks[b].Start, w.Blocks[b].End)
		if !slices.Contains(passable, e.To) {
			w.add(fmt.Sprintf("infeasible-%d-%d", b, i), Infeasible, b, fmt.Sprintf("control never goes from %s to %s", w.name(b), w.name(e.To)), p, w.passes(p, b, e))
			continue
		}
		if e.To == check.Exit || len(w.all[e.To]) == 0 {
			continue
		}
		w.add(fmt.Sprintf("invariant-%d-%d", b, i), Invariant, b, fmt.Sprintf("the invariant at %s holds when control comes from %s", w.name(e.To), w.name(b)), p, w.breaks(p, b, e, w.all[e.To]))
	}
}

// breaks says that control passes an edge, behind the instructions of the block before it, and some register is then not in
// its set.
func (w *writer) breaks(p *path, b int, e check.Edge, at map[isa.Reg]words.Set) *smt.Term {
	holds := w.b.Truth(true)
	for r := range w.Kernel.Regs {
		if set, ok := at[isa.Reg(r)]; ok {
			holds = w.b.And(holds, w.in(p.regs[r], set))
		}
	}
	return w.b.And(w.passes(p, b, e), w.b.Not(holds))
}

func (w *writer) name(b int) string {
	if b == check.Exit {
		return "exit"
	}
	return w.Kernel.Instrs[w.Blocks[b].Start].Pos.String()
}

// ranges adds the ranges of addresses in a block.
func (w *writer) ranges(b int) {
	for pc := w.Blocks[b].Start; pc < w.Blocks[b].End; pc++ {
		in := &w.Kernel.Instrs[pc]
		if !addresses(in) {
			continue
		}
		set := w.flow.Before(b, pc, in.Src[0].Reg)
		if set.IsAny() {
			continue
		}
		p := w.begin(b)
		w.run(p, w.Blocks[b].Start, pc)
		w.add(fmt.Sprintf("range-%d", pc), Range, b, fmt.Sprintf("the address at %s is %d + [%d, %d] in steps of %d, modulo 2^%d", in.Pos, in.Src[0].Imm, set.Low, set.Last(), set.Step, set.Bits),
			p, w.outside(p, in, set))
	}
}

// addresses reports whether an instruction accesses memory by a register.
func addresses(in *isa.Instr) bool {
	return in.Op.Info().Unit == isa.UnitMem && len(in.Src) > 0 && in.Src[0].Kind == isa.KindAddr && in.Src[0].Reg != isa.NoReg
}

// outside says that an instruction accesses memory by a register that is not in a set.
func (w *writer) outside(p *path, in *isa.Instr, set words.Set) *smt.Term {
	return w.b.And(w.guard(p, in), w.b.Not(w.in(p.regs[in.Src[0].Reg], set)))
}

// loop adds what is to be shown of the bound of a loop.
func (w *writer) loop(l *loops.Loop, f *certify.Fact) {
	r := isa.Reg(f.Ranking.Register)
	enter, back := w.flow.Arrivals(l, r)
	if enter == nil || back == nil {
		return // it is never entered, or never goes on
	}
	p, before, around := w.around(l, r)
	wrong := w.b.Truth(false)
	for _, a := range around {
		holds := w.b.And(w.in(a.value, *back), w.decreases(f.Ranking, before, a.value))
		wrong = w.b.Or(wrong, w.b.And(a.passes, w.b.Not(holds)))
	}
	w.add(fmt.Sprintf("ranking-%d", l.Header), Ranking, l.Header, fmt.Sprintf("each way around the loop at %s changes %s by %d at least", f.At, f.Ranking.Name, f.Ranking.Decrease), p, wrong)
	for b := range w.Blocks {
		for i, e := range w.Blocks[b].Edges {
			if e.To != l.Header || l.Body[b] || !slices.Contains(w.flow.Passable(b), e.To) {
				continue
			}
			p := w.begin(b)
			w.run(p, w.Blocks[b].Start, w.Blocks[b].End)
			w.add(fmt.Sprintf("loop-%d-from-%d-%d", l.Header, b, i), Loop, l.Header, fmt.Sprintf("%s is in its range when the loop at %s is entered", f.Ranking.Name, f.At),
				p, w.passes(p, b, e), w.b.Not(w.in(p.regs[r], *enter)))
		}
	}
	w.add(fmt.Sprintf("loop-%d", l.Header), Loop, l.Header, fmt.Sprintf("%s changes by %d no more than %d times", f.Ranking.Name, f.Ranking.Decrease, f.Value),
		&path{}, w.returns(f.Ranking, *enter, *back, f.Value+1))
}

// arrival is a way back to the header of a loop: whether control passes there, and what a register is then.
type arrival struct{ passes, value *smt.Term }

// around executes the body of a loop once, all its ways at a time; loops in it may leave anything in what they write. It returns what
// a register was at the header, and what it is on each way back.
func (w *writer) around(l *loops.Loop, r isa.Reg) (p *path, before *smt.Term, back []arrival) {
	p = w.begin(l.Header)
	before = p.regs[r]
	type come struct {
		passes *smt.Term
		regs   []*smt.Term
	}
	at := map[int]*come{l.Header: {w.b.Truth(true), p.regs}}
	for _, b := range w.Order {
		here := at[b]
		if here == nil {
			continue
		}
		p.regs = slices.Clone(here.regs)
		if in := w.Loops[b]; in != nil && b != l.Header {
			for body := range w.Blocks {
				for pc := w.Blocks[body].Start; in.Body[body] && pc < w.Blocks[body].End; pc++ {
					w.Kernel.Instrs[pc].Writes(func(r isa.Reg) { p.regs[r] = w.any(r) })
				}
			}
		}
		w.assume(p, b, here.passes)
		w.run(p, w.Blocks[b].Start, w.Blocks[b].End)
		for _, e := range w.Blocks[b].Edges {
			if e.To == check.Exit || !l.Body[e.To] {
				continue
			}
			passes := w.b.And(here.passes, w.passes(p, b, e))
			switch next := at[e.To]; {
			case e.To == l.Header:
				back = append(back, arrival{passes, p.regs[r]})
			case w.Loops[e.To] != nil && w.Loops[e.To].Body[b]:
			case next == nil:
				at[e.To] = &come{passes, slices.Clone(p.regs)}
			default:
				for i := range next.regs {
					next.regs[i] = w.b.Ite(passes, p.regs[i], next.regs[i])
				}
				next.passes = w.b.Or(next.passes, passes)
			}
		}
	}
	return p, before, back
}

// ordered returns a word as an unsigned number in the order of the ranking function: more comes before less.
func (w *writer) ordered(f *certify.Ranking, t *smt.Term) *smt.Term {
	t = w.word(t, w.Width(isa.Reg(f.Register)))
	if f.Signed {
		t = w.b.Add(t, w.b.Number(t.Width(), 1<<(t.Width()-1)))
	}
	if f.Coefficient < 0 {
		t = w.b.BvNot(t)
	}
	return t
}

// decreases says that a ranking function becomes less, by as much as it should at least.
func (w *writer) decreases(f *certify.Ranking, before, after *smt.Term) *smt.Term {
	x, y := w.ordered(f, before), w.ordered(f, after)
	by := w.b.Number(x.Width(), uint64(f.Decrease))
	return w.b.And(w.b.Ule(by, x), w.b.Ule(y, w.b.Sub(x, by)))
}

// returns says that there is room for so many steps of a ranking function from a value with which a loop is entered to one with
// which control returns to its header.
func (w *writer) returns(f *certify.Ranking, enter, back words.Set, times int64) *smt.Term {
	x, y := w.any(isa.Reg(f.Register)), w.any(isa.Reg(f.Register))
	both := w.b.And(w.in(x, enter), w.in(y, back))
	x, y = w.ordered(f, x), w.ordered(f, y)
	high, need := bits.Mul64(uint64(times), uint64(f.Decrease))
	if high != 0 || need > words.Mask(enter.Bits) {
		return w.b.Truth(false) // more than any two words are apart
	}
	return w.b.And(both, w.b.And(w.b.Ule(y, x), w.b.Ule(w.b.Number(enter.Bits, need), w.b.Sub(x, y))))
}

// kept reports whether a special register keeps its value while a thread runs.
func kept(r isa.Special) bool {
	return r >= isa.TidX && r <= isa.TidZ || r >= isa.NtidX && r <= isa.NtidZ || r >= isa.CtaidX && r <= isa.CtaidZ ||
		r >= isa.NctaidX && r <= isa.NctaidZ || r == isa.LaneID || r == isa.WarpSize
}

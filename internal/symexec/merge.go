package symexec

import (
	"fmt"
	"slices"

	"warpbound/internal/graph"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// any returns a variable of its own for a result of an instruction, or for a register at the head
// of a loop.
func (p *prover) any(what string, at, i, width int) *smt.Term {
	name := fmt.Sprintf("%%%s %d.%d", what, at, i)
	if width == 1 {
		return p.b.Var(name, smt.Bool)
	}
	return p.b.Var(name, smt.Bits(width))
}

// width returns the bits of a register, 1 for a predicate.
func (p *prover) width(r isa.Reg) int { return p.launch.Kernel().Regs[r].Type.Bits() }

// execute executes the blocks, each behind all that lead to it but those at the ends of loops.
func (p *prover) execute() error {
	p.assumed, p.taken = nil, make(map[BranchOutcome]*smt.Term)
	for _, i := range p.Indices {
		p.assumed = append(p.assumed, p.b.Ult(p.index(i), p.b.Number(i.Register.Bits(), i.Below)))
	}
	for _, r := range p.Params {
		for at := 0; r.Element != (Element{}) && at < r.Bytes; at += r.Element.Bytes {
			offset := p.b.Number(indexBits, uint64(r.Offset+at))
			p.assumed = append(p.assumed, r.Element.within(p.b, p.atStart(parameters, offset, r.Element.Bytes)))
		}
	}
	p.assumed = append(p.assumed, p.related()...)
	blocks, loops := p.graph.Graph(), p.graph.Loops()
	forward, back := graph.New(blocks.Len()), loops.BackEdges()
	for _, e := range blocks.Edges() {
		if !slices.Contains(back, e) {
			forward.AddEdge(e.From, e.To)
		}
	}
	p.arrivals = make([][]arrival, blocks.Len())
	start := p.start()
	p.arrivals[p.graph.Entry()] = []arrival{{from: -1, path: p.b.Truth(true), regs: start.now().regs}}
	for _, b := range graph.ReversePostOrder(forward, p.graph.Entry()) {
		if b == p.graph.Exit() {
			continue
		}
		m := p.merge(p.arrivals[b])
		p.arrivals[b] = nil
		if l := loops.Innermost(b); l >= 0 && loops.Loops[l].Header == b {
			for _, r := range p.assigned(&loops.Loops[l]) {
				if m.regs[r] != nil {
					m.regs[r] = p.any("loop", b, int(r), p.width(r))
				}
			}
		}
		if err := p.block(b, m, forward); err != nil {
			return err
		}
	}
	return nil
}

// assigned returns the registers that a loop assigns.
func (p *prover) assigned(l *graph.Loop) []isa.Reg {
	var all []isa.Reg
	for _, b := range l.Body {
		for pc := p.graph.Blocks[b].Start; pc < p.graph.Blocks[b].End; pc++ {
			p.launch.Kernel().Instrs[pc].Writes(func(r isa.Reg) { all = append(all, r) })
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// merged is what holds at a place.
type merged struct {
	path *smt.Term // the condition under which a thread comes there
	regs []*smt.Term
}

// merge joins what comes from several blocks.
func (p *prover) merge(from []arrival) *merged {
	last := from[len(from)-1]
	m := &merged{path: last.path, regs: slices.Clone(last.regs)}
	for _, a := range slices.Backward(from[:len(from)-1]) {
		m.path = p.b.Or(a.path, m.path)
		for r, v := range a.regs {
			if v != m.regs[r] {
				m.regs[r] = p.b.Ite(a.path, v, m.regs[r])
			}
		}
	}
	return m
}

// block executes a block and hands on what holds at its end.
func (p *prover) block(b int, m *merged, forward *graph.Graph) error {
	block, instrs := &p.graph.Blocks[b], p.launch.Kernel().Instrs
	last := block.End - 1
	for pc := block.Start; pc < last; pc++ {
		if err := p.instr(pc, m); err != nil {
			return err
		}
	}
	in := &instrs[last]
	targets := outcomesOf(last, in)
	switch in.Op {
	case isa.Bra, isa.BrxIdx:
		if len(targets) == 0 {
			targets = []BranchOutcome{{last, in.Target}}
		}
	case isa.Ret, isa.Exit, isa.Trap:
		if in.Guard.Set {
			m.path = p.b.And(m.path, p.b.Not(p.guard(in, m)))
			targets = []BranchOutcome{{last, block.End}}
		}
	default:
		if err := p.instr(last, m); err != nil {
			return err
		}
		targets = []BranchOutcome{{last, block.End}}
	}
	for _, outcome := range targets {
		path := p.b.And(m.path, p.leads(in, m, outcome))
		if len(targets) > 1 {
			p.taken[outcome] = path
		}
		if to := p.graph.BlockOf(outcome.Target); forward.HasEdge(b, to) {
			p.arrivals[to] = append(p.arrivals[to], arrival{b, path, m.regs})
		}
	}
	return nil
}

// leads returns the condition under which control goes from a branch to one of its successors.
func (p *prover) leads(in *isa.Instr, m *merged, outcome BranchOutcome) *smt.Term {
	var c *smt.Term
	switch in.Op {
	case isa.Bra:
		c = p.b.Truth(in.Target == outcome.Target)
	case isa.BrxIdx:
		index := p.operand(in.Src[0], m)
		c = p.b.Truth(false)
		for i, target := range in.Targets {
			if target == outcome.Target {
				c = p.b.Or(c, p.b.Eq(index, p.b.Number(index.Width(), uint64(i))))
			}
		}
	default:
		return p.b.Truth(true)
	}
	g := p.guard(in, m)
	c = p.b.And(g, c)
	if outcome.Target == outcome.Branch+1 {
		c = p.b.Or(c, p.b.Not(g))
	}
	return c
}

// guard returns whether an instruction is executed where control comes to it.
func (p *prover) guard(in *isa.Instr, m *merged) *smt.Term {
	if !in.Guard.Set {
		return p.b.Truth(true)
	}
	g := p.boolean(m.regs[in.Guard.Reg])
	if in.Guard.Not {
		return p.b.Not(g)
	}
	return g
}

// boolean returns a value as a truth value.
func (x *explorer) boolean(v *smt.Term) *smt.Term {
	if v.Sort() == smt.Bool {
		return v
	}
	return x.b.Not(x.b.Eq(v, x.b.Number(v.Width(), 0)))
}

// ofLaunch are the special registers that hold the same in all threads of a launch.
var ofLaunch = []isa.Special{
	isa.NtidX, isa.NtidY, isa.NtidZ, isa.NctaidX, isa.NctaidY, isa.NctaidZ,
	isa.WarpSize, isa.NwarpID, isa.DynamicSmemSize, isa.TotalSmemSize, isa.AggrSmemSize,
}

// operand returns the value of a source; nil if it may be any.
func (p *prover) operand(o isa.Operand, m *merged) *smt.Term {
	switch o.Kind {
	case isa.KindReg:
		if o.Not && m.regs[o.Reg] != nil {
			return p.b.Not(m.regs[o.Reg])
		}
		return m.regs[o.Reg]
	case isa.KindParam:
		v := &p.launch.Kernel().Params[o.Var]
		if v.Bytes > 8 {
			return nil
		}
		return p.atStart(parameters, p.b.Number(indexBits, uint64(v.Offset)), v.Bytes)
	case isa.KindSpecial:
		if v, ok := p.special(o.Special, Thread{}); ok {
			return v
		}
		if p.extent(o.Special) != 1 && !slices.Contains(ofLaunch, o.Special) {
			return nil
		}
	}
	value, ok := p.launch.Constant(o, [3]int{}, 0, 0)
	if !ok {
		return nil
	}
	return p.b.Number(64, value)
}

// instr executes an instruction that does not branch.
func (p *prover) instr(pc int, m *merged) error {
	in := &p.launch.Kernel().Instrs[pc]
	g := p.guard(in, m)
	effect := in.Op.Info().Effect
	p.exchanges = p.exchanges || effect&isa.Crosslane != 0 && p.uses(in)
	var results []*smt.Term
	switch {
	case p.launch.Pure(pc):
		results = p.lift(pc, in, m)
	case in.Op == isa.Ld || in.Op == isa.St || in.Op == isa.Atom || in.Op == isa.Red:
		var err error
		if results, err = p.access(in, p.b.And(m.path, g), m); err != nil {
			return err
		}
	default:
		p.exchanges = p.exchanges || p.uses(in)
		for r := range p.written {
			p.written[r] = p.written[r] || effect&isa.WritesMem != 0 && !p.regions[r].readOnly
		}
	}
	for i, o := range in.Dst {
		if o.Kind != isa.KindReg || m.regs[o.Reg] == nil {
			continue
		}
		v := p.any("result", pc, i, p.width(o.Reg))
		if results != nil {
			v = results[i]
		}
		m.regs[o.Reg] = p.b.Ite(g, v, m.regs[o.Reg])
	}
	return nil
}

// lift returns the results of an instruction that only writes registers; nil if they may be any.
// Where they are unsettled they are any, too.
func (p *prover) lift(pc int, in *isa.Instr, m *merged) []*smt.Term {
	var src []*smt.Term
	for _, o := range in.Src {
		v := p.operand(o, m)
		if v == nil {
			return nil
		}
		src = append(src, v)
	}
	widths := make([]int, len(in.Dst))
	for i, o := range in.Dst {
		if widths[i] = smt.MaxWidth; o.Kind == isa.KindReg {
			widths[i] = p.width(o.Reg)
		}
		if widths[i] > smt.MaxWidth {
			return nil
		}
	}
	results, ok := lift(p.b, in, src, widths)
	if c := unsettled(p.b, in, src); ok && c != nil {
		results[0] = p.b.Ite(c, p.any("unsettled", pc, 0, widths[0]), results[0])
	}
	return results
}

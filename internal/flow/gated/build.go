package gated

import (
	"context"

	"warpbound/diag"
	"warpbound/internal/budget"
	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// New brings a kernel into gated form. It is an error, with its position, if the
// kernel has a loop that can be entered elsewhere than at its header
// (cfg.Graph.CheckReducible) or an indexed branch whose index is no register, or if so many
// paths join that gammas would not be found in reasonable time.
//
// Only registers that are live where paths join get gammas and mus there. Blocks
// are renamed in reverse post-order, in which all edges but those back to the
// headers of loops lead forward, so that what flows into a block is known when the
// block is reached; what flows back into headers is filled in at the end.
//
// If ctx ends, the error is that of ctx.
func New(ctx context.Context, g *cfg.Graph, effort budget.Effort) (*Form, error) {
	if err := g.CheckReducible(); err != nil {
		return nil, err
	}
	for i := range g.Kernel.Instrs {
		if in := &g.Kernel.Instrs[i]; in.Op == isa.BrxIdx && in.Src[0].Kind != isa.KindReg {
			return nil, diag.Errorf(in.Pos, "kernel %s: a branch indexed by %s; the index must be a register", g.Kernel.Readable(), in.Src[0])
		}
	}
	b := newBuilder(g, effort)
	for _, block := range b.order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !b.allowsSteps() {
			break
		}
		b.enter(block)
		b.rename(block)
		b.out[block] = b.current(b.live.Out(block))
	}
	for l := range b.form.Loops {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !b.allowsSteps() {
			break
		}
		b.close(l)
	}
	if !b.allowsSteps() {
		return nil, diag.Errorf(g.Kernel.Pos, "kernel %s: there are more than %s, which a greater --effort allows",
			g.Kernel.Readable(), b.work.Reached()[0])
	}
	for v := range b.form.Values {
		if value := &b.form.Values[v]; value.Kind == Eta {
			value.By = b.form.Loops[value.Loop].Leave
		}
	}
	b.form.number()
	return b.form, nil
}

type builder struct {
	form    *Form
	g       *cfg.Graph
	live    *cfg.Live
	loops   []graph.Loop
	written []map[isa.Reg]bool // by loop

	dom   *graph.DomTree
	order []int // the blocks of complete runs, in reverse post-order
	rank  []int // of a block in order, -1 if it is not there

	now   []ID   // by register: its value at the place that is renamed
	valid []int  // by register: the block in which now is set, plus 1
	block int    // that is renamed, plus 1
	out   [][]ID // by block: the values of the registers that are live at its end

	etas    map[[2]int]ID // by loop and value
	gammas  map[string]ID
	nodes   []ID  // by block: see gate
	region  []int // by block: the last gate that passed it
	gates   int
	steps   int // of all gates
	work    *budget.Work
	failing [][]bool // by block, for each edge: every run along it ends with an error
}

func newBuilder(g *cfg.Graph, effort budget.Effort) *builder {
	k := g.Kernel
	b := &builder{
		form: &Form{
			Graph:  g,
			Loops:  make([]Loop, len(g.Loops().Loops)),
			starts: make([][]ID, len(g.Blocks)),
			reads:  make([][]ID, len(k.Instrs)),
			writes: make([][]ID, len(k.Instrs)), guarded: make([][]ID, len(k.Instrs)),
		},
		g: g, live: cfg.Liveness(g), loops: g.Loops().Loops,
		dom:     graph.Dominators(g.Graph(), g.Entry()),
		rank:    make([]int, len(g.Blocks)),
		now:     make([]ID, len(k.Regs)),
		valid:   make([]int, len(k.Regs)),
		out:     make([][]ID, len(g.Blocks)),
		work:    budget.NewWork(effort),
		etas:    make(map[[2]int]ID),
		gammas:  make(map[string]ID),
		nodes:   make([]ID, len(g.Blocks)),
		region:  make([]int, len(g.Blocks)),
		failing: make([][]bool, len(g.Blocks)),
	}
	for block := range b.failing {
		flow := make(map[int]bool)
		for _, s := range g.Succ(block) {
			flow[s] = true
		}
		for _, e := range g.Blocks[block].Edges {
			b.failing[block] = append(b.failing[block], !flow[e.To])
		}
	}
	for block := range b.rank {
		b.rank[block] = -1
	}
	for _, block := range graph.ReversePostOrder(g.Graph(), g.Entry()) {
		if block != g.Exit() {
			b.rank[block] = len(b.order)
			b.order = append(b.order, block)
		}
	}
	for range 2 {
		b.make(Value{Kind: Truth, Reg: isa.NoReg, Block: g.Entry(), Instr: -1}, -1)
	}
	b.written = make([]map[isa.Reg]bool, len(b.loops))
	for l, loop := range b.loops {
		b.form.Loops[l].Leave = None
		b.written[l] = make(map[isa.Reg]bool)
		for _, block := range loop.Body {
			for i := g.Blocks[block].Start; i < g.Blocks[block].End; i++ {
				k.Instrs[i].Writes(func(r isa.Reg) { b.written[l][r] = true })
			}
		}
	}
	return b
}

// make adds a value. home is the innermost loop in which it changes.
func (b *builder) make(v Value, home int) ID {
	if v.Kind != Gamma {
		v.By = None
	}
	b.form.Values = append(b.form.Values, v)
	b.form.homes = append(b.form.homes, home)
	return ID(len(b.form.Values) - 1)
}

// back reports whether the edge leads back to the header of a loop.
func (b *builder) back(from, to int) bool {
	return to != b.g.Exit() && b.rank[to] <= b.rank[from]
}

// within reports whether a loop is another or lies in it. The loop -1 is the whole
// kernel.
func (b *builder) within(loop, outer int) bool {
	for loop >= 0 && loop != outer {
		loop = b.loops[loop].Parent
	}
	return loop == outer
}

// outside returns a value as it is seen in a loop, or outside of all for -1: behind
// the loops that have been left since.
func (b *builder) outside(v ID, loop int) ID {
	for v != None {
		left := b.form.homes[v]
		if b.within(loop, left) {
			break
		}
		key := [2]int{left, int(v)}
		eta, found := b.etas[key]
		if !found {
			parent := b.loops[left].Parent
			eta = b.make(Value{
				Kind: Eta, Reg: b.form.Values[v].Reg, Block: b.loops[left].Header, Instr: -1,
				Loop: left, Args: []ID{v},
			}, parent)
			b.etas[key] = eta
			b.form.Loops[left].Etas = append(b.form.Loops[left].Etas, eta)
		}
		v = eta
	}
	return v
}

func (b *builder) set(r isa.Reg, v ID) { b.now[r], b.valid[r] = v, b.block }

// current returns the present values of registers.
func (b *builder) current(regs []isa.Reg) []ID {
	values := make([]ID, len(regs))
	for i, r := range regs {
		values[i] = b.now[r]
	}
	return values
}

// flowing returns the values of registers, live at the start of a successor, at the
// end of block p, as they are seen in a loop.
func (b *builder) flowing(p int, regs []isa.Reg, loop int) []ID {
	values := make([]ID, len(regs))
	at := 0
	for i, r := range b.live.Out(p) { // in the same order, and more of them
		if at < len(regs) && regs[at] == r {
			values[at] = b.outside(b.out[p][i], loop)
			at++
		}
	}
	return values
}

// enter gives the registers that are live at the start of a block their values.
func (b *builder) enter(block int) {
	b.block = block + 1
	regs := b.live.In(block)
	header := -1 // the loop whose header it is
	home := b.g.Loops().Innermost(block)
	around := home
	if home >= 0 && b.loops[home].Header == block {
		header, around = home, b.loops[home].Parent
	}
	values := b.arriving(block, regs, around)
	for i, r := range regs {
		v := values[i]
		if header >= 0 && b.written[header][r] {
			v = b.make(Value{Kind: Mu, Reg: r, Block: block, Instr: -1, Loop: header, Args: []ID{v, None}}, header)
			b.form.Loops[header].Mus = append(b.form.Loops[header].Mus, v)
			b.form.starts[block] = append(b.form.starts[block], v)
		}
		b.set(r, v)
	}
}

// arriving returns the values of registers where a block starts, without what comes
// back to it as the header of a loop. around is the loop in which they are joined.
func (b *builder) arriving(block int, regs []isa.Reg, around int) []ID {
	preds := make(map[int][]ID)
	for _, p := range b.g.Pred(block) {
		if b.rank[p] >= 0 && !b.back(p, block) {
			preds[p] = b.flowing(p, regs, around)
		}
	}
	values := make([]ID, len(regs))
	if block == b.g.Entry() {
		for i, r := range regs {
			values[i] = b.make(Value{Kind: Initial, Reg: r, Block: block, Instr: -1}, -1)
		}
		return values
	}
	j := join{block: block, loop: around, list: &b.form.starts[block]}
	if len(preds) > 1 {
		j.region = b.between(b.dom.IDom(block), preds)
	}
	for i, r := range regs {
		j.reg = r
		values[i] = b.merge(&j, column(preds, i))
	}
	return values
}

// column returns the i-th value of each list.
func column(lists map[int][]ID, i int) map[int]ID {
	values := make(map[int]ID, len(lists))
	for p, list := range lists {
		values[p] = list[i]
	}
	return values
}

// rename gives the instructions of a block their values.
func (b *builder) rename(block int) {
	k, home := b.g.Kernel, b.g.Loops().Innermost(block)
	for i := b.g.Blocks[block].Start; i < b.g.Blocks[block].End; i++ {
		in := &k.Instrs[i]
		in.Reads(func(r isa.Reg) {
			b.form.reads[i] = append(b.form.reads[i], b.now[r])
		})
		for n, o := range in.Dst {
			v := None
			if o.Kind == isa.KindReg {
				v = b.make(Value{Kind: Result, Reg: o.Reg, Block: block, Instr: i, Dst: n}, home)
			}
			b.form.writes[i] = append(b.form.writes[i], v)
		}
		for n, o := range in.Dst {
			if o.Kind != isa.KindReg {
				continue
			}
			v := b.form.writes[i][n]
			if in.Guard.Set && b.valid[o.Reg] == b.block { // else nothing reads what it held
				args := []ID{v, b.now[o.Reg]}
				if in.Guard.Not {
					args[0], args[1] = args[1], args[0]
				}
				v = b.make(Value{Kind: Gamma, Reg: o.Reg, Block: block, Instr: i, Dst: n, By: b.form.reads[i][0], Args: args}, home)
				b.form.guarded[i] = append(b.form.guarded[i], v)
			}
			b.set(o.Reg, v)
		}
	}
}

// close completes what a loop hands from one iteration to the next, and tells when
// it is left.
func (b *builder) close(l int) {
	loop, form := &b.loops[l], &b.form.Loops[l]
	regs := make([]isa.Reg, 0, len(form.Mus))
	for _, mu := range form.Mus {
		regs = append(regs, b.form.Values[mu].Reg)
	}
	j := join{block: loop.Header, loop: l, list: &form.Next}
	latches := make(map[int][]ID)
	for _, e := range loop.Back {
		latches[e.From] = b.flowing(e.From, regs, l)
	}
	j.region = b.between(loop.Header, latches)
	for i, mu := range form.Mus {
		j.reg = regs[i]
		b.form.Values[mu].Args[1] = b.merge(&j, column(latches, i))
	}
	j.reg, j.region = isa.NoReg, b.backward(loop.Body)
	form.Leave = b.gate(&j, func(_, to int) (ID, bool) {
		switch {
		case to == loop.Header:
			return False, true
		case to == b.g.Exit():
			return None, true
		}
		return True, !loop.Contains(to)
	})
}

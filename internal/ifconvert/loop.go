package ifconvert

import (
	"slices"
	"strconv"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
)

// leaves returns the loop that a branch may leave, nil if it leaves none or nothing but that.
func (c *converter) leaves(block int) []int {
	loops := c.graph.Loops()
	l := loops.Innermost(block)
	if l < 0 {
		return nil
	}
	out := 0
	for _, e := range c.graph.Blocks[block].Edges {
		if !loops.Loops[l].Contains(e.To) {
			out++
		}
	}
	if out != 1 {
		return nil
	}
	return loops.Loops[l].Body
}

// loop converts a branch that leaves a loop: all lanes stay until the loop ends otherwise. Those that would have left remember what registers
// held then, store nothing any more, and go where they would have gone when the loop has ended:
//
//	LOOP:                         LOOP:
//	    ...                           ...
//	    @%p bra FOUND;                not.pred %n, %done;
//	    ...                           and.pred %now, %p, %n;
//	    @%q bra LOOP;                 selp.b32 %kept, %r1, %kept, %now;
//	    ...                           or.pred %done, %done, %p;
//	                                  ...
//	                                  @%q bra LOOP;
//	                                  selp.b32 %r1, %kept, %r1, %done;
//	                                  mov.pred %left, %done;
//	                                  mov.pred %done, 0;
//	                                  @%left bra FOUND;
//
// The last branch depends on inputs, but leads forward. Nobody knows that the loop ends otherwise, nor what it accesses until then: it is
// up to a run of what comes out.
func (c *converter) loop(i int, body []int) error {
	branch := &c.kernel.Instrs[i]
	b := c.graph.BlockOf(i)
	inside := func(block int) bool { return slices.Contains(body, block) }
	all := &part{block: -1, writes: map[string]isa.Reg{}} // the whole loop
	exits := 0
	for _, x := range body {
		p, err := c.part(x, branch.Pos)
		if err != nil {
			return err
		}
		for _, e := range c.graph.Blocks[x].Edges {
			if e.To == c.graph.Exit() {
				return diag.Errorf(c.graph.Last(x).Pos, "threads end here, in the loop that the branch at %v leaves", branch.Pos)
			}
			if x != b && !inside(e.To) {
				exits++
			}
		}
		if err := c.check(p); err != nil {
			return err
		}
		for name, r := range p.writes {
			all.writes[name] = r
		}
	}
	if exits == 0 {
		return diag.Errorf(branch.Pos, "the branch decides whether a loop goes on, and nothing else ends it")
	}
	c.at = c.stmts[position(branch.Pos)]
	done := c.register("pred")
	c.head = append(c.head, c.instr(c.at.Pos, "mov.pred %s, 0", done)...)
	c.when[[2]*part{all, nil}] = condition{done, true}
	if err := c.masked(all, body); err != nil {
		return err
	}
	edges := c.graph.Blocks[b].Edges
	target := edges[slices.IndexFunc(edges, func(e cfg.Edge) bool { return !inside(e.To) })].To
	var kept, names []string
	for _, name := range slices.Sorted(keys(all.writes)) {
		if c.live.At(target, all.writes[name]) {
			typ := selected(c.kernel.Regs[all.writes[name]].Type)
			kept, names = append(kept, c.register(typ)), append(names, name)
			c.head = append(c.head, c.instr(c.at.Pos, "mov.%s %s, 0", typ, kept[len(kept)-1])...)
		}
	}
	c.out, c.current = nil, c.at.loc
	c.leaving(i, inside, done, names, kept, all)
	c.edits[c.at.Instr] = c.out
	for _, x := range body {
		for _, e := range c.graph.Blocks[x].Edges {
			if x != b && !inside(e.To) {
				c.restored(x, e, target, done, names, kept, all)
			}
		}
	}
	return nil
}

// masked has lanes that are done with a loop change no memory any more.
func (c *converter) masked(all *part, body []int) error {
	for _, x := range body {
		c.forgetMemory()
		for i := c.graph.Blocks[x].Start; i < c.graph.Blocks[x].End; i++ {
			in := &c.kernel.Instrs[i]
			s := c.stmts[position(in.Pos)]
			c.out, c.current = nil, s.loc
			own := *s.Instr
			own.Operands = slices.Clone(own.Operands)
			switch in.Op {
			case isa.St:
				c.store(all, in, &own)
			case isa.Atom, isa.Red:
				c.neutralised(all, in, &own)
				c.out = append(c.out, &own)
				c.note(in, &own)
			default:
				c.passed(i)
				continue
			}
			c.edits[s.Instr] = c.out
		}
	}
	return c.err
}

// leaving emits what takes the place of the branch.
func (c *converter) leaving(i int, inside func(int) bool, done string, names, kept []string, all *part) {
	in := &c.kernel.Instrs[i]
	taken := inside(c.graph.BlockOf(in.Target)) // else they stay
	cond := c.positive(condition{c.kernel.Regs[in.Guard.Reg].Name, in.Guard.Not != taken})
	not, now := c.register("pred"), c.register("pred")
	c.emit(c.at.Pos, "not.pred %s, %s", not, done)
	c.emit(c.at.Pos, "and.pred %s, %s, %s", now, cond, not)
	for n, name := range names {
		c.choose(selected(c.kernel.Regs[all.writes[name]].Type), kept[n], name, kept[n], condition{name: now})
	}
	c.emit(c.at.Pos, "or.pred %s, %s, %s", done, done, cond)
	if taken {
		c.emit(c.at.Pos, "bra.uni %s", c.labelled(c.graph.BlockOf(in.Target)))
	}
}

// restored emits what stands on another edge that leaves the loop.
func (c *converter) restored(from int, e cfg.Edge, target int, done string, names, kept []string, all *part) {
	last := c.graph.Last(from)
	s := c.stmts[position(last.Pos)]
	c.out, c.current = nil, s.loc
	own := c.at
	c.at = s
	for n, name := range names {
		c.choose(selected(c.kernel.Regs[all.writes[name]].Type), name, kept[n], name, condition{name: done})
	}
	if c.jumps(e.To) != c.jumps(target) {
		left := c.register("pred")
		c.emit(s.Pos, "mov.pred %s, %s", left, done)
		c.emit(s.Pos, "mov.pred %s, 0", done)
		c.emit(s.Pos, "@%s bra %s", left, c.labelled(target))
	} else {
		c.emit(s.Pos, "mov.pred %s, 0", done)
	}
	c.at = own
	if e.Kind != cfg.Taken {
		c.behind[s.Instr] = c.out
		return
	}
	label := c.newLabel()
	c.emit(s.Pos, "bra.uni %s", c.labelled(e.To))
	if s.loc != nil {
		c.tail = append(c.tail, s.loc)
	}
	c.tail = append(append(c.tail, &ptx.Label{Pos: s.Pos, Name: label}), c.out...)
	jump := *s.Instr
	jump.Operands = []ptx.Operand{{Kind: ptx.OperandName, Name: label}}
	c.edits[s.Instr] = []ptx.Stmt{&jump}
}

// jumps returns where lanes come from a block that holds nothing but jumps.
func (c *converter) jumps(b int) int {
	for range c.graph.Blocks {
		if in := c.graph.Last(b); c.graph.Blocks[b].End-c.graph.Blocks[b].Start > 1 || in.Op != isa.Bra || in.Guard.Set {
			break
		}
		b = c.graph.Blocks[b].Edges[0].To
	}
	return b
}

// labelled returns a label of a block, which gets one if it has none.
func (c *converter) labelled(b int) string {
	if name, err := c.label(b); err == nil {
		return name
	}
	first := c.stmts[position(c.kernel.Instrs[c.graph.Blocks[b].Start].Pos)]
	if first == nil || first.nested {
		c.err = diag.Errorf(c.kernel.Instrs[c.graph.Blocks[b].Start].Pos, "a block to which a loop leads can have no label")
		return "none"
	}
	if c.labels[first.Instr] == "" {
		c.labels[first.Instr] = c.newLabel()
	}
	return c.labels[first.Instr]
}

// newLabel makes a label.
func (c *converter) newLabel() string {
	c.made++
	return "$" + c.prefix[1:] + "_L" + strconv.Itoa(c.made)
}

// instr makes an instruction for elsewhere.
func (c *converter) instr(pos ptx.Pos, format string, args ...any) []ptx.Stmt {
	before := c.out
	c.out = nil
	c.emit(pos, format, args...)
	made := c.out
	c.out = before
	return made
}

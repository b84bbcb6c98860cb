package ifconvert

import (
	"slices"
	"strconv"
	"strings"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
)

// part is a block of the region that is converted, or a guarded instruction alone. The registers of the kernel keep what they hold while
// the parts are executed: each result has a register of its own, until values are selected where the paths reconverge.
type part struct {
	block int // in the graph; -1 of a guarded instruction alone
	stmts []*stmt
	edges []*edge           // that lead here
	above *part             // the nearest one that all lanes which come here have executed; nil for the branch
	alike bool              // all lanes that execute above come here
	value map[string]string // operands that hold what registers of the kernel would hold behind it, where that is not as before

	writes map[string]isa.Reg // the kernel's own registers that it writes, by name
}

// edge leads from a part, or from the branch if that is nil.
type edge struct {
	from   *part
	own    condition  // at the end of from
	within *condition // that lanes which execute what is above the end of the edge pass along it; nil if nobody has asked
}

// condition is a predicate register, perhaps complemented; one without a name holds always.
type condition struct {
	name string
	not  bool
}

// selections emits the parts of a region, one behind the other, and the selections behind them.
func (c *converter) selections(branch, join int, parts []*part) {
	of := map[int]*part{}
	for _, p := range parts {
		of[p.block] = p
	}
	behind := &part{block: join}
	of[join] = behind
	c.leave(nil, branch, of)
	after, before := graph.PostDominators(c.graph.Graph(), c.graph.Exit()), graph.Dominators(c.graph.Graph(), c.graph.Entry())
	for _, p := range parts {
		p.above = of[before.IDom(p.block)]
		p.alike = p.above != nil && after.Dominates(p.block, p.above.block)
		c.locate(p.stmts[0].loc)
		p.value = c.merged(p, false)
		c.convert(p)
		c.leave(p, p.block, of)
	}
	c.locate(c.at.loc)
	c.merged(behind, true)
}

// leave notes where lanes go on from a part, or from the branch if that is nil.
func (c *converter) leave(p *part, block int, of map[int]*part) {
	edges := c.graph.Blocks[block].Edges
	for i, e := range edges {
		to := of[e.To]
		switch {
		case to == nil || i > 0 && e.To == edges[0].To:
			continue
		case len(edges) == 1 || edges[0].To == edges[1].To:
			to.edges = append(to.edges, &edge{from: p})
			continue
		}
		guard := c.graph.Last(block).Guard
		name := c.kernel.Regs[guard.Reg].Name
		if p != nil && p.value[name] != "" {
			name = p.value[name]
		}
		to.edges = append(to.edges, &edge{from: p, own: condition{name, guard.Not == (e.Kind == cfg.Taken)}})
	}
}

// passes is the condition under which lanes that execute a part, nil for the branch, pass along an edge behind it.
func (c *converter) passes(e *edge, above *part) condition {
	if e.from == above || e.from == nil {
		return e.own
	}
	return c.both(c.executed(e.from, above), e.own)
}

// executed is the condition under which lanes that execute a part, nil for the branch, execute another one behind it.
func (c *converter) executed(p, above *part) condition {
	known, found := c.when[[2]*part{p, above}]
	switch {
	case found:
		return known
	case p == above:
		return condition{}
	case p.alike:
		return c.executed(p.above, above)
	}
	when := c.passes(p.edges[0], above)
	for _, e := range p.edges[1:] {
		x, y := c.positive(when), c.positive(c.passes(e, above))
		to := c.register("pred")
		c.emit(c.at.Pos, "or.pred %s, %s, %s", to, x, y)
		when = condition{name: to}
	}
	c.when[[2]*part{p, above}] = when
	return when
}

// always is when lanes that come to the branch execute a part.
func (c *converter) always(p *part) condition { return c.executed(p, nil) }

// both is the condition that two others hold.
func (c *converter) both(a, b condition) condition {
	switch {
	case a.name == "":
		return b
	case b.name == "":
		return a
	}
	x, y := c.positive(a), c.positive(b)
	to := c.register("pred")
	c.emit(c.at.Pos, "and.pred %s, %s, %s", to, x, y)
	return condition{name: to}
}

// positive returns a register that holds where a condition does.
func (c *converter) positive(a condition) string {
	if !a.not {
		return a.name
	}
	if c.complement[a.name] == "" {
		to := c.register("pred")
		c.emit(c.at.Pos, "not.pred %s, %s", to, a.name)
		c.complement[a.name] = to
	}
	return c.complement[a.name]
}

// choice is a register that has one of several values, by the edge along which lanes come.
type choice struct {
	name   string
	values []string // operands, by edge
	base   string   // that of most edges
	others []int    // edges with another one
}

// merged returns what registers hold where edges meet, and emits selections where it is not the same along all. At the end of the region
// the registers of the kernel get it.
func (c *converter) merged(p *part, end bool) map[string]string {
	values := map[string]string{}
	var choices []choice
	for _, name := range p.names() {
		r := c.named[name][0]
		if p.block >= 0 && !c.live.At(p.block, r) {
			continue
		}
		ch := choice{name: name}
		for _, e := range p.edges {
			v := name
			if e.from != nil && e.from.value[name] != "" {
				v = e.from.value[name]
			}
			ch.values = append(ch.values, v)
		}
		if same := !slices.ContainsFunc(ch.values, func(v string) bool { return v != ch.values[0] }); !same || end && ch.values[0] != name {
			choices = append(choices, ch)
		} else if ch.values[0] != name {
			values[name] = ch.values[0]
		}
	}
	for i := range choices {
		ch := &choices[i]
		count := map[string]int{}
		ch.base = ch.values[0]
		for _, v := range ch.values {
			if count[v]++; count[v] > count[ch.base] {
				ch.base = v
			}
		}
		for i, v := range ch.values {
			if v != ch.base {
				ch.others = append(ch.others, i)
				c.within(p, p.edges[i])
			}
		}
	}
	if end {
		c.keep(p, choices)
	}
	for i := range choices {
		ch := &choices[i]
		to := ch.name
		if !end {
			to = c.register(selected(c.kernel.Regs[c.named[ch.name][0]].Type))
		}
		c.choice(p, ch, to)
		values[ch.name] = to
	}
	return values
}

// names returns the registers that hold something else than before along some edge to a part.
func (p *part) names() []string {
	all := map[string]string{}
	for _, e := range p.edges {
		if e.from != nil {
			for name := range e.from.value {
				all[name] = name
			}
		}
	}
	return slices.Sorted(keys(all))
}

// within is the condition under which lanes come to a part along an edge, if they come there.
func (c *converter) within(p *part, e *edge) condition {
	if e.within == nil {
		when := c.passes(e, p.above)
		e.within = &when
	}
	return *e.within
}

// keep copies what selections overwrite and others read.
func (c *converter) keep(p *part, choices []choice) {
	for i := range choices {
		name, to := choices[i].name, ""
		copied := func() string {
			if to == "" {
				typ := selected(c.kernel.Regs[c.named[name][0]].Type)
				to = c.register(typ)
				c.emit(c.at.Pos, "mov.%s %s, %s", typ, to, name)
			}
			return to
		}
		for _, e := range p.edges {
			if e.within != nil && e.within.name == name && len(choices) > 1 {
				e.within.name = copied()
			}
		}
		for k := range choices {
			if k == i {
				continue
			}
			if choices[k].base == name {
				choices[k].base = copied()
			}
			for v := range choices[k].values {
				if choices[k].values[v] == name {
					choices[k].values[v] = copied()
				}
			}
		}
	}
}

// choice emits the selection of a value: that of most edges, unless lanes come along one of the others.
func (c *converter) choice(p *part, ch *choice, to string) {
	r := &c.kernel.Regs[c.named[ch.name][0]]
	typ := selected(r.Type)
	if slices.ContainsFunc(ch.values, isFloat) && r.Type.Bits() >= 32 {
		typ = "f" + bitsOf(r.Type)
	}
	if ch.others == nil {
		c.emit(c.at.Pos, "mov.%s %s, %s", typ, to, ch.base)
	}
	base := ch.base
	for n, i := range ch.others {
		next := to
		if n < len(ch.others)-1 {
			next = c.register(selected(r.Type))
		}
		c.choose(typ, next, ch.values[i], base, c.within(p, p.edges[i]))
		base = next
	}
}

// convert emits what a part computes, into new registers.
func (c *converter) convert(p *part) {
	for _, s := range p.stmts {
		in := &c.kernel.Instrs[s.code[0]]
		if in.Op == isa.Bra {
			continue
		}
		results := 0
		if in.HasResult() {
			results = 1
		}
		if c.isCopy(p, s) {
			p.value[s.Operands[0].Name] = text(&renamed(s.Operands[1:], p.value)[0])
			continue
		}
		c.locate(s.loc)
		own := *s.Instr
		if in.Op != isa.St {
			c.held(p, own.Operands)
		} else if in.Type.Bits() < 32 { // a number for a register may not be one for the memory
			c.held(p, own.Operands[1:])
		}
		own.Operands = slices.Concat(own.Operands[:min(results, len(own.Operands))], renamed(own.Operands[min(results, len(own.Operands)):], p.value))
		if own.Guard.Name != "" && p.value[own.Guard.Name] != "" {
			own.Guard.Name = p.value[own.Guard.Name]
		}
		switch in.Op {
		case isa.St:
			c.store(p, in, &own)
			continue
		case isa.Atom, isa.Red:
			c.neutralised(p, in, &own)
		}
		if results > 0 {
			fresh := map[string]string{}
			for _, name := range slices.Sorted(keys(names(own.Operands[:1]))) {
				r, written := p.writes[name]
				if !written {
					continue
				}
				typ := selected(c.kernel.Regs[r].Type)
				fresh[name] = c.register(typ)
				if own.Guard.Name != "" {
					c.emit(own.Pos, "mov.%s %s, %s", typ, fresh[name], value(p, name))
				}
				p.value[name] = fresh[name]
			}
			own.Operands = slices.Concat(renamed(own.Operands[:1], fresh), own.Operands[1:])
		}
		c.out = append(c.out, &own)
		c.note(in, &own)
	}
}

// neutralised has an atomic operation change nothing for lanes that would not execute it.
func (c *converter) neutralised(p *part, in *isa.Instr, own *ptx.Instr) {
	last := &own.Operands[len(own.Operands)-1]
	to := c.register("b" + bitsOf(in.Type))
	c.choose("b"+bitsOf(in.Type), to, text(last), neutral(in), c.always(p))
	*last = ptx.Operand{Kind: ptx.OperandName, Name: to}
}

// value is the operand that holds what a register would hold.
func value(p *part, name string) string {
	if v := p.value[name]; v != "" {
		return v
	}
	return name
}

// held has registers hold the numbers that stand for them, if an instruction with some operands reads them.
func (c *converter) held(p *part, operands []ptx.Operand) {
	for _, name := range slices.Sorted(keys(names(operands))) {
		v := p.value[name]
		if v == "" || !isNumber(v) {
			continue
		}
		r := &c.kernel.Regs[c.named[name][0]]
		typ := selected(r.Type)
		if isFloat(v) {
			typ = "f" + bitsOf(r.Type)
		}
		p.value[name] = c.register(selected(r.Type))
		c.emit(c.at.Pos, "mov.%s %s, %s", typ, p.value[name], v)
	}
}

// isCopy reports whether an instruction moves a number, or a register to another one of its type: what is moved stands for the
// register then.
func (c *converter) isCopy(p *part, s *stmt) bool {
	in := &c.kernel.Instrs[s.code[0]]
	if len(s.code) != 1 || in.Op != isa.Mov || in.Type == isa.Pred || s.Guard.Name != "" || len(s.Operands) != 2 || s.Operands[0].Kind != ptx.OperandName {
		return false
	}
	if _, written := p.writes[s.Operands[0].Name]; !written {
		return false
	}
	to := c.kernel.Regs[in.Dst[0].Reg].Type
	switch o := &s.Operands[1]; in.Src[0].Kind {
	case isa.KindReg:
		return o.Kind == ptx.OperandName && len(c.named[o.Name]) == 1 && c.kernel.Regs[in.Src[0].Reg].Type == to
	case isa.KindImm:
		return o.Kind == ptx.OperandExpr && isNumber(text(o)) && (to.Bits() >= 32 || !isFloat(text(o)))
	}
	return false
}

// isNumber reports whether an operand is the text of a number.
func isNumber(operand string) bool {
	return operand[0] >= '0' && operand[0] <= '9' || operand[0] == '-'
}

// isFloat reports whether it is one of a floating-point number.
func isFloat(operand string) bool {
	lower := strings.ToLower(operand)
	return strings.HasPrefix(lower, "0f") || strings.HasPrefix(lower, "0d") || isNumber(operand) && strings.Contains(operand, ".")
}

func bitsOf(t isa.Type) string { return strconv.Itoa(t.Bits()) }

// choose emits the selection of one of two operands by a condition.
func (c *converter) choose(typ, to, yes, no string, when condition) {
	if when.not {
		yes, no = no, yes
	}
	switch {
	case when.name == "":
		c.emit(c.at.Pos, "mov.%s %s, %s", typ, to, yes)
	case typ != "pred":
		c.emit(c.at.Pos, "selp.%s %s, %s, %s, %s", typ, to, yes, no, when.name)
	default:
		t, u := c.register("pred"), c.register("pred")
		c.emit(c.at.Pos, "xor.pred %s, %s, %s", t, yes, no)
		c.emit(c.at.Pos, "and.pred %s, %s, %s", u, t, when.name)
		c.emit(c.at.Pos, "xor.pred %s, %s, %s", to, u, no)
	}
}

// store emits a store of what lanes would have stored, or else of what is there.
func (c *converter) store(p *part, in *isa.Instr, own *ptx.Instr) {
	values := stored(own)
	shape := strings.TrimPrefix(own.Mnemonic, "st")
	for _, word := range []string{".wb", ".cg", ".cs", ".wt", ".weak"} {
		shape = strings.Replace(shape, word, "", 1)
	}
	guard := ""
	if own.Guard.Name != "" {
		guard = "@" + own.Guard.Name + " "
		if own.Guard.Not {
			guard = "@!" + own.Guard.Name + " "
		}
	}
	types := make([]string, len(values))
	for i, v := range values {
		types[i] = c.widthOf(v, in.Type)
	}
	address := text(&own.Operands[0])
	before := c.before(p, in, address, types)
	if before == nil {
		for _, t := range types {
			before = append(before, c.register(t))
		}
		c.emit(own.Pos, "%sld%s %s, %s", guard, shape, list(before), address)
	}
	var now []string
	for i, v := range values {
		to := c.register(types[i])
		by := types[i]
		if isFloat(v) && in.Type.IsFloat() && in.Type.Bits() >= 32 {
			by = in.Type.String()
		}
		c.choose(by, to, v, before[i], c.always(p))
		now = append(now, to)
	}
	c.emit(own.Pos, "%s%s %s, %s", guard, own.Mnemonic, address, list(now))
	for i := range c.known { // where the part is not executed, memory is as before
		if k := &c.known[i]; k.only == nil {
			k.only = p
		}
	}
	c.known = slices.DeleteFunc(c.known, func(k known) bool { return k.only != p })
	if guard == "" {
		c.known = append(c.known, known{space: in.Space, typ: in.Type, address: address, values: now, types: types, uses: addressed(own)})
	}
}

// list is an operand of one register or of several.
func list(registers []string) string {
	if len(registers) == 1 {
		return registers[0]
	}
	return "{" + strings.Join(registers, ", ") + "}"
}

// widthOf is the type of the register that holds a value to be stored.
func (c *converter) widthOf(value string, t isa.Type) string {
	if regs := c.named[value]; len(regs) == 1 {
		return selected(c.kernel.Regs[regs[0]].Type)
	}
	for _, typ := range []string{"b16", "b32", "b64"} { // those of this package
		if strings.HasPrefix(value, c.prefix+"_"+typ+"_") {
			return typ
		}
	}
	if t.Bits() <= 16 {
		return "b16"
	}
	return "b" + bitsOf(t)
}

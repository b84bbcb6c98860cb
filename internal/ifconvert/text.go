package ifconvert

import (
	"slices"
	"strings"

	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
)

// names returns all names in operands.
func names(list []ptx.Operand) map[string]bool {
	found := map[string]bool{}
	operands(list, func(name string) string {
		found[name] = true
		base, _, _ := strings.Cut(name, ".")
		found[base] = true
		return name
	})
	return found
}

// renamed returns operands with other names of registers.
func renamed(list []ptx.Operand, to map[string]string) []ptx.Operand {
	return operands(list, func(name string) string {
		if n := to[name]; n != "" {
			return n
		}
		return name
	})
}

// operands returns operands with other names.
func operands(list []ptx.Operand, by func(string) string) []ptx.Operand {
	out := slices.Clone(list)
	for i := range out {
		o := &out[i]
		if o.Name != "" {
			o.Name = by(o.Name)
		}
		o.Expr = expression(o.Expr, by)
		o.List = operands(o.List, by)
	}
	return out
}

func expression(e *ptx.Expr, by func(string) string) *ptx.Expr {
	if e == nil {
		return nil
	}
	out := *e
	if e.Kind == ptx.ExprName || e.Kind == ptx.ExprIndex {
		out.Text = by(e.Text)
	}
	out.Args = make([]*ptx.Expr, len(e.Args))
	for i, a := range e.Args {
		out.Args[i] = expression(a, by)
	}
	return &out
}

// text is an operand as PTX.
func text(o *ptx.Operand) string {
	in := ptx.Instr{Operands: []ptx.Operand{*o}}
	return strings.TrimSpace(in.String())
}

// stored returns the values that a store writes; nil if it has another form.
func stored(in *ptx.Instr) []string {
	if len(in.Operands) != 2 || in.Operands[0].Kind != ptx.OperandAddr {
		return nil
	}
	list := []ptx.Operand{in.Operands[1]}
	if list[0].Kind == ptx.OperandVector {
		list = list[0].List
	}
	var values []string
	for i := range list {
		o := &list[i]
		if o.Kind != ptx.OperandName && o.Kind != ptx.OperandExpr || o.Not || strings.Contains(o.Name, ".") || o.Name == "_" {
			return nil
		}
		values = append(values, text(o))
	}
	return values
}

// known is what is in memory: registers hold it.
type known struct {
	space   isa.Space
	typ     isa.Type
	address string // as an operand
	values  []string
	types   []string // of the registers
	uses    []string // the registers in address
	only    *part    // nil, or for lanes alone that would not execute this part
}

// before returns registers of some types that hold what a part is to store again.
func (c *converter) before(p *part, in *isa.Instr, address string, types []string) []string {
	for _, k := range c.known {
		if k.space == in.Space && k.typ.Bits() == in.Type.Bits() && k.address == address && slices.Equal(k.types, types) && (k.only == nil || k.only == p) {
			return k.values
		}
	}
	return nil
}

// addressed returns the names in the address of an access.
func addressed(in *ptx.Instr) []string {
	i := slices.IndexFunc(in.Operands, func(o ptx.Operand) bool { return o.Kind == ptx.OperandAddr })
	return slices.Sorted(keys(names(in.Operands[i : i+1])))
}

// passed notes an instruction that stands before the branch.
func (c *converter) passed(i int) {
	in := &c.kernel.Instrs[i]
	s := c.stmts[position(in.Pos)]
	if s == nil || s.nested || len(s.code) > 1 {
		c.forgetMemory()
		in.Writes(func(r isa.Reg) { c.forget(c.kernel.Regs[r].Name) })
		return
	}
	c.note(in, s.Instr)
}

// note notes what an instruction does to what is known of memory.
func (c *converter) note(in *isa.Instr, own *ptx.Instr) {
	info := in.Op.Info()
	if info.Effect&(isa.WritesMem|isa.Barriers|isa.Crosslane|isa.Branches) != 0 || in.Op == isa.Fence || info.Unit == isa.UnitSync || info.Unit == isa.NoUnit {
		c.forgetMemory()
	}
	if !in.HasResult() {
		return
	}
	var results []string
	for name := range names(own.Operands[:1]) {
		results = append(results, name)
		c.forget(name)
	}
	order, _ := in.Strength()
	if in.Op != isa.Ld || order != isa.OrderWeak || own.Guard.Name != "" || in.Space == isa.Param || len(own.Operands) != 2 {
		return
	}
	uses := addressed(own)
	if slices.ContainsFunc(results, func(name string) bool { return slices.Contains(uses, name) }) {
		return
	}
	k := known{space: in.Space, typ: in.Type, address: text(&own.Operands[1]), uses: uses}
	list := own.Operands[:1]
	if list[0].Kind == ptx.OperandVector {
		list = list[0].List
	}
	for i := range list {
		if list[i].Kind != ptx.OperandName || strings.Contains(list[i].Name, ".") || list[i].Name == "_" {
			return
		}
		k.values = append(k.values, list[i].Name)
		k.types = append(k.types, c.widthOf(list[i].Name, in.Type))
	}
	c.known = append(c.known, k)
}

// forget drops what is known by means of a register.
func (c *converter) forget(name string) {
	c.known = slices.DeleteFunc(c.known, func(k known) bool { return slices.Contains(k.values, name) || slices.Contains(k.uses, name) })
}

// forgetMemory drops all that is known of memory.
func (c *converter) forgetMemory() { c.known = nil }

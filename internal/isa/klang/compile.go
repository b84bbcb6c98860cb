package klang

import (
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa/minisimt"
)

// firstAddress is where the code of a kernel begins, as in the paper.
const firstAddress = 100

// Compile makes mini-SIMT machine code of a module. The error lists what is wrong with
// its names and types, with positions.
//
// Operators become one instruction each, in the order of the text, and so do conversions,
// reading an element and writing one; the address of an element is one more. An
// assignment of what was computed copies it, a compound assignment to a variable computes
// in place. Three things are done beyond that:
//
//   - What is computed in a loop, without reading memory, from what the loop does not
//     change is computed before the outermost such loop.
//   - Numbers, parameters and the machine's variables are copied to variables at the
//     beginning of a run of instructions without branches, as far as the order of
//     assignments to the variable allows.
//   - The right operand of && and || is evaluated in any case if it reads no memory.
//
// An if is a branch over its statements, with a sync behind; a loop is a branch at its
// head to a sync behind its end.
func Compile(m *Module) (*minisimt.Module, error) {
	out := &minisimt.Module{File: m.File}
	var errs diag.List
	for i, k := range m.Kernels {
		if slices.ContainsFunc(m.Kernels[:i], func(o *Kernel) bool { return o.Name == k.Name }) {
			errs.Add(diag.Errorf(k.Pos, "there are two kernels %s", k.Name))
		}
		if minisimt.Reserved(k.Name) {
			errs.Add(diag.Errorf(k.Pos, "%s cannot be the name of a kernel: the word is reserved in machine code", k.Name))
		}
		c := newChecker(&errs)
		body := c.kernel(k)
		if errs.Len() == 0 {
			g := &generator{checker: c, hoisted: make(map[*expr]minisimt.Value)}
			out.Kernels = append(out.Kernels, g.kernel(k, body))
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// generator makes the code of one kernel.
type generator struct {
	*checker
	out     *minisimt.Kernel
	run     int // where the run of instructions without branches begins
	temps   int
	hoisted map[*expr]minisimt.Value // what was computed before a loop
}

func (g *generator) kernel(k *Kernel, body []stmt) *minisimt.Kernel {
	g.out = &minisimt.Kernel{Name: k.Name, Start: firstAddress, Pos: k.Pos}
	for i, v := range g.params {
		g.out.Params = append(g.out.Params, minisimt.Var{Name: v.name, Type: v.typ, Pos: k.Params[i].Pos})
	}
	for _, v := range g.params {
		if v.assigned { // parameters of machine code do not change
			from := minisimt.Value{Name: v.name, Pos: k.Pos}
			v.name, v.param = g.fresh(v.name), false
			g.vars = append(g.vars, v)
			g.copy(v.name, from, k.Pos)
		}
	}
	g.list(body)
	for _, v := range g.vars {
		g.out.Vars = append(g.out.Vars, minisimt.Var{Name: v.name, Type: v.typ, Pos: k.Pos})
	}
	slices.SortStableFunc(g.out.Vars, func(a, b minisimt.Var) int { return int(a.Type) - int(b.Type) })
	return g.out
}

// temp returns a new variable.
func (g *generator) temp(typ minisimt.Type) string {
	g.temps++
	name := g.fresh(fmt.Sprint("t", g.temps))
	g.vars = append(g.vars, &variable{name: name, typ: typ})
	return name
}

// emit appends an instruction and returns its index.
func (g *generator) emit(in minisimt.Instr) int {
	g.out.Code = append(g.out.Code, in)
	return len(g.out.Code) - 1
}

// here begins a run of instructions and returns its address.
func (g *generator) here() int {
	g.run = len(g.out.Code)
	return g.out.Start + g.run
}

// land makes a branch go to the next instruction.
func (g *generator) land(branch int) { g.out.Code[branch].Target = g.here() }

func (g *generator) sync(pos diag.Pos) {
	g.emit(minisimt.Instr{Op: minisimt.Sync, Pos: pos})
	g.here()
}

// copy assigns a variable or number. What does not change goes to the beginning of the
// run.
func (g *generator) copy(to string, from minisimt.Value, pos diag.Pos) {
	in := minisimt.Instr{Op: minisimt.Const, Dst: to, A: from, Pos: pos}
	at := len(g.out.Code)
	if g.fixed(&in) {
		for at > g.run && !g.fixed(&g.out.Code[at-1]) && !mentions(&g.out.Code[at-1], to) {
			at--
		}
	}
	g.out.Code = slices.Insert(g.out.Code, at, in)
}

// fixed reports whether an instruction copies what does not change.
func (g *generator) fixed(in *minisimt.Instr) bool {
	name := in.A.Name
	return in.Op == minisimt.Const && (name == "" || slices.Contains(minisimt.Specials(), name) ||
		slices.ContainsFunc(g.out.Params, func(p minisimt.Var) bool { return p.Name == name }))
}

func mentions(in *minisimt.Instr, name string) bool {
	return in.Dst == name || in.A.Name == name || in.B.Name == name
}

func (g *generator) list(list []stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *assign:
			g.assign(s)
		case *store:
			g.store(s)
		case *branch:
			g.branch(s)
		case *loop:
			g.loop(s)
		case *barrier:
			g.emit(minisimt.Instr{Op: minisimt.Barrier, B: minisimt.Value{Name: "Ntid", Pos: s.pos}, Pos: s.pos})
			g.here()
		}
	}
}

func (g *generator) assign(s *assign) {
	switch e := s.value; {
	case e == nil:
	case s.inPlace:
		b := g.value(e.b)
		g.emit(minisimt.Instr{Op: minisimt.Binop, Dst: s.v.name, A: g.value(e.a), Operator: e.op, B: b, Pos: s.pos})
	case (e.op == "int" || e.op == "float") && e.a.typ != minisimt.Bool && g.hoisted[e].Name == "":
		g.copy(s.v.name, g.value(e.a), s.pos)
	default:
		g.copy(s.v.name, g.value(e), s.pos)
	}
}

// store evaluates the address first. A compound assignment reads the element through it.
func (g *generator) store(s *store) {
	to := g.value(s.to)
	if s.operator != "" {
		g.hoisted[s.to] = to
		defer delete(g.hoisted, s.to)
	}
	value := g.value(s.value)
	g.emit(minisimt.Instr{Op: minisimt.Store, A: to, B: value, Pos: s.pos})
}

func (g *generator) branch(s *branch) {
	over := g.unless(s.cond)
	g.list(s.then)
	if len(s.els) > 0 {
		end := g.emit(minisimt.Instr{Op: minisimt.Jump, Pos: s.ifPosition})
		g.land(over)
		g.list(s.els)
		over = end
	}
	g.land(over)
	g.sync(s.ifPosition)
}

func (g *generator) loop(s *loop) {
	before := g.hoist(s)
	head := g.here()
	leave := g.unless(s.cond)
	g.list(s.body)
	g.list(s.post)
	g.emit(minisimt.Instr{Op: minisimt.Jump, Target: head, Pos: s.pos})
	g.land(leave)
	g.sync(s.pos)
	for _, e := range before {
		delete(g.hoisted, e)
	}
}

// unless emits a branch that is taken where the condition does not hold.
func (g *generator) unless(e *expr) int {
	op, other := minisimt.Bz, minisimt.Bnz
	for g.hoisted[e].Name == "" {
		zero := isComparison(e.op) && e.a.typ == minisimt.Int && e.b.op == "number" && e.b.leaf.Int == 0
		if e.op != "!" && !(zero && (e.op == "==" || e.op == "!=")) {
			break
		}
		if e.op != "!=" {
			op, other = other, op
		}
		e = e.a
	}
	if e.typ == minisimt.Float {
		e = g.convert(e, minisimt.Bool)
	}
	v := g.value(e)
	if g.fixed(&minisimt.Instr{Op: minisimt.Const, A: v}) {
		t := g.temp(e.typ)
		g.copy(t, v, e.pos)
		v = minisimt.Value{Name: t, Pos: e.pos}
	}
	at := g.emit(minisimt.Instr{Op: op, A: v, Pos: e.pos})
	g.here()
	return at
}

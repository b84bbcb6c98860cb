package klang

import (
	"fmt"

	"warpbound/internal/isa/minisimt"
)

// value emits what computes an expression and returns where the result is.
func (g *generator) value(e *expr) minisimt.Value {
	if v, ok := g.hoisted[e]; ok {
		return v
	}
	number := func(n int32) minisimt.Value {
		if e.typ == minisimt.Float {
			return minisimt.Value{IsFloat: true, Float: float32(n), Pos: e.pos}
		}
		return minisimt.Value{Int: n, Pos: e.pos}
	}
	switch e.op {
	case "number":
		return e.leaf
	case "var":
		if e.v == nil {
			return e.leaf
		}
		return minisimt.Value{Name: e.v.name, Pos: e.pos}
	case "load":
		in := minisimt.Instr{Op: minisimt.Load, A: g.value(e.a)}
		return g.result(e, in)
	case "int", "float":
		a := g.value(e.a)
		if e.a.typ == minisimt.Bool {
			return g.binop(e, a, "*", number(1))
		}
		return g.result(e, minisimt.Instr{Op: minisimt.Const, A: a})
	case "-":
		if e.b == nil && e.typ == minisimt.Float {
			return g.binop(e, g.value(e.a), "*", number(-1)) // also of zero
		}
		if e.b == nil {
			return g.binop(e, number(0), "-", g.value(e.a))
		}
	case "~":
		return g.binop(e, g.value(e.a), "^", number(-1))
	case "!":
		return g.binop(e, g.value(e.a), "^", number(1))
	case "&&", "||":
		return g.both(e)
	}
	a := g.value(e.a)
	return g.binop(e, a, e.op, g.value(e.b))
}

// result emits an instruction with a new variable for its result.
func (g *generator) result(e *expr, in minisimt.Instr) minisimt.Value {
	in.Dst, in.Pos = g.temp(e.typ), e.pos
	g.emit(in)
	return minisimt.Value{Name: in.Dst, Pos: e.pos}
}

func (g *generator) binop(e *expr, a minisimt.Value, operator string, b minisimt.Value) minisimt.Value {
	return g.result(e, minisimt.Instr{Op: minisimt.Binop, A: a, Operator: operator, B: b})
}

// both evaluates && and ||: the right operand only where it matters if it reads memory.
func (g *generator) both(e *expr) minisimt.Value {
	a := g.value(e.a)
	if pure(e.b) {
		return g.binop(e, a, e.op[:1], g.value(e.b))
	}
	v := g.result(e, minisimt.Instr{Op: minisimt.Const, A: a})
	op := minisimt.Bz
	if e.op == "||" {
		op = minisimt.Bnz
	}
	over := g.emit(minisimt.Instr{Op: op, A: v, Pos: e.pos})
	g.here()
	g.copy(v.Name, g.value(e.b), e.pos)
	g.land(over)
	g.sync(e.pos)
	return v
}

// pure reports whether an expression reads no memory.
func pure(e *expr) bool {
	return e == nil || e.op != "load" && pure(e.a) && pure(e.b)
}

// hoist computes before a loop what it does not change, equal expressions once, and
// returns these expressions.
func (g *generator) hoist(s *loop) []*expr {
	changed := make(map[*variable]bool)
	changes(s.body, changed)
	changes(s.post, changed)
	var list []*expr
	known := make(map[string]minisimt.Value)
	var visit func(e *expr)
	visit = func(e *expr) {
		if _, ok := g.hoisted[e]; ok || e == nil || e.isLeaf() {
			return
		}
		if !invariant(e, changed) {
			visit(e.a)
			visit(e.b)
			return
		}
		v, ok := known[e.String()]
		if !ok {
			v = g.value(e)
			known[e.String()] = v
		}
		g.hoisted[e] = v
		list = append(list, e)
	}
	each([]stmt{s}, visit)
	return list
}

// invariant reports whether an expression reads neither memory nor what changes.
func invariant(e *expr, changed map[*variable]bool) bool {
	return e == nil || e.op != "load" && !changed[e.v] && invariant(e.a, changed) && invariant(e.b, changed)
}

// String renders the expression, with the names of the machine code.
func (e *expr) String() string {
	switch {
	case e.v != nil:
		return e.v.name
	case e.isLeaf():
		return e.leaf.String()
	case e.b == nil:
		return fmt.Sprintf("%s(%s)", e.op, e.a)
	}
	return fmt.Sprintf("(%s %s %s)", e.a, e.op, e.b)
}

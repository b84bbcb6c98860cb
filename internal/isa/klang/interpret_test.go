package klang

import (
	"math"

	"warpbound/internal/isa/minisimt"
)

// interpreter executes a kernel as C says, one thread at a time, from the syntax: it
// knows neither the checker nor the compiler.
type interpreter struct {
	scopes []map[string]*cell
	tid    int32
}

// cell is a value of type int or float; pointers are the words that they point to.
type cell struct {
	isFloat bool
	i       int32
	x       float32
	words   []int32
}

func integer(n int32) cell { return cell{i: n} }

func truth(b bool) cell {
	if b {
		return integer(1)
	}
	return integer(0)
}

func (c cell) holds() bool { return c.isFloat && c.x != 0 || !c.isFloat && c.i != 0 }

func (c cell) float() float32 {
	if c.isFloat {
		return c.x
	}
	return float32(c.i)
}

// as converts to the type that a variable has.
func (c cell) as(isFloat bool) cell {
	switch {
	case isFloat:
		return cell{isFloat: true, x: c.float()}
	case c.isFloat:
		return integer(int32(min(max(float64(c.x), math.MinInt32), math.MaxInt32)))
	}
	return c
}

func (p *interpreter) find(name string) *cell {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		if c := p.scopes[i][name]; c != nil {
			return c
		}
	}
	return nil
}

func (p *interpreter) block(list []Stmt) {
	p.scopes = append(p.scopes, map[string]*cell{})
	p.list(list)
	p.scopes = p.scopes[:len(p.scopes)-1]
}

func (p *interpreter) list(list []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *Decl:
			made := p.value(s.Value).as(s.Var.Type == minisimt.Float)
			p.scopes[len(p.scopes)-1][s.Var.Name] = &made
		case *Assign:
			p.assign(s)
		case *If:
			if p.value(s.Cond).holds() {
				p.block(s.Then)
			} else {
				p.block(s.Else)
			}
		case *Loop:
			p.scopes = append(p.scopes, map[string]*cell{})
			if s.Init != nil {
				p.list([]Stmt{s.Init})
			}
			for p.value(s.Cond).holds() {
				p.block(s.Body)
				if s.Post != nil {
					p.list([]Stmt{s.Post})
				}
			}
			p.scopes = p.scopes[:len(p.scopes)-1]
		case *Block:
			p.block(s.Body)
		}
	}
}

func (p *interpreter) assign(s *Assign) {
	value := p.value(s.Value)
	if s.Operator != "" {
		value = operate(s.Operator, p.value(s.To), value)
	}
	if s.To.Op == "[]" {
		p.find(s.To.A.Leaf.Name).words[p.value(s.To.B).i] = value.as(false).i
		return
	}
	to := p.find(s.To.Leaf.Name)
	*to = value.as(to.isFloat)
}

func (p *interpreter) value(e *Expr) cell {
	switch e.Op {
	case "number":
		return cell{isFloat: e.Leaf.IsFloat, i: e.Leaf.Int, x: e.Leaf.Float}
	case "name":
		if e.Leaf.Name == "Tid" {
			return integer(p.tid)
		}
		return *p.find(e.Leaf.Name)
	case "[]":
		return integer(p.find(e.A.Leaf.Name).words[p.value(e.B).i])
	case "&&":
		return truth(p.value(e.A).holds() && p.value(e.B).holds())
	case "||":
		return truth(p.value(e.A).holds() || p.value(e.B).holds())
	}
	a := p.value(e.A)
	switch {
	case e.Op == "!":
		return truth(!a.holds())
	case e.Op == "~":
		return integer(^a.i)
	case e.Op == "int" || e.Op == "float":
		return a.as(e.Op == "float")
	case e.B == nil && a.isFloat:
		return cell{isFloat: true, x: -a.x}
	case e.B == nil:
		return integer(-a.i)
	}
	return operate(e.Op, a, p.value(e.B))
}

func operate(op string, a, b cell) cell {
	if a.isFloat || b.isFloat {
		x, y := a.float(), b.float()
		switch op {
		case "+":
			return cell{isFloat: true, x: x + y}
		case "-":
			return cell{isFloat: true, x: x - y}
		case "*":
			return cell{isFloat: true, x: x * y}
		}
		return compare(op, x, y)
	}
	switch op {
	case "+":
		return integer(a.i + b.i)
	case "-":
		return integer(a.i - b.i)
	case "*":
		return integer(a.i * b.i)
	case "/":
		return integer(a.i / b.i)
	case "%":
		return integer(a.i % b.i)
	case "&":
		return integer(a.i & b.i)
	case "|":
		return integer(a.i | b.i)
	case "^":
		return integer(a.i ^ b.i)
	case "<<":
		return integer(a.i << b.i)
	case ">>":
		return integer(a.i >> b.i)
	}
	return compare(op, a.i, b.i)
}

func compare[T int32 | float32](op string, a, b T) cell {
	switch op {
	case "<":
		return truth(a < b)
	case "<=":
		return truth(a <= b)
	case ">":
		return truth(a > b)
	case ">=":
		return truth(a >= b)
	case "==":
		return truth(a == b)
	}
	return truth(a != b)
}

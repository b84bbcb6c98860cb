package klang

import (
	"warpbound/diag"
)

// stmt is a statement whose names and types are known: *assign, *store, *branch, *loop or
// *barrier.
type stmt interface{}

// assign assigns to a variable.
type assign struct {
	v       *variable
	value   *expr // nil for a declaration without an initial value
	inPlace bool  // the value is an operation on v itself
	pos     diag.Pos
}

// store assigns to the element that a pointer points to: the value, or the result of the
// operator on the element and the value.
type store struct {
	to       *expr
	operator string
	value    *expr
	pos      diag.Pos
}

type branch struct {
	cond       *expr
	then, els  []stmt
	ifPosition diag.Pos
}

// loop has its Init before it.
type loop struct {
	cond       *expr
	body, post []stmt
	pos        diag.Pos
}

type barrier struct{ pos diag.Pos }

// kernel checks a kernel and returns its statements.
func (c *checker) kernel(k *Kernel) []stmt {
	for _, p := range k.Params {
		v := c.declare(p)
		v.param = true
		c.params = append(c.params, v)
	}
	return c.block(k.Body)
}

// block checks statements with a scope of their own.
func (c *checker) block(list []Stmt) []stmt {
	c.push()
	defer c.pop()
	return c.list(list)
}

func (c *checker) list(list []Stmt) []stmt {
	var out []stmt
	for _, s := range list {
		switch s := s.(type) {
		case *Decl:
			out = append(out, c.declaration(s))
		case *Assign:
			out = append(out, c.assign(s))
		case *If:
			cond := c.condition(s.Cond)
			out = append(out, &branch{cond, c.block(s.Then), c.block(s.Else), s.Pos})
		case *Loop:
			out = append(out, c.loop(s)...)
		case *Block:
			out = append(out, c.block(s.Body)...)
		case *Barrier:
			out = append(out, &barrier{s.Pos})
		}
	}
	return out
}

func (c *checker) loop(s *Loop) []stmt {
	c.push()
	defer c.pop()
	var out []stmt
	if s.Init != nil {
		out = c.list([]Stmt{s.Init})
	}
	made := &loop{cond: c.condition(s.Cond), body: c.block(s.Body), pos: s.Pos}
	if s.Post != nil {
		made.post = c.list([]Stmt{s.Post})
	}
	return append(out, made)
}

// declaration checks a declaration. The variable does not stand for itself in its own
// initial value.
func (c *checker) declaration(d *Decl) stmt {
	var value *expr
	if d.Value != nil {
		value = c.as(d.Value, d.Var.Type)
	}
	v := c.declare(d.Var)
	c.vars = append(c.vars, v)
	return &assign{v: v, value: value, pos: d.Var.Pos}
}

func (c *checker) assign(s *Assign) stmt {
	if s.To.Op == "[]" {
		return c.store(s)
	}
	v := c.find(s.To.Leaf)
	if v == nil {
		return nil
	}
	v.assigned = true
	if s.Operator == "" {
		return &assign{v: v, value: c.as(s.Value, v.typ), pos: s.Pos}
	}
	value := c.as(&Expr{Op: s.Operator, A: s.To, B: s.Value, Pos: s.Pos}, v.typ)
	inPlace := value != nil && value.op == s.Operator && value.a.v == v
	return &assign{v: v, value: value, inPlace: inPlace, pos: s.Pos}
}

func (c *checker) store(s *Assign) stmt {
	to := c.element(s.To)
	if to == nil {
		return nil
	}
	elem := to.typ.Elem()
	if s.Operator == "" {
		return &store{to: to, value: c.as(s.Value, elem), pos: s.Pos}
	}
	old := &expr{op: "load", typ: elem, a: to, pos: s.Pos}
	value := c.expr(s.Value)
	if value == nil {
		return nil
	}
	result := c.binary(&Expr{Op: s.Operator, Pos: s.Pos}, old, value)
	if result == nil {
		return nil
	}
	return &store{to: to, operator: s.Operator, value: c.convert(result, elem), pos: s.Pos}
}

// each calls visit for all expressions of statements, in the order in which a loop of
// them evaluates them first.
func each(list []stmt, visit func(*expr)) {
	for _, s := range list {
		switch s := s.(type) {
		case *assign:
			if s.value != nil {
				visit(s.value)
			}
		case *store:
			visit(s.to)
			visit(s.value)
		case *branch:
			visit(s.cond)
			each(s.then, visit)
			each(s.els, visit)
		case *loop:
			visit(s.cond)
			each(s.body, visit)
			each(s.post, visit)
		}
	}
}

// changes adds the variables that statements assign to.
func changes(list []stmt, to map[*variable]bool) {
	for _, s := range list {
		switch s := s.(type) {
		case *assign:
			to[s.v] = true
		case *branch:
			changes(s.then, to)
			changes(s.els, to)
		case *loop:
			changes(s.body, to)
			changes(s.post, to)
		}
	}
}

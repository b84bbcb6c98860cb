package klang

import (
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa/clex"
	"warpbound/internal/isa/minisimt"
)

// Parse reads a module. The first error that it finds is returned, with its position.
// Names and types are checked by Compile.
func Parse(file string, src []byte) (*Module, error) {
	tokens, err := clex.NewCursor(file, src)
	if err != nil {
		return nil, err
	}
	p := &parser{Cursor: tokens}
	m := &Module{File: file}
	for p.Peek().Kind != clex.End {
		k, err := p.kernel()
		if err != nil {
			return nil, err
		}
		m.Kernels = append(m.Kernels, k)
	}
	if len(m.Kernels) == 0 {
		return nil, diag.Errorf(p.Peek().Pos, "the module has no kernel; one begins with: __kernel NAME(int n) {")
	}
	return m, nil
}

type parser struct {
	clex.Cursor
	depth int // of nested statements and expressions
}

// maxDepth bounds how deeply statements and expressions may be nested.
const maxDepth = 500

// enter notes that a statement or expression is begun; the caller must leave it.
func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return diag.Errorf(p.Peek().Pos, "statements or expressions are nested more than %d deep", maxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// keywords may not name anything.
var keywords = []string{"__kernel", "void", "int", "float", "if", "else", "while", "for", "do", "break", "continue", "return", "_syncthreads", "__syncthreads"}

func (p *parser) name(what string) (clex.Token, error) {
	t := p.Next()
	switch {
	case t.Kind != clex.Word:
		return t, diag.Errorf(t.Pos, "want the name of %s, not %s", what, t)
	case slices.Contains(keywords, t.Text) || slices.Contains(minisimt.Specials(), t.Text):
		return t, diag.Errorf(t.Pos, "%s cannot be the name of %s: the word is reserved", t, what)
	}
	return t, nil
}

func (p *parser) kernel() (*Kernel, error) {
	k := &Kernel{Pos: p.Peek().Pos}
	if err := p.Expect("__kernel"); err != nil {
		return nil, err
	}
	p.Accept("void")
	name, err := p.name("a kernel")
	if err != nil {
		return nil, err
	}
	k.Name = name.Text
	if err := p.Expect("("); err != nil {
		return nil, err
	}
	for !p.Accept(")") {
		if len(k.Params) > 0 {
			if err := p.Expect(","); err != nil {
				return nil, err
			}
		}
		typ, err := p.typeName()
		if err != nil {
			return nil, err
		}
		v, err := p.declarator(typ, "a parameter")
		if err != nil {
			return nil, err
		}
		k.Params = append(k.Params, v)
	}
	if !p.Peek().Is("{") {
		return nil, p.Expect("{")
	}
	k.Body, err = p.block()
	return k, err
}

func isType(t clex.Token) bool { return t.Is("int") || t.Is("float") }

// typeName reads int or float.
func (p *parser) typeName() (minisimt.Type, error) {
	switch t := p.Next(); {
	case t.Is("int"):
		return minisimt.Int, nil
	case t.Is("float"):
		return minisimt.Float, nil
	default:
		return minisimt.NoType, diag.Errorf(t.Pos, "want a type (int, float, int*, float*), not %s", t)
	}
}

// declarator reads the name of a variable of a type, or behind a star of a pointer to it.
func (p *parser) declarator(typ minisimt.Type, what string) (minisimt.Var, error) {
	if p.Accept("*") {
		typ = typ.Pointer()
	}
	name, err := p.name(what)
	return minisimt.Var{Name: name.Text, Type: typ, Pos: name.Pos}, err
}

// block reads statements in braces.
func (p *parser) block() ([]Stmt, error) {
	if err := p.Expect("{"); err != nil {
		return nil, err
	}
	var body []Stmt
	for !p.Accept("}") {
		list, err := p.statement()
		if err != nil {
			return nil, err
		}
		body = append(body, list...)
	}
	return body, nil
}

// statement reads a statement. A declaration of several variables is as many, and an
// empty statement none.
func (p *parser) statement() ([]Stmt, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	switch t := p.Peek(); {
	case t.Is("{"):
		body, err := p.block()
		return []Stmt{&Block{body}}, err
	case t.Is("if"):
		s, err := p.condition()
		return []Stmt{s}, err
	case t.Is("while"), t.Is("for"):
		s, err := p.loop()
		return []Stmt{s}, err
	case t.Is(";"):
		p.Next()
		return nil, nil
	case t.Is("do"), t.Is("break"), t.Is("continue"), t.Is("return"):
		return nil, diag.Errorf(t.Pos, "the language has no %s: loops are while and for, and lanes leave them by their conditions", t.Text)
	}
	list, err := p.simple()
	if err != nil {
		return nil, err
	}
	return list, p.Expect(";")
}

// body reads the statement that an if or a loop controls.
func (p *parser) body() ([]Stmt, error) {
	if p.Peek().Is("{") {
		return p.block()
	}
	return p.statement()
}

func (p *parser) condition() (*If, error) {
	s := &If{Pos: p.Next().Pos}
	var err error
	if s.Cond, err = p.parenthesised(); err != nil {
		return nil, err
	}
	if s.Then, err = p.body(); err != nil {
		return nil, err
	}
	if p.Accept("else") {
		s.Else, err = p.body()
	}
	return s, err
}

func (p *parser) parenthesised() (*Expr, error) {
	if err := p.Expect("("); err != nil {
		return nil, err
	}
	e, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	return e, p.Expect(")")
}

func (p *parser) loop() (*Loop, error) {
	t := p.Next()
	s := &Loop{Pos: t.Pos}
	var err error
	if t.Text == "while" {
		s.Cond, err = p.parenthesised()
	} else {
		err = p.header(s)
	}
	if err != nil {
		return nil, err
	}
	s.Body, err = p.body()
	return s, err
}

// header reads the parentheses of a for.
func (p *parser) header(s *Loop) (err error) {
	if err = p.Expect("("); err != nil {
		return err
	}
	if !p.Peek().Is(";") {
		list, err := p.simple()
		if err != nil {
			return err
		}
		if s.Init = list[0]; len(list) > 1 {
			return diag.Errorf(list[1].(*Decl).Var.Pos, "a loop declares one variable; declare others before it")
		}
	}
	if err = p.Expect(";"); err != nil {
		return err
	}
	if p.Peek().Is(";") {
		return diag.Errorf(p.Peek().Pos, "a loop needs a condition by which lanes leave it")
	}
	if s.Cond, err = p.expression(0); err != nil {
		return err
	}
	if err = p.Expect(";"); err != nil {
		return err
	}
	if p.Accept(")") {
		return nil
	}
	if isType(p.Peek()) {
		return diag.Errorf(p.Peek().Pos, "want an assignment, not %s", p.Peek())
	}
	list, err := p.simple()
	if err != nil {
		return err
	}
	s.Post = list[0]
	return p.Expect(")")
}

// simple reads a declaration, an assignment or a barrier, without the semicolon.
func (p *parser) simple() ([]Stmt, error) {
	t := p.Peek()
	switch {
	case isType(t):
		return p.declaration()
	case t.Is("_syncthreads") || t.Is("__syncthreads"):
		p.Next()
		if err := p.Expect("("); err != nil {
			return nil, err
		}
		return []Stmt{&Barrier{t.Pos}}, p.Expect(")")
	case t.Is("++") || t.Is("--"):
		p.Next()
		to, err := p.place()
		return []Stmt{step(to, t)}, err
	}
	to, err := p.place()
	if err != nil {
		return nil, err
	}
	op := p.Next()
	switch {
	case op.Is("++") || op.Is("--"):
		return []Stmt{step(to, op)}, nil
	case op.Is("="):
	case op.Kind == clex.Symbol && strings.HasSuffix(op.Text, "=") && slices.Contains(minisimt.Operators(), strings.TrimSuffix(op.Text, "=")) &&
		!slices.Contains(minisimt.Operators(), op.Text):
	default:
		return nil, diag.Errorf(op.Pos, "want an assignment, not %s", op)
	}
	value, err := p.expression(0)
	return []Stmt{&Assign{To: to, Operator: strings.TrimSuffix(op.Text, "="), Value: value, Pos: op.Pos}}, err
}

// step is the assignment that ++ and -- stand for.
func step(to *Expr, t clex.Token) Stmt {
	one := &Expr{Op: "number", Leaf: minisimt.Value{Int: 1}, Pos: t.Pos}
	return &Assign{To: to, Operator: t.Text[:1], Value: one, Pos: t.Pos}
}

func (p *parser) declaration() ([]Stmt, error) {
	typ, err := p.typeName()
	if err != nil {
		return nil, err
	}
	var list []Stmt
	for {
		v, err := p.declarator(typ, "a variable")
		if err != nil {
			return nil, err
		}
		d := &Decl{Var: v}
		list = append(list, d)
		if p.Accept("=") {
			if d.Value, err = p.expression(0); err != nil {
				return nil, err
			}
		}
		if !p.Accept(",") {
			return list, nil
		}
	}
}

// place reads a variable or an element of an array.
func (p *parser) place() (*Expr, error) {
	t, err := p.name("a variable")
	if err != nil {
		return nil, err
	}
	return p.elements(&Expr{Op: "name", Leaf: minisimt.Value{Name: t.Text, Pos: t.Pos}, Pos: t.Pos})
}

// elements reads indices behind an expression.
func (p *parser) elements(e *Expr) (*Expr, error) {
	for p.Peek().Is("[") {
		pos := p.Next().Pos
		index, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		if err := p.Expect("]"); err != nil {
			return nil, err
		}
		e = &Expr{Op: "[]", A: e, B: index, Pos: pos}
	}
	return e, nil
}

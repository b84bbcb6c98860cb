package klang

import (
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa/clex"
	"warpbound/internal/isa/minisimt"
)

// levels are the operators with two operands, those that bind least first.
var levels = [][]string{
	{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
}

// expression reads an expression of operators of a level and those that bind more.
func (p *parser) expression(level int) (*Expr, error) {
	if level == len(levels) {
		return p.unary()
	}
	e, err := p.expression(level + 1)
	if err != nil {
		return nil, err
	}
	depth := p.depth
	defer func() { p.depth = depth }()
	for t := p.Peek(); t.Kind == clex.Symbol && slices.Contains(levels[level], t.Text); t = p.Peek() {
		p.Next()
		if err := p.enter(); err != nil { // the tree grows deeper
			return nil, err
		}
		right, err := p.expression(level + 1)
		if err != nil {
			return nil, err
		}
		e = &Expr{Op: t.Text, A: e, B: right, Pos: t.Pos}
	}
	return e, nil
}

func (p *parser) unary() (*Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	t := p.Peek()
	switch {
	case t.Is("-") && (p.After().Kind == clex.Int || p.After().Kind == clex.Float):
		p.Next()
		return p.number("-", t)
	case t.Is("-"), t.Is("!"), t.Is("~"):
		p.Next()
		a, err := p.unary()
		return &Expr{Op: t.Text, A: a, Pos: t.Pos}, err
	case t.Is("+"):
		p.Next()
		return p.unary()
	case t.Is("(") && isType(p.After()):
		p.Next()
		typ := p.Next()
		if err := p.Expect(")"); err != nil {
			return nil, err
		}
		a, err := p.unary()
		return &Expr{Op: typ.Text, A: a, Pos: t.Pos}, err
	}
	e, err := p.primary()
	if err != nil {
		return nil, err
	}
	return p.elements(e)
}

func (p *parser) primary() (*Expr, error) {
	switch t := p.Peek(); {
	case t.Is("("):
		return p.parenthesised()
	case t.Kind == clex.Int || t.Kind == clex.Float:
		return p.number("", t)
	case t.Kind == clex.Word && slices.Contains(minisimt.Specials(), t.Text):
		p.Next()
		return &Expr{Op: "name", Leaf: minisimt.Value{Name: t.Text, Pos: t.Pos}, Pos: t.Pos}, nil
	case t.Kind == clex.Word:
		name, err := p.name("a variable")
		if err == nil && p.Peek().Is("(") {
			err = diag.Errorf(name.Pos, "there are no functions to call but _syncthreads()")
		}
		return &Expr{Op: "name", Leaf: minisimt.Value{Name: name.Text, Pos: name.Pos}, Pos: name.Pos}, err
	default:
		return nil, diag.Errorf(t.Pos, "want an expression, not %s", t)
	}
}

func (p *parser) number(sign string, first clex.Token) (*Expr, error) {
	v, err := minisimt.Number(p.Next(), sign)
	if err != nil {
		return nil, err
	}
	v.Pos = first.Pos
	return &Expr{Op: "number", Leaf: v, Pos: first.Pos}, nil
}

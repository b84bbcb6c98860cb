package ptx

import (
	"math"
	"strconv"
)

// binaryPrec is the precedence of the binary operators; those of a higher one
// bind tighter. The conditional has precCond and unary operators precUnary.
var binaryPrec = map[string]int{
	"||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7,
	"<": 8, "<=": 8, ">": 8, ">=": 8, "<<": 9, ">>": 9, "+": 10, "-": 10,
	"*": 11, "/": 11, "%": 11,
}

const (
	precCond  = 1
	precUnary = 12
)

// operand reads one operand; tuple allows a list in parentheses.
func (p *parser) operand(tuple bool) (Operand, error) {
	o := Operand{Pos: p.tok.pos}
	var err error
	switch {
	case p.is("["):
		o.Kind = OperandAddr
		o.List, err = p.operandList("]")
		if err == nil && len(o.List) == 0 {
			err = p.errorf(o.Pos, "an address is missing between [ and ]")
		}
		if err == nil && p.isDot(".unified") { // says that the variable is, too
			p.advance()
		}
	case p.is("{"):
		o.Kind = OperandVector
		o.List, err = p.operandList("}")
		if err == nil && p.accept("|") { // of a texture fetch, whose predicate follows
			second := Operand{Pos: p.tok.pos}
			second.Name, err = p.name("the second result")
			o = Operand{Pos: o.Pos, Kind: OperandPair, List: []Operand{o, second}}
		}
	case tuple && p.is("("):
		o.Kind = OperandTuple
		o.List, err = p.operandList(")")
	default:
		err = p.plain(&o)
	}
	return o, err
}

// plain reads a name, perhaps with "!", a constant, or two names with "|" between.
func (p *parser) plain(o *Operand) error {
	e, err := p.constant()
	if err != nil {
		return err
	}
	switch {
	case e.Kind == ExprName:
		o.Name = e.Text
	case e.Kind == ExprUnary && e.Text == "!" && e.Args[0].Kind == ExprName:
		o.Name, o.Not = e.Args[0].Text, true
	case e.Kind == ExprBinary && e.Text == "|" && e.Args[0].Kind == ExprName && e.Args[1].Kind == ExprName:
		o.Kind = OperandPair
		o.List = make([]Operand, 2)
		for i, arg := range e.Args {
			o.List[i] = Operand{Pos: arg.Pos, Name: arg.Text}
		}
	default:
		o.Kind, o.Expr = OperandExpr, e
	}
	return nil
}

func (p *parser) operandList(end string) ([]Operand, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	p.advance()
	var operands []Operand
	err := p.list(end, func() error {
		o, err := p.operand(false)
		operands = append(operands, o)
		return err
	})
	return operands, err
}

// constant reads a constant expression.
func (p *parser) constant() (*Expr, error) {
	p.operators = 0
	return p.expr()
}

// expr reads an expression, a conditional included.
func (p *parser) expr() (*Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	cond, err := p.binary(precCond + 1)
	if err != nil || !p.is("?") {
		return cond, err
	}
	p.advance()
	then, err := p.expr()
	if err != nil {
		return nil, err
	}
	if err := p.expect(":"); err != nil {
		return nil, err
	}
	other, err := p.expr()
	if err != nil {
		return nil, err
	}
	return p.node(Expr{Pos: cond.Pos, Kind: ExprCond, Args: []*Expr{cond, then, other}})
}

// binary reads operators of at least the given precedence; all of them are
// left-associative.
func (p *parser) binary(minimum int) (*Expr, error) {
	left, err := p.unary()
	if err != nil {
		return nil, err
	}
	for p.tok.kind == tokPunct {
		op := p.tok.text
		prec := binaryPrec[op]
		if prec < minimum {
			break
		}
		p.advance()
		right, err := p.binary(prec + 1)
		if err != nil {
			return nil, err
		}
		if left, err = p.node(Expr{Pos: left.Pos, Kind: ExprBinary, Text: op, Args: []*Expr{left, right}}); err != nil {
			return nil, err
		}
	}
	return left, nil
}

func (p *parser) unary() (*Expr, error) {
	pos := p.tok.pos
	switch {
	case p.is("-"), p.is("+"), p.is("!"), p.is("~"):
		op := p.tok.text
		p.advance()
		return p.prefix(Expr{Pos: pos, Kind: ExprUnary, Text: op})
	case p.accept("("):
		if p.tok.kind == tokDot {
			typ := p.tok.text[1:]
			p.advance()
			if err := p.expect(")"); err != nil {
				return nil, err
			}
			return p.prefix(Expr{Pos: pos, Kind: ExprCast, Text: typ})
		}
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		return e, p.expect(")")
	}
	return p.primary()
}

// prefix completes a unary operator or a cast with its argument.
func (p *parser) prefix(e Expr) (*Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	arg, err := p.unary()
	if err != nil {
		return nil, err
	}
	e.Args = []*Expr{arg}
	return p.node(e)
}

func (p *parser) primary() (*Expr, error) {
	e := Expr{Pos: p.tok.pos, Text: p.tok.text}
	switch p.tok.kind {
	case tokIdent:
		e.Kind = ExprName
		start := p.tok
		p.advance()
		e.Text = p.dotted(start)
	case tokInt:
		v, err := parseInt(p.tok.text)
		if err != nil {
			return nil, p.errorf(p.tok.pos, "%s does not fit into 64 bits", p.tok)
		}
		e.Bits = v
		p.advance()
	case tokFloat:
		v, err := parseFloat(p.tok.text)
		if err != nil {
			return nil, p.errorf(p.tok.pos, "bad float %s: %w", p.tok, err)
		}
		e.Kind, e.Bits = ExprFloat, v
		p.advance()
	default:
		return nil, p.unexpected("an operand")
	}
	kind, end := ExprCall, ")"
	if e.Kind == ExprName && p.is("[") { // array[x]
		kind, end = ExprIndex, "]"
	}
	if e.Kind != ExprFloat && (p.accept("(") || kind == ExprIndex && p.accept("[")) { // generic(x), 0xff(x)
		arg, err := p.expr()
		if err != nil {
			return nil, err
		}
		e.Kind, e.Args = kind, []*Expr{arg}
		if err := p.expect(end); err != nil {
			return nil, err
		}
	}
	return p.node(e)
}

// parseFloat gives the bits of a float literal: those of the 32-bit float that a
// 0f literal spells, and of a 64-bit float otherwise.
func parseFloat(text string) (uint64, error) {
	if len(text) > 1 && text[0] == '0' {
		switch text[1] | 0x20 {
		case 'f', 'd':
			return strconv.ParseUint(text[2:], 16, 64)
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	return math.Float64bits(v), err
}

// node keeps an expression, counting its operators.
func (p *parser) node(e Expr) (*Expr, error) {
	if len(e.Args) > 0 {
		if p.operators++; p.operators > maxOperators {
			return nil, p.errorf(e.Pos, "expression has more than %d operators", maxOperators)
		}
	}
	if len(p.exprs) == 0 {
		p.exprs = make([]Expr, 256)
	}
	out := &p.exprs[0]
	p.exprs = p.exprs[1:]
	*out = e
	return out, nil
}

package stream

import (
	"strconv"
	"strings"
	"text/scanner"

	"warpbound/diag"
)

// instr is a statement, or the end of a loop.
type instr struct {
	kind   kind
	value  expr // offset, cycles, or how often a loop iterates
	store  bool
	buffer int
	loop   int // the loop's variable
	target int // behind the loop's end, or in it behind its beginning
	pos    diag.Pos
}

// kind tells the statements apart.
type kind uint8

const (
	doAccess kind = iota
	doWait
	doFor
	doEnd
)

// Parse reads a program. file is its name for messages. The error has the position of what
// is wrong.
func Parse(file string, src []byte) (*Stream, error) {
	if len(src) > MaxBytes {
		return nil, diag.Errorf(diag.Pos{File: file}, "the stream has %d bytes, more than %d", len(src), MaxBytes)
	}
	p := &parser{tokens: newTokens(file, src), stream: &Stream{}}
	var err error
	for err == nil && p.peek().kind != scanner.EOF {
		err = p.statement()
	}
	if p.err != nil {
		return nil, p.err // what is no token explains what was not understood
	}
	if err != nil {
		return nil, err
	}
	return p.stream, nil
}

type parser struct {
	*tokens
	stream *Stream
	loops  []string // names of the loops around the next token
}

func (p *parser) add(in instr) { p.stream.code = append(p.stream.code, in) }

func (p *parser) statement() error {
	t := p.next()
	switch t.text {
	case "for":
		return p.forLoop(t.pos)
	case "load", "store":
		return p.access(t)
	case "wait":
		cycles, err := p.expression()
		if err != nil {
			return err
		}
		p.add(instr{kind: doWait, value: cycles, pos: t.pos})
		return p.expect(';')
	}
	return diag.Errorf(t.pos, "want for, load, store or wait, not %s", t)
}

func (p *parser) access(t token) error {
	in := instr{kind: doAccess, store: t.text == "store", buffer: Own, pos: t.pos}
	if name := p.peek(); name.kind == scanner.Ident {
		p.next()
		in.buffer = p.stream.buffer(name.text, name.pos)
	}
	if err := p.expect('['); err != nil {
		return err
	}
	var err error
	if in.value, err = p.expression(); err != nil {
		return err
	}
	p.add(in)
	if err := p.expect(']'); err != nil {
		return err
	}
	return p.expect(';')
}

func (p *parser) forLoop(pos diag.Pos) error {
	name := p.next()
	switch {
	case name.kind != scanner.Ident:
		return diag.Errorf(name.pos, "want the name of the loop's variable, not %s", name)
	case p.variable(name.text) >= 0:
		return diag.Errorf(name.pos, "there is another loop over %s around this one; names must differ", name.text)
	case len(p.loops) == maxNesting:
		return diag.Errorf(pos, "loops are nested deeper than %d", maxNesting)
	}
	if err := p.expect('<'); err != nil {
		return err
	}
	bound, err := p.expression()
	if err != nil {
		return err
	}
	if err := p.expect('{'); err != nil {
		return err
	}
	begin, loop := len(p.stream.code), len(p.loops)
	p.add(instr{kind: doFor, value: bound, loop: loop, pos: pos})
	p.loops = append(p.loops, name.text)
	p.stream.vars = max(p.stream.vars, len(p.loops))
	for !p.accept('}') {
		if p.peek().kind == scanner.EOF {
			return diag.Errorf(p.peek().pos, "want '}' for the loop at %s, not the end of the file", pos)
		}
		if err := p.statement(); err != nil {
			return err
		}
	}
	p.loops = p.loops[:loop]
	p.add(instr{kind: doEnd, loop: loop, target: begin + 1, pos: pos})
	p.stream.code[begin].target = len(p.stream.code)
	return nil
}

// variable returns which loop has a variable, counted from the outermost; -1 if none.
func (p *parser) variable(name string) int {
	for i, v := range p.loops {
		if v == name {
			return i
		}
	}
	return -1
}

// expression parses sums of products.
func (p *parser) expression() (expr, error) {
	b := builder{parser: p}
	if err := b.sum(); err != nil {
		return nil, err
	}
	return b.terms, nil
}

// builder makes one expression.
type builder struct {
	*parser
	terms  expr
	depth  int // numbers on the stack so far
	parens int
}

func (b *builder) sum() error { return b.chain(b.product, "+-") }

func (b *builder) product() error { return b.chain(b.operand, "*/%") }

// chain parses operands with operators of one strength between them.
func (b *builder) chain(operand func() error, operators string) error {
	if err := operand(); err != nil {
		return err
	}
	for {
		t := b.peek()
		if !strings.ContainsRune(operators, t.kind) {
			return nil
		}
		b.next()
		if err := operand(); err != nil {
			return err
		}
		b.terms = append(b.terms, term{op: byte(t.kind), pos: t.pos})
		b.depth--
	}
}

func (b *builder) operand() error {
	t := b.next()
	switch t.kind {
	case '(':
		if b.parens++; b.parens > maxNesting {
			return diag.Errorf(t.pos, "parentheses are nested deeper than %d", maxNesting)
		}
		if err := b.sum(); err != nil {
			return err
		}
		b.parens--
		return b.expect(')')
	case scanner.Int:
		v, err := strconv.ParseInt(t.text, 0, 64)
		if err != nil || v > Max {
			return diag.Errorf(t.pos, "%.40s is beyond %d", t.text, int64(Max))
		}
		return b.push(term{op: 'n', value: v, pos: t.pos})
	case scanner.Ident:
		if v := b.variable(t.text); v >= 0 {
			return b.push(term{op: 'v', value: int64(v), pos: t.pos})
		}
		return diag.Errorf(t.pos, "%.40s is the variable of no loop around this place", t.text)
	}
	return diag.Errorf(t.pos, "want a number, the variable of a loop or '(', not %s", t)
}

func (b *builder) push(t term) error {
	if b.depth++; b.depth > maxNesting {
		return diag.Errorf(t.pos, "the expression has more than %d operands under way; use fewer parentheses", maxNesting)
	}
	b.terms = append(b.terms, t)
	return nil
}

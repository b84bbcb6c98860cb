package ptx

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// block reads statements in braces.
func (p *parser) block() (*Block, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	b := &Block{Pos: p.tok.pos}
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	for !p.accept("}") {
		switch {
		case p.tok.kind == tokEOF:
			return nil, p.errorf(b.Pos, "block is not closed; its } is missing")
		case p.accept(";"): // an empty statement
			continue
		}
		start := p.tok
		s, err := p.statement()
		if err != nil {
			if !p.skipStatement() {
				return nil, err
			}
			s = p.refused(start, err)
		}
		b.Stmts = append(b.Stmts, s)
	}
	return b, nil
}

// skipStatement passes over a broken statement: to behind its semicolon or
// braces, or to the end of the block. It reports whether there is such an end.
func (p *parser) skipStatement() bool {
	depth := p.unclosed
	p.unclosed = 0
	for p.tok.kind != tokEOF {
		switch {
		case p.is("{"):
			depth++
		case p.is("}") && depth == 0:
			return true
		case p.is("}"):
			if depth--; depth == 0 {
				p.advance()
				if p.is(",") || p.is(";") { // that was a vector
					continue
				}
				return true
			}
		case p.is(";") && depth == 0:
			p.advance()
			return true
		}
		p.advance()
	}
	return false
}

func (p *parser) statement() (Stmt, error) {
	switch {
	case p.is("{"):
		return p.block()
	case p.is("@"):
		return p.guarded()
	case p.tok.kind == tokIdent:
		start := p.tok
		p.advance()
		if p.accept(":") {
			return p.labelled(start)
		}
		return p.instr(&Instr{Pos: start.pos}, start)
	case p.isDot(".loc"):
		return p.loc()
	case p.tok.kind == tokDot && spaces[p.tok.text]:
		d, err := p.decl(p.tok.pos, "")
		if err != nil {
			return nil, err
		}
		return d, p.expect(";")
	case p.tok.kind == tokDot:
		if r, ok := directives[p.tok.text]; ok && r.where == inBody {
			return p.directive(r)
		}
		return nil, p.errorf(p.tok.pos, "unknown directive %s in a function", p.tok)
	}
	return nil, p.unexpected("an instruction, a label or a declaration")
}

func (p *parser) guarded() (Stmt, error) {
	in := &Instr{Pos: p.tok.pos}
	p.advance()
	in.Guard.Not = p.accept("!")
	in.Guard.Pos = p.tok.pos
	var err error
	if in.Guard.Name, err = p.name("a predicate register"); err != nil {
		return nil, err
	}
	if p.is("{") {
		return p.guardedBlock(in)
	}
	start := p.tok
	if _, err := p.name("an instruction"); err != nil {
		return nil, err
	}
	return p.instr(in, start)
}

// guardedBlock reads the block behind a guard and gives a block with a branch around it.
func (p *parser) guardedBlock(branch *Instr) (Stmt, error) {
	inner, err := p.block()
	if err != nil {
		return nil, err
	}
	behind := fmt.Sprintf("$behind_%d_%d", branch.Pos.Line, branch.Pos.Col)
	branch.Guard.Not = !branch.Guard.Not
	branch.Mnemonic = "bra"
	branch.Operands = []Operand{{Pos: branch.Pos, Name: behind}}
	return &Block{Pos: branch.Pos, Stmts: []Stmt{branch, inner, &Label{Pos: inner.Pos, Name: behind}}}, nil
}

// instr reads an instruction behind the first word of its mnemonic.
func (p *parser) instr(in *Instr, word token) (Stmt, error) {
	in.Mnemonic = p.dotted(word)
	if strings.HasSuffix(in.Mnemonic, ".const") {
		if err := p.bank(); err != nil {
			return nil, err
		}
	}
	if p.tok.kind == tokDot { // set apart by blanks
		parts := []string{in.Mnemonic}
		for ; p.tok.kind == tokDot; p.advance() {
			parts = append(parts, p.tok.text)
		}
		in.Mnemonic = strings.Join(parts, "")
	}
	for n := 0; !p.is(";"); n++ {
		switch {
		case n == 0 && p.is("}"):
			return nil, p.unexpected("an operand or ';'")
		case n > 0 && !p.accept(","):
			return nil, p.unexpected("',' or ';'")
		}
		o, err := p.operand(word.text == "call")
		if err != nil {
			return nil, err
		}
		in.Operands = append(in.Operands, o)
	}
	p.advance()
	return in, nil
}

// dotted joins a word with the dotted words that follow it without a blank.
func (p *parser) dotted(word token) string {
	end := word.end()
	for p.tok.kind == tokDot && p.tok.off == end {
		end = p.tok.end()
		p.advance()
	}
	return p.src[word.off:end]
}

// labelled reads what follows "name:".
func (p *parser) labelled(name token) (Stmt, error) {
	switch {
	case p.isDot(".branchtargets"), p.isDot(".calltargets"):
		t := &Targets{Pos: name.pos, Label: name.text, Kind: p.tok.text[1:]}
		p.advance()
		for {
			n := Name{Pos: p.tok.pos}
			var err error
			if n.Text, err = p.name("a target"); err != nil {
				return nil, err
			}
			if t.Names, err = p.targets(t.Names, n); err != nil {
				return nil, err
			}
			if !p.accept(",") {
				return t, p.expect(";")
			}
		}
	case p.isDot(".callprototype"):
		p.advance()
		return p.prototype(name)
	}
	return &Label{Pos: name.pos, Name: name.text}, nil
}

// targets appends a target to a list, or those from L0 on that L<10> stands for.
func (p *parser) targets(list []Name, n Name) ([]Name, error) {
	if !p.accept("<") {
		return append(list, n), nil
	}
	count, err := p.integer("number of targets", 1, maxNames)
	if err != nil {
		return nil, err
	}
	for i := range count {
		list = append(list, Name{n.Pos, n.Text + strconv.Itoa(i)})
	}
	return list, p.expect(">")
}

func (p *parser) prototype(name token) (Stmt, error) {
	t := &Prototype{Pos: name.pos, Label: name.text}
	var err error
	if t.Results, err = p.params(); err != nil {
		return nil, err
	}
	if t.Name, err = p.name("the name of the prototype"); err != nil {
		return nil, err
	}
	if t.Params, err = p.params(); err != nil {
		return nil, err
	}
	if t.Limits, err = p.limits(); err != nil {
		return nil, err
	}
	return t, p.expect(";")
}

// loc reads ".loc file line column [, function_name label] [, inlined_at file
// line column]".
func (p *parser) loc() (Stmt, error) {
	l := &Loc{Pos: p.tok.pos}
	p.advance()
	if err := p.place(&l.At); err != nil {
		return nil, err
	}
	for p.accept(",") {
		what := p.tok
		if _, err := p.name("function_name or inlined_at"); err != nil {
			return nil, err
		}
		var err error
		switch {
		case what.text == "function_name" && l.Function == nil:
			l.Function, err = p.constant()
		case what.text == "inlined_at" && l.InlinedAt == nil:
			l.InlinedAt = &Place{}
			err = p.place(l.InlinedAt)
		default:
			err = p.errorf(what.pos, "unexpected %s in .loc, want one function_name and one inlined_at", what)
		}
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (p *parser) place(at *Place) (err error) {
	if at.File, err = p.integer("number of the file", 0, math.MaxInt32); err != nil {
		return err
	}
	if at.Line, err = p.integer("line", 0, math.MaxInt32); err != nil {
		return err
	}
	at.Col, err = p.integer("column", 0, math.MaxInt32)
	return err
}

// sourceFile reads ".file number ["directory"] "name" [, time stamp, size] [md5 number]".
func (p *parser) sourceFile() (*File, error) {
	f := &File{Pos: p.tok.pos}
	p.advance()
	var err error
	if f.Index, err = p.integer("number of the file", 0, math.MaxInt32); err != nil {
		return nil, err
	}
	if f.Name, err = p.quote("the name of the file as a string"); err != nil {
		return nil, err
	}
	if p.tok.kind == tokString { // as in DWARF 5
		f.Dir = f.Name
		f.Name, _ = p.quote("")
	}
	for len(f.Extra) < 2 && p.accept(",") {
		if p.tok.kind != tokInt {
			return nil, p.unexpected("a time stamp or size")
		}
		f.Extra = append(f.Extra, p.tok.text)
		p.advance()
	}
	if p.tok.kind == tokIdent && p.tok.text == "md5" {
		p.advance()
		if p.tok.kind != tokInt {
			return nil, p.unexpected("the MD5 sum of the file as a number")
		}
		f.MD5 = p.tok.text
		p.advance()
	}
	return f, nil
}

// quote reads a string and gives what stands between its quotes.
func (p *parser) quote(what string) (string, error) {
	if p.tok.kind != tokString {
		return "", p.unexpected(what)
	}
	text := p.tok.text[1 : len(p.tok.text)-1]
	p.advance()
	return text, nil
}

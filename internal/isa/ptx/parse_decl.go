package ptx

import "strconv"

// maxCount is the largest range of registers that a declaration may have, maxNames
// that of variables and labels, and maxAlign the largest alignment in bytes.
const (
	maxCount = 1 << 24
	maxNames = 1 << 12
	maxAlign = 1 << 20
)

// spaces holds what a declaration begins with.
var spaces = map[string]bool{
	".reg": true, ".param": true, ".local": true, ".shared": true, ".global": true, ".const": true,
	".tex": true, ".surf": true, ".sampler": true, ".sreg": true, // of old versions
}

// decl reads a declaration up to, not including, its semicolon:
//
//	.space [.align n] [.v4] .type [.ptr [.space] [.align n]] name, name[4], name = 1
//
// Attributes may stand in any order before the first name.
func (p *parser) decl(pos Pos, linkage string) (*Decl, error) {
	d := &Decl{Pos: pos, Linkage: linkage}
	if err := p.declHead(d); err != nil {
		return nil, err
	}
	for {
		dr, err := p.declarator(d)
		if err != nil {
			return nil, err
		}
		d.Names = append(d.Names, d.single(dr)...)
		if !p.accept(",") {
			return d, nil
		}
	}
}

// single gives the variables x0, x1 and so on that a range x<n> declares; registers
// stay a range.
func (d *Decl) single(dr Declarator) []Declarator {
	if d.Space == "reg" || dr.Count == 0 {
		return []Declarator{dr}
	}
	list := make([]Declarator, dr.Count)
	for i := range list {
		list[i] = Declarator{Pos: dr.Pos, Name: dr.Name + strconv.Itoa(i)}
	}
	return list
}

// declHead reads a declaration up to the first name.
func (p *parser) declHead(d *Decl) error {
	d.Space = p.tok.text[1:]
	p.advance()
	if d.Space == "const" {
		if err := p.bank(); err != nil {
			return err
		}
	}
	for p.tok.kind == tokDot {
		if err := p.declAttribute(d); err != nil {
			return err
		}
	}
	if d.Type == "" {
		return p.unexpected("a type such as .b32")
	}
	return nil
}

// bank passes over the number of a bank of constant memory, as in .const[2]. PTX
// deprecates it since 2.2; a variable has an address of its own without it.
func (p *parser) bank() error {
	if !p.accept("[") {
		return nil
	}
	if _, err := p.integer("bank of constant memory", 0, 10); err != nil {
		return err
	}
	return p.expect("]")
}

func (p *parser) declAttribute(d *Decl) (err error) {
	word := p.tok
	p.advance()
	switch word.text {
	case ".align":
		d.Align, err = p.integer("alignment", 1, maxAlign)
		return err
	case ".v2", ".v4", ".v8":
		d.Vector = int(word.text[2] - '0')
		return nil
	case ".attribute":
		d.Attr, err = p.attribute()
		return err
	case ".ptr":
		d.Ptr = &Ptr{}
		if p.tok.kind == tokDot && (spaces[p.tok.text] || opaque[p.tok.text[1:]]) {
			d.Ptr.Space = p.tok.text[1:]
			p.advance()
		}
		if p.isDot(".align") {
			p.advance()
			d.Ptr.Align, err = p.integer("alignment", 1, maxAlign)
		}
		return err
	}
	if d.Type != "" {
		return p.errorf(word.pos, "unexpected %s after the type .%s, want a name", word, d.Type)
	}
	d.Type = word.text[1:]
	return nil
}

// attribute reads the parenthesis of an .attribute directive and gives its
// tokens separated by blanks.
func (p *parser) attribute() (string, error) {
	if err := p.expect("("); err != nil {
		return "", err
	}
	var text []byte
	for depth := 0; depth > 0 || !p.is(")"); p.advance() {
		switch {
		case p.tok.kind == tokEOF || p.tok.kind == tokBad || p.is(";") || p.is("{"):
			return "", p.unexpected("the ) of .attribute")
		case p.is("("):
			depth++
		case p.is(")"):
			depth--
		}
		if len(text) > 0 {
			text = append(text, ' ')
		}
		text = append(text, p.tok.text...)
	}
	p.advance()
	return string(text), nil
}

func (p *parser) declarator(d *Decl) (Declarator, error) {
	dr := Declarator{Pos: p.tok.pos}
	var err error
	if dr.Name, err = p.name("the name of a variable"); err != nil {
		return dr, err
	}
	if p.accept("<") {
		what, maximum := "number of registers", uint64(maxCount)
		if d.Space != "reg" {
			what, maximum = "number of variables", maxNames
		}
		if dr.Count, err = p.integer(what, 1, maximum); err != nil {
			return dr, err
		}
		return dr, p.expect(">")
	}
	for p.accept("[") {
		var dim *Expr
		if !p.is("]") {
			if dim, err = p.constant(); err != nil {
				return dr, err
			}
		}
		dr.Dims = append(dr.Dims, dim)
		if err := p.expect("]"); err != nil {
			return dr, err
		}
	}
	if p.accept("=") {
		dr.Init, err = p.initialiser()
	}
	return dr, err
}

// initialiser reads a constant, a list of initialisers in braces, or what a field
// of a sampler is, such as "filter_mode = nearest".
func (p *parser) initialiser() (*Init, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	in := &Init{Pos: p.tok.pos}
	if !p.accept("{") {
		var err error
		in.Expr, err = p.constant()
		if err == nil && in.Expr.Kind == ExprName && p.accept("=") {
			in.Field = in.Expr.Text
			in.Expr, err = p.constant()
		}
		return in, err
	}
	return in, p.list("}", func() error {
		elem, err := p.initialiser()
		in.List = append(in.List, elem)
		return err
	})
}

// function reads an entry or a function from .entry or .func on. Behind its name an error
// comes with what there is of it.
func (p *parser) function(pos Pos, linkage string) (*Func, error) {
	f := &Func{Pos: pos, Linkage: linkage, Entry: p.isDot(".entry")}
	p.advance()
	var err error
	if p.isDot(".attribute") {
		p.advance()
		if f.Attr, err = p.attribute(); err != nil {
			return nil, err
		}
	}
	if !f.Entry {
		if f.Results, err = p.params(); err != nil {
			return nil, err
		}
	}
	if f.Name, err = p.name("the name of the function"); err != nil {
		return nil, err
	}
	if f.Params, err = p.params(); err != nil {
		return f, err
	}
	if f.Limits, err = p.limits(); err != nil {
		return f, err
	}
	if p.accept(";") || p.tok.kind == tokEOF || p.startsItem() || p.startsVariable() { // old compilers left the semicolon out
		return f, nil
	}
	f.Body, err = p.block()
	return f, err
}

// params reads an optional parenthesis of parameters.
func (p *parser) params() ([]*Decl, error) {
	if !p.accept("(") {
		return nil, nil
	}
	var params []*Decl
	err := p.list(")", func() error {
		d, err := p.param()
		params = append(params, d)
		return err
	})
	return params, err
}

// param is a declaration of one name, which a comma ends.
func (p *parser) param() (*Decl, error) {
	d := &Decl{Pos: p.tok.pos}
	if p.isDot(".hidden") {
		d.Linkage = "hidden"
		p.advance()
	}
	if !p.isDot(".param") && !p.isDot(".reg") {
		return nil, p.unexpected("a parameter such as .param .b32 x")
	}
	if err := p.declHead(d); err != nil {
		return nil, err
	}
	dr, err := p.declarator(d)
	if err != nil {
		return nil, err
	}
	if dr.Count > 0 || dr.Init != nil {
		return nil, p.errorf(dr.Pos, "parameter %s is a range or has a value; it may be neither", dr.Name)
	}
	d.Names = []Declarator{dr}
	return d, nil
}

// startsVariable reports whether the current token begins a declaration of variables.
func (p *parser) startsVariable() bool { return p.tok.kind == tokDot && spaces[p.tok.text] }

// limits reads the directives between the parameters of a function and its body.
func (p *parser) limits() ([]*Directive, error) {
	var list []*Directive
	for p.tok.kind == tokDot && !p.startsItem() && !p.startsVariable() {
		r, ok := directives[p.tok.text]
		if !ok || r.where == inModule {
			return nil, p.errorf(p.tok.pos, "unknown directive %s before the body of a function", p.tok)
		}
		d, err := p.directive(r)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

// section reads a debugging section, whose text is kept as it is.
func (p *parser) section() (*Section, error) {
	s := &Section{Pos: p.tok.pos}
	p.advance()
	if p.tok.kind != tokDot && p.tok.kind != tokIdent {
		return nil, p.unexpected("the name of a section")
	}
	s.Name = p.tok.text
	p.advance()
	start := p.tok.end()
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	for !p.is("}") {
		if p.tok.kind == tokEOF || p.is("{") {
			return nil, p.unexpected("the } of the section")
		}
		p.advance()
	}
	s.Text = p.src[start:p.tok.off]
	p.advance()
	return s, nil
}

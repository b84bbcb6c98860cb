package ptx

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"warpbound/diag"
)

// The limits of the parser, so that hostile input ends with an error.
const (
	maxSource    = 256 << 20 // bytes
	maxErrors    = 20        // reported per source
	maxDepth     = 200       // nested constructs
	maxOperators = 1000      // of one expression
)

// Parse reads a PTX module. file is its name for messages. The syntax is
// checked, names and instructions are not. On error the module is nil and the
// error holds up to 20 messages with their positions.
func Parse(file string, src []byte) (*Module, error) {
	if len(src) > maxSource {
		return nil, fmt.Errorf("%s: larger than %d MiB", file, maxSource>>20)
	}
	errs := &diag.List{}
	src = bytes.TrimRight(src, "\x00") // of a C string
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if bytes.HasPrefix(src, []byte("\x7fELF")) {
		return nil, diag.Errorf(diag.Pos{File: file, Line: 1, Col: 1}, "not PTX: this is machine code (ELF); nvcc -ptx writes PTX, and cuobjdump -ptx what such a file holds of it")
	}
	p := &parser{lexer: lexer{file: file, src: string(src), line: 1, errs: errs}}
	p.advance()
	m := &Module{File: file}
	if p.tok.kind == tokDot && p.tok.text == ".version" {
		m.Items = p.items()
	} else {
		p.failed(p.errorf(p.tok.pos, "not PTX: a module begins with .version, not with %s", p.tok))
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

// parser is a recursive-descent parser with one token of look-ahead. Its
// methods return the first error of a construct; the loops over items and
// statements report it and go on with the next one.
type parser struct {
	lexer
	tok       token
	end       int    // offset behind the token before
	depth     int    // nested constructs around the current token
	operators int    // of the current expression
	unclosed  int    // braces that the construct in error leaves open
	exprs     []Expr // storage for nodes to come
}

func (p *parser) advance() {
	p.end = p.tok.end()
	p.tok = p.lexer.next()
}

// unexpected is the error of a token that cannot stand where it stands.
func (p *parser) unexpected(want string) error {
	if p.tok.kind == tokBad {
		return p.bad
	}
	return p.errorf(p.tok.pos, "unexpected %s, want %s", p.tok, want)
}

// failed keeps an error for the caller of Parse.
func (p *parser) failed(err error) {
	var e *diag.Error
	if errors.As(err, &e) {
		p.report(e)
	}
}

// enter and leave bracket every recursion.
func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		p.depth--
		return p.errorf(p.tok.pos, "nested deeper than %d levels", maxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// is reports whether the current token is the operator or bracket text.
func (p *parser) is(text string) bool { return p.tok.kind == tokPunct && p.tok.text == text }

// isDot reports whether the current token is the dotted word text.
func (p *parser) isDot(text string) bool { return p.tok.kind == tokDot && p.tok.text == text }

// accept passes over the operator text if it is the current token.
func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(text string) error {
	if !p.accept(text) {
		return p.unexpected("'" + text + "'")
	}
	return nil
}

func (p *parser) name(what string) (string, error) {
	if p.tok.kind != tokIdent {
		return "", p.unexpected(what)
	}
	text := p.tok.text
	p.advance()
	return text, nil
}

// list reads elements with commas between, up to and with the bracket end.
func (p *parser) list(end string, element func() error) error {
	if p.accept(end) {
		return nil
	}
	for {
		if err := element(); err != nil {
			if end == "}" {
				p.unclosed++
			}
			return err
		}
		if !p.accept(",") {
			break
		}
	}
	err := p.expect(end)
	if err != nil && end == "}" {
		p.unclosed++
	}
	return err
}

// integer reads a literal from min to max.
func (p *parser) integer(what string, min, max uint64) (int, error) {
	if p.tok.kind != tokInt {
		return 0, p.unexpected(what)
	}
	v, err := parseInt(p.tok.text)
	if err != nil || v < min || v > max {
		return 0, p.errorf(p.tok.pos, "%s %s is not in the range from %d to %d", what, p.tok, min, max)
	}
	p.advance()
	return int(v), nil
}

// parseInt reads an integer literal as the lexer accepts it.
func parseInt(text string) (uint64, error) {
	text = strings.TrimSuffix(text, "U")
	base := 10
	if len(text) > 1 && text[0] == '0' {
		switch text[1] {
		case 'x', 'X':
			base, text = 16, text[2:]
		case 'b', 'B':
			base, text = 2, text[2:]
		default:
			base, text = 8, text[1:]
		}
	}
	return strconv.ParseUint(text, base, 64)
}

// items reads the module up to the end of the file.
func (p *parser) items() []Item {
	var items []Item
	for p.tok.kind != tokEOF {
		start := p.tok
		item, err := p.item()
		if err != nil {
			if item = p.refuseItem(start, item, err); item == nil {
				continue
			}
		}
		items = append(items, item)
	}
	return items
}

// essential are the directives without which nothing else has a meaning.
var essential = map[string]bool{".version": true, ".target": true, ".address_size": true}

// refuseItem passes over a broken item, of which the function read so far is given if it is
// one. It is the module's error, and there is no item, if no directive begins the item, if
// one that all others need does, or if the item does not end.
func (p *parser) refuseItem(start token, read Item, err error) Item {
	ended := p.skipItem()
	if start.kind != tokDot || essential[start.text] || !ended {
		p.failed(err)
		return nil
	}
	r := p.refused(start, err)
	_, known := directives[start.text]
	r.Whole = !known && !spaces[start.text] && !itemWords[start.text]
	if f, ok := read.(*Func); ok && f != nil {
		r.Name, r.Entry = f.Name, f.Entry
	}
	return r
}

// refused makes a statement or an item of what has been passed over since start.
func (p *parser) refused(start token, err error) *Refused {
	r := &Refused{Pos: start.pos, At: start.pos, Text: p.src[start.off:p.end]}
	var placed *diag.Error
	if errors.As(err, &placed) {
		r.At, err = Pos{placed.Pos.Line, placed.Pos.Col}, placed.Err
	}
	r.Reason = err.Error()
	return r
}

// skipItem passes over a broken item: to behind its semicolon or its body, or
// to a directive that can only begin another item. It reports whether there is such an end.
func (p *parser) skipItem() bool {
	depth := p.unclosed
	p.unclosed = 0
	for p.tok.kind != tokEOF {
		switch {
		case depth == 0 && p.startsItem():
			return true
		case p.is("{"):
			depth++
		case p.is("}"):
			depth--
		}
		brace, semicolon := p.is("}"), p.is(";")
		p.advance()
		if depth <= 0 && (semicolon || brace) {
			if brace {
				p.accept(";")
			}
			return true
		}
	}
	return false
}

// itemWords are the directives besides those of the table that can only begin an item.
var itemWords = map[string]bool{
	".entry": true, ".func": true, ".visible": true, ".extern": true, ".weak": true, ".common": true,
	".file": true, ".section": true,
}

// startsItem reports whether the current token is a directive that can only begin
// an item.
func (p *parser) startsItem() bool {
	return p.tok.kind == tokDot && (itemWords[p.tok.text] || p.tok.text == ".version" || p.tok.text == ".target")
}

func (p *parser) item() (Item, error) {
	if p.tok.kind != tokDot {
		return nil, p.unexpected("a directive such as .entry, .func or .global")
	}
	pos, linkage := p.tok.pos, ""
	switch p.tok.text {
	case ".file":
		return p.sourceFile()
	case ".section":
		return p.section()
	case ".extern", ".visible", ".weak", ".common":
		linkage = p.tok.text[1:]
		p.advance()
	}
	switch {
	case p.isDot(".entry"), p.isDot(".func"):
		return p.function(pos, linkage)
	case p.tok.kind == tokDot && spaces[p.tok.text]:
		d, err := p.decl(pos, linkage)
		if err != nil {
			return nil, err
		}
		return d, p.expect(";")
	case linkage == "":
		if rule, ok := directives[p.tok.text]; ok && (rule.where == inModule || p.isDot(".pragma")) {
			return p.directive(rule)
		}
		return nil, p.errorf(p.tok.pos, "unknown directive %s at module scope", p.tok)
	}
	return nil, p.unexpected(".entry, .func or a state space such as .global")
}

// context is where a directive may stand.
type context uint8

const (
	inModule context = iota
	inHeader         // between the parameters of a function and its body
	inBody           // among statements; .pragma also in a header
)

// rule is the syntax of a plain directive: its arguments, separated by commas,
// and whether it ends with a semicolon.
type rule struct {
	where    context
	min, max int
	arg      kind
	end      bool
}

var directives = map[string]rule{
	".version":              {inModule, 1, 1, tokFloat, false},
	".target":               {inModule, 1, 8, tokIdent, false},
	".address_size":         {inModule, 1, 1, tokInt, false},
	".alias":                {inModule, 2, 2, tokIdent, true},
	".pragma":               {inBody, 1, 16, tokString, true},
	".maxntid":              {inHeader, 1, 3, tokInt, false},
	".reqntid":              {inHeader, 1, 3, tokInt, false},
	".minnctapersm":         {inHeader, 1, 1, tokInt, false},
	".maxnctapersm":         {inHeader, 1, 1, tokInt, false},
	".maxnreg":              {inHeader, 1, 1, tokInt, false},
	".noreturn":             {inHeader, 0, 0, tokEOF, false},
	".reqnctapercluster":    {inHeader, 1, 3, tokInt, false},
	".explicitcluster":      {inHeader, 0, 0, tokEOF, false},
	".language":             {inHeader, 1, 1, tokInt, false},
	".maxclusterrank":       {inHeader, 1, 1, tokInt, false},
	".blocksareclusters":    {inHeader, 0, 0, tokEOF, false},
	".abi_preserve":         {inHeader, 1, 1, tokInt, false},
	".abi_preserve_control": {inHeader, 1, 1, tokInt, false},
}

func (p *parser) directive(r rule) (*Directive, error) {
	d := &Directive{Pos: p.tok.pos, Name: p.tok.text[1:]}
	p.advance()
	for len(d.Args) < r.max {
		if len(d.Args) > 0 && !p.accept(",") {
			break
		}
		if p.tok.kind != r.arg {
			return nil, p.unexpected(fmt.Sprintf("%s as argument of .%s", kindNames[r.arg], d.Name))
		}
		d.Args = append(d.Args, p.tok.text)
		p.advance()
	}
	switch {
	case len(d.Args) < r.min:
		return nil, p.errorf(d.Pos, ".%s takes %d arguments, not %d", d.Name, r.min, len(d.Args))
	case r.end:
		return d, p.expect(";")
	}
	return d, nil
}

var kindNames = map[kind]string{
	tokIdent: "a name", tokInt: "an integer", tokFloat: "a number such as 6.3", tokString: "a string",
}

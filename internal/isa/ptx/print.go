package ptx

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// Print writes the module as PTX text. Parsing the text gives the same module
// but for positions.
func Print(w io.Writer, m *Module) error {
	p := &printer{bufio.NewWriter(w)}
	for _, item := range m.Items {
		p.item(item)
	}
	return p.Flush()
}

// String renders the instruction without its semicolon.
func (in *Instr) String() string { return string(appendInstr(nil, in)) }

// printer writes to a buffer that remembers the first error.
type printer struct{ *bufio.Writer }

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

func (p *printer) item(item Item) {
	switch x := item.(type) {
	case *Directive:
		p.directive(x)
	case *File:
		p.put(".file ", strconv.Itoa(x.Index))
		if x.Dir != "" {
			p.put(` "`, x.Dir, `"`)
		}
		p.put(` "`, x.Name, `"`)
		for _, e := range x.Extra {
			p.put(", ", e)
		}
		if x.MD5 != "" {
			p.put(" md5 ", x.MD5)
		}
		p.put("\n")
	case *Section:
		p.put(".section ", x.Name, " {", x.Text, "}\n")
	case *Decl:
		p.decl(x)
		p.put(";\n")
	case *Func:
		p.function(x)
	case *Refused:
		p.put(x.Text, "\n")
	}
}

func (p *printer) directive(d *Directive) {
	p.put(".", d.Name)
	sep := " "
	for _, a := range d.Args {
		p.put(sep, a)
		sep = ", "
	}
	if directives["."+d.Name].end {
		p.put(";")
	}
	p.put("\n")
}

func (p *printer) decl(d *Decl) {
	if d.Linkage != "" {
		p.put(".", d.Linkage, " ")
	}
	p.put(".", d.Space)
	if d.Attr != "" {
		p.put(" .attribute(", d.Attr, ")")
	}
	if d.Align > 0 {
		p.put(" .align ", strconv.Itoa(d.Align))
	}
	if d.Vector > 0 {
		p.put(" .v", strconv.Itoa(d.Vector))
	}
	p.put(" .", d.Type)
	if d.Ptr != nil {
		p.put(" .ptr")
		if d.Ptr.Space != "" {
			p.put(" .", d.Ptr.Space)
		}
		if d.Ptr.Align > 0 {
			p.put(" .align ", strconv.Itoa(d.Ptr.Align))
		}
	}
	sep := " "
	for i := range d.Names {
		p.put(sep)
		p.declarator(&d.Names[i])
		sep = ", "
	}
}

func (p *printer) declarator(d *Declarator) {
	p.put(d.Name)
	if d.Count > 0 {
		p.put("<", strconv.Itoa(d.Count), ">")
	}
	for _, dim := range d.Dims {
		p.put("[")
		if dim != nil {
			p.expr(dim)
		}
		p.put("]")
	}
	if d.Init != nil {
		p.put(" = ")
		p.init(d.Init)
	}
}

func (p *printer) init(in *Init) {
	if in.Field != "" {
		p.put(in.Field, " = ")
	}
	if in.Expr != nil {
		p.expr(in.Expr)
		return
	}
	p.put("{")
	for i, e := range in.List {
		if i > 0 {
			p.put(", ")
		}
		p.init(e)
	}
	p.put("}")
}

func (p *printer) expr(e *Expr) {
	p.Write(appendExpr(p.AvailableBuffer(), e))
}

func (p *printer) function(f *Func) {
	if f.Linkage != "" {
		p.put(".", f.Linkage, " ")
	}
	if f.Entry {
		p.put(".entry ")
	} else {
		p.put(".func ")
	}
	if f.Attr != "" {
		p.put(".attribute(", f.Attr, ") ")
	}
	p.signature(f.Results, f.Name, f.Params)
	p.put("\n")
	for _, d := range f.Limits {
		p.directive(d)
	}
	if f.Body == nil {
		p.put(";\n")
		return
	}
	p.block(f.Body, "")
}

func (p *printer) signature(results []*Decl, name string, params []*Decl) {
	if len(results) > 0 {
		p.params(results)
		p.put(" ")
	}
	p.put(name)
	p.params(params)
}

func (p *printer) params(list []*Decl) {
	p.put("(")
	for i, d := range list {
		if i > 0 {
			p.put(", ")
		}
		p.decl(d)
	}
	p.put(")")
}

func (p *printer) block(b *Block, indent string) {
	p.put(indent, "{\n")
	for _, s := range b.Stmts {
		if inner, ok := s.(*Block); ok {
			p.block(inner, indent+"\t")
			continue
		}
		if _, label := s.(*Label); !label {
			p.put(indent, "\t")
		}
		p.stmt(s)
	}
	p.put(indent, "}\n")
}

func (p *printer) stmt(s Stmt) {
	switch x := s.(type) {
	case *Decl:
		p.decl(x)
		p.put(";\n")
	case *Directive:
		p.directive(x)
	case *Label:
		p.put(x.Name, ":\n")
	case *Instr:
		p.Write(appendInstr(p.AvailableBuffer(), x))
		p.put(";\n")
	case *Refused:
		if strings.HasPrefix(x.Text, "@@") || strings.HasPrefix(x.Text, "#") {
			p.put("/**/") // else it would be a comment at the beginning of its line
		}
		p.put(x.Text, "\n")
	case *Loc:
		p.put(".loc")
		p.place(x.At)
		if x.Function != nil {
			p.put(", function_name ")
			p.expr(x.Function)
		}
		if x.InlinedAt != nil {
			p.put(", inlined_at")
			p.place(*x.InlinedAt)
		}
		p.put("\n")
	case *Targets:
		p.put(x.Label, ": .", x.Kind)
		sep := " "
		for _, n := range x.Names {
			p.put(sep, n.Text)
			sep = ", "
		}
		p.put(";\n")
	case *Prototype:
		p.put(x.Label, ": .callprototype ")
		p.signature(x.Results, x.Name, x.Params)
		p.put("\n")
		for _, d := range x.Limits {
			p.directive(d)
		}
		p.put(";\n")
	}
}

func (p *printer) place(at Place) {
	for _, n := range []int{at.File, at.Line, at.Col} {
		p.put(" ", strconv.Itoa(n))
	}
}

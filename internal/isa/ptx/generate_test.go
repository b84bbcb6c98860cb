package ptx

import (
	"fmt"
	"math"
	"strconv"

	"pgregory.net/rapid"
)

// generator draws syntax trees that the parser could have made, with positions
// left out.
type generator struct{ *rapid.T }

func (g generator) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(g.T, label)
}

func (g generator) count(label string, min, max int) int {
	return rapid.IntRange(min, max).Draw(g.T, label)
}

func (g generator) chance(label string) bool { return rapid.Bool().Draw(g.T, label) }

func (g generator) name() string {
	return rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9_$]{0,6}|[_$%][a-zA-Z0-9_$]{1,6}`).Draw(g.T, "name")
}

// many draws a list of up to max elements; nil if it is empty.
func many[T any](g generator, label string, min, max int, draw func() T) []T {
	var list []T
	for range g.count(label, min, max) {
		list = append(list, draw())
	}
	return list
}

func (g generator) module() *Module {
	m := &Module{File: "g.ptx", Items: []Item{&Directive{Name: "version", Args: []string{"6.3"}}}}
	m.Items = append(m.Items, many(g, "items", 0, 5, g.item)...)
	return m
}

func (g generator) item() Item {
	switch g.count("item", 0, 6) {
	case 0:
		return &Directive{Name: "target", Args: many(g, "targets", 1, 3, g.name)}
	case 1:
		f := &File{Index: g.count("index", 0, math.MaxInt32), Name: g.pick("file", "", "a.cu", `a\"b\\`, "é //")}
		f.Extra = many(g, "extra", 0, 2, func() string { return g.pick("extra", "0", "0x1fU") })
		return f
	case 2:
		return &Section{Name: g.pick("section", ".debug_info", ".debug_str"), Text: g.pick("text", "", "\n.b8 1 // {\n", " x: .b32 a-b+1 /* } */ ")}
	case 3:
		d := g.decl(g.pick("space", "global", "const", "shared", "tex"))
		d.Linkage = g.pick("linkage", "", "visible", "extern", "weak", "common")
		return d
	case 4:
		return &Directive{Name: "alias", Args: []string{g.name(), g.name()}}
	}
	return g.function()
}

func (g generator) decl(space string) *Decl {
	d := &Decl{
		Space: space, Type: g.pick("type", "b8", "u32", "f64", "pred", "unheard"),
		Align: g.pickInt("align", 0, 1, 16), Vector: g.pickInt("vector", 0, 2, 4, 8),
		Attr: g.pick("attribute", "", ".managed", ".unified ( 1 , 2 )"),
	}
	d.Names = many(g, "names", 1, 3, func() Declarator {
		n := Declarator{Name: g.name()}
		switch {
		case space == "reg" && g.chance("range"):
			n.Count = g.count("count", 1, maxCount)
		case space != "reg":
			n.Dims = many(g, "dims", 0, 2, func() *Expr {
				if g.chance("open") {
					return nil
				}
				return g.expr(2)
			})
			if g.chance("initialised") {
				n.Init = g.init(2)
			}
		}
		return n
	})
	return d
}

func (g generator) pickInt(label string, from ...int) int {
	return rapid.SampledFrom(from).Draw(g.T, label)
}

func (g generator) init(depth int) *Init {
	if depth == 0 || g.chance("leaf") {
		return &Init{Expr: g.expr(2)}
	}
	return &Init{List: many(g, "elements", 0, 3, func() *Init { return g.init(depth - 1) })}
}

func (g generator) param() *Decl {
	d := g.decl("param")
	d.Names = d.Names[:1]
	d.Names[0].Init = nil
	if g.chance("pointer") {
		d.Ptr = &Ptr{Space: g.pick("space", "", "global", "shared"), Align: g.pickInt("align", 0, 8)}
	}
	return d
}

func (g generator) function() *Func {
	f := &Func{
		Linkage: g.pick("linkage", "", "visible", "extern", "weak"), Entry: g.chance("entry"), Name: g.name(),
		Attr: g.pick("attribute", "", ".unified ( 1 , 2 )"), Params: many(g, "params", 0, 3, g.param),
	}
	if !f.Entry {
		f.Results = many(g, "results", 0, 2, g.param)
	}
	f.Limits = g.limits()
	if g.chance("body") {
		f.Body = g.block(2)
	}
	return f
}

func (g generator) limits() []*Directive {
	return many(g, "limits", 0, 2, func() *Directive {
		switch g.count("limit", 0, 2) {
		case 0:
			return &Directive{Name: "maxntid", Args: many(g, "threads", 1, 3, func() string { return "0x10" })}
		case 1:
			return &Directive{Name: "pragma", Args: []string{`"nounroll"`}}
		}
		return &Directive{Name: "noreturn"}
	})
}

func (g generator) block(depth int) *Block {
	return &Block{Stmts: many(g, "statements", 0, 6, func() Stmt { return g.stmt(depth) })}
}

func (g generator) stmt(depth int) Stmt {
	switch g.count("statement", 0, 9) {
	case 0:
		return g.decl(g.pick("space", "reg", "param", "local", "shared"))
	case 1:
		if depth > 0 {
			return g.block(depth - 1)
		}
		return &Label{Name: g.name()}
	case 2:
		l := &Loc{At: g.place()}
		if g.chance("function") {
			l.Function = g.expr(1)
		}
		if g.chance("inlined") {
			at := g.place()
			l.InlinedAt = &at
		}
		return l
	case 3:
		return &Directive{Name: "pragma", Args: []string{`"a"`, `"b\""`}}
	case 4:
		return &Targets{Label: g.name(), Kind: g.pick("kind", "branchtargets", "calltargets"),
			Names: many(g, "targets", 1, 3, func() Name { return Name{Text: g.name()} })}
	case 5:
		return &Prototype{Label: g.name(), Name: "_", Results: many(g, "results", 0, 1, g.param),
			Params: many(g, "params", 0, 2, g.param), Limits: g.limits()}
	}
	return g.instr()
}

func (g generator) place() Place {
	return Place{g.count("file", 0, 9), g.count("line", 0, math.MaxInt32), g.count("column", 0, 99)}
}

func (g generator) instr() *Instr {
	in := &Instr{Mnemonic: g.pick("mnemonic", "call", "call.uni", "ld.global.L1::no_allocate.v4.b32", "add.s32", "frob")}
	if g.chance("guard") {
		in.Guard = Guard{Name: g.name(), Not: g.chance("not")}
	}
	in.Operands = many(g, "operands", 0, 4, func() Operand {
		switch call := in.Mnemonic[0] == 'c'; {
		case call && g.chance("tuple"):
			return Operand{Kind: OperandTuple, List: many(g, "list", 0, 3, func() Operand { return g.operand(0) })}
		case call: // no constants: one in parentheses would read as a tuple
			return Operand{Name: g.name()}
		}
		return g.operand(2)
	})
	return in
}

func (g generator) operand(depth int) Operand {
	name := func() Operand { return Operand{Name: g.name()} }
	list := func() Operand { return g.operand(depth - 1) }
	kind := OperandKind(g.count("kind", 0, 5))
	switch {
	case kind == OperandExpr:
		if e := g.expr(3); !isPlain(e) {
			return Operand{Kind: OperandExpr, Expr: e}
		}
	case kind == OperandPair:
		return Operand{Kind: OperandPair, List: []Operand{name(), name()}}
	case kind == OperandAddr && depth > 0:
		return Operand{Kind: OperandAddr, List: many(g, "list", 1, 2, list)}
	case kind == OperandVector && depth > 0:
		return Operand{Kind: OperandVector, List: many(g, "list", 0, 4, list)}
	}
	return Operand{Name: g.name() + g.pick("part", "", ".x"), Not: g.chance("not")}
}

// isPlain reports whether an expression reads as a name, a complemented name or
// a pair of names.
func isPlain(e *Expr) bool {
	for _, a := range e.Args {
		if a.Kind != ExprName {
			return false
		}
	}
	return e.Kind == ExprName || e.Kind == ExprUnary && e.Text == "!" || e.Kind == ExprBinary && e.Text == "|"
}

func (g generator) expr(depth int) *Expr {
	arg := func() *Expr { return g.expr(depth - 1) }
	kind := ExprKind(g.count("kind", 0, 8))
	if depth == 0 {
		kind %= ExprUnary
	}
	switch kind {
	case ExprFloat:
		if g.chance("decimal") {
			v := rapid.Float64Range(0, 1e300).Draw(g.T, "float")
			text := strconv.FormatFloat(v, 'e', -1, 64)
			return &Expr{Kind: ExprFloat, Text: text, Bits: math.Float64bits(v)}
		}
		bits := rapid.Uint32().Draw(g.T, "bits")
		return &Expr{Kind: ExprFloat, Text: fmt.Sprintf("0F%08x", bits), Bits: uint64(bits)}
	case ExprName:
		return &Expr{Kind: ExprName, Text: g.name()}
	case ExprUnary:
		return &Expr{Kind: ExprUnary, Text: g.pick("operator", "-", "+", "!", "~"), Args: []*Expr{arg()}}
	case ExprBinary:
		op := g.pick("operator", "||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*", "/", "%")
		return &Expr{Kind: ExprBinary, Text: op, Args: []*Expr{arg(), arg()}}
	case ExprCond:
		return &Expr{Kind: ExprCond, Args: []*Expr{arg(), arg(), arg()}}
	case ExprCast:
		return &Expr{Kind: ExprCast, Text: "s64", Args: []*Expr{arg()}}
	case ExprIndex:
		return &Expr{Kind: ExprIndex, Text: g.name(), Args: []*Expr{arg()}}
	case ExprCall:
		if g.chance("mask") {
			return &Expr{Kind: ExprCall, Text: "0xff", Bits: 0xff, Args: []*Expr{arg()}}
		}
		return &Expr{Kind: ExprCall, Text: "generic", Args: []*Expr{arg()}}
	}
	v := rapid.Uint64().Draw(g.T, "integer")
	format := g.pick("format", "%d", "%#x", "0%o", "0b%bU")
	return &Expr{Kind: ExprInt, Text: fmt.Sprintf(format, v), Bits: v}
}

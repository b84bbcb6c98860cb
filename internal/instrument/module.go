package instrument

import (
	"slices"
	"strconv"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa/ptx"
)

// write makes the module of a code that records before some statements, by their numbers.
func (p *Points) write(c *Code, numbers map[*ptx.Instr]uint32) error {
	prefix, err := freePrefix(p.module)
	if err != nil {
		return err
	}
	w := &writer{target: p.target, bits: p.bits, prefix: prefix}
	for _, item := range p.module.Items {
		if f, ok := item.(*ptx.Func); ok && f.Body != nil && !p.kernel(f) && p.records(f.Body, false, numbers) {
			w.memory = true
		}
	}
	c.Module, err = rewrite(p.module, func(f *ptx.Func) (*ptx.Block, error) {
		return p.instrumented(w, f, numbers)
	})
	if err != nil {
		return err
	}
	at := slices.IndexFunc(c.Module.Items, func(item ptx.Item) bool {
		_, directive := item.(*ptx.Directive)
		return !directive
	})
	c.Module.Items = slices.Insert(c.Module.Items, at, ptx.Item(symbol()))
	return nil
}

// kernel reports whether a function is the kernel.
func (p *Points) kernel(f *ptx.Func) bool { return f.Entry && f.Name == p.graph.Kernel.Name }

// records reports whether there is anything to record in a block of the text, of the kernel
// itself or of a function.
func (p *Points) records(b *ptx.Block, kernel bool, numbers map[*ptx.Instr]uint32) bool {
	return slices.ContainsFunc(b.Stmts, func(s ptx.Stmt) bool {
		switch x := s.(type) {
		case *ptx.Block:
			return p.records(x, kernel, numbers)
		case *ptx.Instr:
			_, has := numbers[x]
			return has || p.linked[x] && ends(x, kernel)
		}
		return false
	})
}

// instrumented returns the body of a function with recording code, or its own if there is
// nothing to record in it.
func (p *Points) instrumented(w *writer, f *ptx.Func, numbers map[*ptx.Instr]uint32) (*ptx.Block, error) {
	kernel := p.kernel(f)
	if !kernel && !p.records(f.Body, kernel, numbers) {
		return f.Body, nil
	}
	body, err := rewriteBlock(f.Body, func(in *ptx.Instr) ([]ptx.Stmt, error) {
		var stmts []ptx.Stmt
		if n, has := numbers[in]; has {
			code, err := w.ipoint(in.Pos, n)
			if err != nil {
				return nil, err
			}
			stmts = code
		}
		if p.linked[in] && ends(in, kernel) {
			code, err := w.exit(in.Pos, in.Guard)
			if err != nil {
				return nil, err
			}
			stmts = append(stmts, code...)
		}
		return stmts, nil
	})
	if err != nil {
		return nil, err
	}
	if kernel && runsOut(f.Body) {
		code, err := w.exit(f.Body.Pos, ptx.Guard{})
		if err != nil {
			return nil, err
		}
		body.Stmts = append(body.Stmts, code...)
	}
	first := slices.IndexFunc(body.Stmts, func(s ptx.Stmt) bool {
		_, declares := s.(*ptx.Decl)
		return !declares
	})
	if first < 0 {
		first = len(body.Stmts)
	}
	code, err := w.begin(f.Body.Pos, kernel)
	if err != nil {
		return nil, err
	}
	body.Stmts = slices.Insert(body.Stmts, first, code...)
	return body, nil
}

// ends reports whether lanes end at an instruction, of the kernel itself or of a function.
func ends(in *ptx.Instr, kernel bool) bool {
	return in.Mnemonic == "exit" || kernel && (in.Mnemonic == "ret" || in.Mnemonic == "ret.uni")
}

// runsOut reports whether control may come to the end of a kernel's body, which ends lanes too.
func runsOut(b *ptx.Block) bool {
	if len(b.Stmts) == 0 {
		return true
	}
	switch x := b.Stmts[len(b.Stmts)-1].(type) {
	case *ptx.Block:
		return runsOut(x)
	case *ptx.Instr:
		name, _, _ := strings.Cut(x.Mnemonic, ".")
		return x.Guard.Name != "" || !slices.Contains([]string{"ret", "exit", "trap", "bra", "brx"}, name)
	}
	return true
}

// symbol declares the variable that the host sets.
func symbol() *ptx.Decl {
	words := &ptx.Expr{Kind: ptx.ExprInt, Text: strconv.Itoa(symbolBytes / 8), Bits: symbolBytes / 8}
	return &ptx.Decl{
		Linkage: "visible", Space: "global", Align: 16, Type: "u64",
		Names: []ptx.Declarator{{Name: Symbol, Dims: []*ptx.Expr{words}}},
	}
}

// freePrefix returns a beginning that no name of the module has. It is an error if the
// module has recording code already.
func freePrefix(m *ptx.Module) (string, error) {
	for _, item := range m.Items {
		d, ok := item.(*ptx.Decl)
		if ok && slices.ContainsFunc(d.Names, func(n ptx.Declarator) bool { return n.Name == Symbol }) {
			return "", diag.Errorf(diag.Pos{File: m.File, Line: d.Pos.Line, Col: d.Pos.Col},
				"%s is already declared; give the module without instrumentation", Symbol)
		}
	}
	var text strings.Builder
	if err := ptx.Print(&text, m); err != nil {
		return "", err
	}
	prefix := "%wb_"
	for strings.Contains(text.String(), prefix) {
		prefix += "_"
	}
	return prefix, nil
}

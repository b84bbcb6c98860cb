package instrument

import (
	"slices"
	"strings"

	"warpbound/internal/isa/ptx"
)

// rewrite returns the module with other functions: change is called for every definition, in
// the order of the text. The tree is not changed.
func rewrite(m *ptx.Module, change func(*ptx.Func) (*ptx.Block, error)) (*ptx.Module, error) {
	out := *m
	out.Items = make([]ptx.Item, len(m.Items))
	for i, item := range m.Items {
		out.Items[i] = item
		f, ok := item.(*ptx.Func)
		if !ok || f.Body == nil {
			continue
		}
		body, err := change(f)
		if err != nil {
			return nil, err
		}
		changed := *f
		changed.Body = body
		out.Items[i] = &changed
	}
	return &out, nil
}

// rewriteBlock returns a block with statements before instructions, for which before is called
// in the order of the text. Pragmas and positions stay together with the instruction that
// they are about.
func rewriteBlock(b *ptx.Block, before func(*ptx.Instr) ([]ptx.Stmt, error)) (*ptx.Block, error) {
	out := &ptx.Block{Pos: b.Pos}
	about := 0 // where the pragmas and positions begin at which out ends
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *ptx.Directive, *ptx.Loc:
			out.Stmts = append(out.Stmts, s)
			continue
		case *ptx.Block:
			inner, err := rewriteBlock(x, before)
			if err != nil {
				return nil, err
			}
			s = inner
		case *ptx.Instr:
			stmts, err := before(x)
			if err != nil {
				return nil, err
			}
			out.Stmts = slices.Insert(out.Stmts, about, stmts...)
		}
		out.Stmts = append(out.Stmts, s)
		about = len(out.Stmts)
	}
	return out, nil
}

// standing tells where code may stand. What stores the arguments of a call, the call and
// what loads its results must follow each other (PTX ISA, "Function Declarations and
// Definitions").
type standing struct{ stores, called bool }

// before reports whether code may stand before an instruction; it is asked for one after
// the other.
func (s *standing) before(in *ptx.Instr) bool {
	name, _, _ := strings.Cut(in.Mnemonic, ".")
	store := name == "st" && strings.HasPrefix(in.Mnemonic, "st.param")
	load := name == "ld" && strings.HasPrefix(in.Mnemonic, "ld.param")
	call := isCall(in)
	within := s.stores && (store || call) || s.called && load
	s.stores, s.called = store, call || s.called && load
	return !within
}

func isCall(in *ptx.Instr) bool { return in.Mnemonic == "call" || in.Mnemonic == "call.uni" }

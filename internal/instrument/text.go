package instrument

import (
	"strings"

	"warpbound/internal/isa/ptx"
)

// Text returns the module as PTX and, for every line of the text, the place in the module
// that it is from: for recording code that of what it stands before, and an unknown place
// where there is none.
func (c *Code) Text() (string, []ptx.Pos, error) {
	var text strings.Builder
	if err := ptx.Print(&text, c.Module); err != nil {
		return "", nil, err
	}
	printed, err := ptx.Parse(c.Module.File, []byte(text.String()))
	if err != nil {
		return "", nil, err
	}
	lines := make([]ptx.Pos, strings.Count(text.String(), "\n"))
	note := func(printed, own ptx.Pos) {
		if i := int(printed.Line) - 1; i >= 0 && i < len(lines) && lines[i] == (ptx.Pos{}) {
			lines[i] = own
		}
	}
	for i, item := range printed.Items {
		switch x := item.(type) {
		case *ptx.Directive:
			note(x.Pos, c.Module.Items[i].(*ptx.Directive).Pos)
		case *ptx.Decl:
			note(x.Pos, c.Module.Items[i].(*ptx.Decl).Pos)
		case *ptx.Func:
			own := c.Module.Items[i].(*ptx.Func)
			note(x.Pos, own.Pos)
			if x.Body != nil {
				noteBlock(x.Body, own.Body, note)
			}
		}
	}
	return text.String(), lines, nil
}

// noteBlock notes the positions of the statements of a block and of the same block before it
// was printed.
func noteBlock(printed, own *ptx.Block, note func(printed, own ptx.Pos)) {
	for i, s := range printed.Stmts {
		switch x := s.(type) {
		case *ptx.Instr:
			note(x.Pos, own.Stmts[i].(*ptx.Instr).Pos)
		case *ptx.Decl:
			note(x.Pos, own.Stmts[i].(*ptx.Decl).Pos)
		case *ptx.Label:
			note(x.Pos, own.Stmts[i].(*ptx.Label).Pos)
		case *ptx.Block:
			noteBlock(x, own.Stmts[i].(*ptx.Block), note)
		}
	}
}

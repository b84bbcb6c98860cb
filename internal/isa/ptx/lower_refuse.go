package ptx

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// What is wrong in a module keeps no more from being executed than it must. A statement of a
// function's body becomes isa.Unknown in its place, with the reason, so that the kernels
// without it are as they would be. A declaration of the module leaves a name that cannot be
// used, and a kernel whose header is wrong consists of nothing but isa.Unknown.

// refused makes the instruction that stands for a statement that is wrong, at the position
// of the error or else the one given, and warns of it.
func (l *lowering) refused(at Pos, text string, err error) isa.Instr {
	visible := strings.Join(strings.FieldsFunc(shorten(text), func(r rune) bool { return !unicode.IsGraphic(r) || r == ' ' }), " ")
	if visible == "" { // A statement of nothing but control characters.
		visible = strconv.Quote(text)
	}
	in := isa.Instr{Op: isa.Unknown, Text: visible, Pos: l.at(at), Reason: err.Error()}
	var placed *diag.Error
	if errors.As(err, &placed) {
		in.Pos, in.Reason = placed.Pos, placed.Err.Error()
	}
	l.program.Warnings = append(l.program.Warnings, diag.Warning{Pos: in.Pos, ID: "refused-statement", Text: in.Text + ": " + in.Reason})
	return in
}

// check refuses a statement if there is an error in it.
func (fn *function) check(s Stmt, err error) {
	if err == nil {
		return
	}
	at, text := summary(s)
	in := fn.refused(at, text, err)
	in.Loc, in.Inlined = fn.loc, fn.inlined
	fn.refusedAt[in.Pos] = true
	fn.f.Instrs = append(fn.f.Instrs, in)
}

// summary gives the position of a statement and so much of its text that it can be told
// from others.
func summary(s Stmt) (Pos, string) {
	switch x := s.(type) {
	case *Instr:
		return x.Pos, x.String()
	case *Decl:
		return x.Pos, declaration(x, &x.Names[0])
	case *Label:
		return x.Pos, x.Name
	case *Targets:
		return x.Pos, x.Label
	case *Prototype:
		return x.Pos, x.Label
	case *Refused:
		return x.At, strings.TrimSuffix(x.Text, ";")
	}
	return Pos{}, ""
}

// declaration is the beginning of the text that declares a name.
func declaration(d *Decl, name *Declarator) string {
	return "." + d.Space + " ." + d.Type + " " + name.Name
}

// heading is the beginning of the text of a function.
func heading(f *Func) string {
	if f.Entry {
		return ".entry " + f.Name
	}
	return ".func " + f.Name
}

// refuseItem takes in an item of the module that is no PTX.
func (l *lowering) refuseItem(x *Refused) {
	_, text := summary(x)
	in := l.refused(x.At, text, l.errorf(x.At, "%s", x.Reason))
	switch {
	case x.Whole:
		l.spoilt = append(l.spoilt, in)
	case x.Name != "":
		l.refuseFunc(x.Name, x.Entry, in)
	}
}

// refuseName makes a name of the module one that cannot be used.
func (l *lowering) refuseName(name string, in isa.Instr) {
	l.names[name] = symbol{kind: symRefused, index: int32(len(l.bad))}
	l.bad = append(l.bad, in)
}

// because says why a name cannot be used.
func (l *lowering) because(name string, s symbol) string {
	in := &l.bad[s.index]
	return fmt.Sprintf("%s cannot be used, see %s: %s", name, in.Pos, in.Reason)
}

// refuseFunc makes the name of a function one that cannot be used. A kernel stays in the
// program, and so does what a function of that name was declared as before, with nothing but
// the reason in it.
func (l *lowering) refuseFunc(name string, entry bool, in isa.Instr) {
	known := l.names[name]
	l.refuseName(name, in)
	switch {
	case known.kind == symFunc:
		f := *l.program.Funcs[known.index]
		f.Entry, f.Extern, f.Instrs = f.Entry || entry, false, []isa.Instr{in}
		l.program.Funcs[known.index] = &f
	case entry && known.kind == symNone:
		l.program.Funcs = append(l.program.Funcs, &isa.Func{Name: name, Entry: true, Pos: in.Pos, Instrs: []isa.Instr{in}})
		l.sigs = append(l.sigs, signature{})
	}
}

// checkAddresses reports the address of a shared variable among the initial values of one: it is no
// constant, as NVIDIA's assembler has it, since the variable lies elsewhere for each CTA.
func (l *lowering) checkAddresses(v *isa.Var) error {
	for _, r := range v.Relocs {
		if s := l.names[r.Var]; s.kind == symVar && l.program.Vars[s.index].Space == isa.Shared {
			return fmt.Errorf("it is initialised with the address of %s, which is in .shared and no constant; store it when the kernel runs", r.Var)
		}
	}
	return nil
}

// refuseInitialised refuses the variables whose initial values are addresses that are no constants,
// or of what cannot be used, and those of theirs in turn.
func (l *lowering) refuseInitialised() {
	for i := range l.program.Vars {
		v := &l.program.Vars[i]
		if err := l.checkAddresses(v); err != nil && l.names[v.Name].kind == symVar {
			l.refuseName(v.Name, l.refused(Pos{v.Pos.Line, v.Pos.Col}, v.Name, err))
		}
	}
	users := make(map[string][]int)
	for i := range l.program.Vars {
		for _, r := range l.program.Vars[i].Relocs {
			users[r.Var] = append(users[r.Var], i)
		}
	}
	isRefused := func(name string) bool { return l.names[name].kind == symRefused }
	queue := slices.Collect(maps.Keys(users))
	queue = slices.DeleteFunc(queue, func(name string) bool { return !isRefused(name) })
	slices.Sort(queue)
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		for _, i := range users[name] {
			v := &l.program.Vars[i]
			if isRefused(v.Name) {
				continue
			}
			err := fmt.Errorf("it is initialised with the address of %s, which cannot be used", name)
			l.refuseName(v.Name, l.refused(Pos{v.Pos.Line, v.Pos.Col}, v.Name, err))
			queue = append(queue, v.Name)
		}
	}
}

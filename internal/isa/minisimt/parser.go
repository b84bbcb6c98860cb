package minisimt

import (
	"math"
	"slices"
	"strconv"

	"warpbound/diag"
	"warpbound/internal/isa/clex"
)

// Parse reads a module. The first error that it finds is returned, with its position.
// Names and types are checked by Lower.
func Parse(file string, src []byte) (*Module, error) {
	tokens, err := clex.NewCursor(file, src)
	if err != nil {
		return nil, err
	}
	p := &parser{Cursor: tokens}
	m := &Module{File: file}
	for p.Peek().Kind != clex.End {
		k, err := p.kernel()
		if err != nil {
			return nil, err
		}
		m.Kernels = append(m.Kernels, k)
	}
	if len(m.Kernels) == 0 {
		return nil, diag.Errorf(p.Peek().Pos, "the module has no kernel; one begins with: kernel NAME(int n)")
	}
	return m, nil
}

type parser struct {
	clex.Cursor
}

// endLine returns an error unless the next token begins a line.
func (p *parser) endLine() error {
	if t := p.Peek(); t.Kind != clex.End && !t.First {
		return diag.Errorf(t.Pos, "want the end of the line, not %s", t)
	}
	return nil
}

// kernel reads a header, declarations, and instructions up to the next header.
func (p *parser) kernel() (*Kernel, error) {
	pos := p.Peek().Pos
	if err := p.Expect("kernel"); err != nil {
		return nil, err
	}
	name, err := p.name("a kernel")
	if err != nil {
		return nil, err
	}
	k := &Kernel{Name: name.Text, Pos: pos}
	if err := p.params(k); err != nil {
		return nil, err
	}
	for isType(p.Peek()) {
		if err := p.declaration(k); err != nil {
			return nil, err
		}
	}
	for t := p.Peek(); t.Kind != clex.End && !t.Is("kernel"); t = p.Peek() {
		if err := p.line(k); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// Reserved reports whether a word may not name a variable or kernel.
func Reserved(word string) bool {
	return word == "kernel" || slices.Contains(typeNames[:], word) ||
		slices.Contains(opcodeNames[Bz:], word) || slices.Contains(Specials(), word)
}

func (p *parser) name(what string) (clex.Token, error) {
	t := p.Next()
	switch {
	case t.Kind != clex.Word:
		return t, diag.Errorf(t.Pos, "want the name of %s, not %s", what, t)
	case Reserved(t.Text):
		return t, diag.Errorf(t.Pos, "%s cannot be the name of %s: the word is reserved", t, what)
	}
	return t, nil
}

func isType(t clex.Token) bool {
	return t.Kind == clex.Word && slices.Contains([]string{"int", "float", "bool"}, t.Text)
}

// typeName reads a type.
func (p *parser) typeName() (Type, error) {
	t := p.Next()
	if !isType(t) {
		return NoType, diag.Errorf(t.Pos, "want a type (int, float, bool, int*, float*), not %s", t)
	}
	typ := Type(slices.Index(typeNames[:], t.Text))
	if star := p.Peek(); p.Accept("*") {
		if typ == Bool {
			return NoType, diag.Errorf(star.Pos, "there are no pointers to bool: memory holds int and float")
		}
		typ = typ.Pointer()
	}
	return typ, nil
}

func (p *parser) params(k *Kernel) error {
	if err := p.Expect("("); err != nil {
		return err
	}
	if p.Accept(")") {
		return p.endLine()
	}
	for {
		typ, err := p.typeName()
		if err != nil {
			return err
		}
		name, err := p.name("a parameter")
		if err != nil {
			return err
		}
		k.Params = append(k.Params, Var{Name: name.Text, Type: typ, Pos: name.Pos})
		if p.Accept(")") {
			return p.endLine()
		}
		if err := p.Expect(","); err != nil {
			return err
		}
	}
}

func (p *parser) declaration(k *Kernel) error {
	typ, err := p.typeName()
	if err != nil {
		return err
	}
	for {
		name, err := p.name("a variable")
		if err != nil {
			return err
		}
		k.Vars = append(k.Vars, Var{Name: name.Text, Type: typ, Pos: name.Pos})
		if !p.Accept(",") {
			return p.endLine()
		}
	}
}

// line reads an instruction with its address, if that is given.
func (p *parser) line(k *Kernel) error {
	if t := p.Peek(); t.Kind == clex.Int {
		at, err := p.address()
		if err != nil {
			return err
		}
		switch {
		case len(k.Code) == 0:
			k.Start = at
		case at != k.Start+len(k.Code):
			return diag.Errorf(t.Pos, "address %d where %d follows", at, k.Start+len(k.Code))
		}
		if err := p.Expect(":"); err != nil {
			return err
		}
	}
	in, err := p.instr()
	if err != nil {
		return err
	}
	k.Code = append(k.Code, in)
	return p.endLine()
}

// maxAddress bounds addresses.
const maxAddress = 1 << 24

func (p *parser) address() (int, error) {
	t := p.Next()
	n, err := strconv.ParseUint(t.Text, 10, 64)
	if t.Kind != clex.Int || err != nil || n > maxAddress {
		return 0, diag.Errorf(t.Pos, "want an address from 0 to %d, not %s", maxAddress, t)
	}
	return int(n), nil
}

func (p *parser) instr() (in Instr, err error) {
	t := p.Next()
	in.Pos = t.Pos
	if t.Kind == clex.Word {
		if i := slices.Index(opcodeNames[Bz:], t.Text); i >= 0 {
			in.Op = Bz + Opcode(i)
		}
	}
	switch in.Op {
	case Bz, Bnz:
		if in.A, err = p.value(); err == nil {
			if err = p.Expect(","); err == nil {
				in.Target, err = p.address()
			}
		}
	case Jump:
		in.Target, err = p.address()
	case Store:
		if in.A, err = p.value(); err == nil {
			if err = p.Expect("="); err == nil {
				in.B, err = p.value()
			}
		}
	case Load, Const:
		if err = p.destination(&in); err == nil {
			in.A, err = p.value()
		}
	case Binop:
		err = p.binop(&in)
	case Sync:
	case Barrier:
		if in.A, err = p.value(); err == nil {
			if err = p.Expect(","); err == nil {
				in.B, err = p.value()
			}
		}
	default:
		return in, diag.Errorf(t.Pos, "want an instruction (bz, bnz, jump, store, load, binop, const, sync, barrier), not %s", t)
	}
	return in, err
}

func (p *parser) destination(in *Instr) error {
	name, err := p.name("a variable")
	if err != nil {
		return err
	}
	in.Dst = name.Text
	return p.Expect("=")
}

func (p *parser) binop(in *Instr) (err error) {
	if err = p.destination(in); err != nil {
		return err
	}
	if in.A, err = p.value(); err != nil {
		return err
	}
	t := p.Next()
	if t.Kind != clex.Symbol || !slices.Contains(Operators(), t.Text) {
		return diag.Errorf(t.Pos, "want an operator such as + or <=, not %s", t)
	}
	in.Operator = t.Text
	in.B, err = p.value()
	return err
}

// value reads a variable or a number.
func (p *parser) value() (Value, error) {
	v := Value{Pos: p.Peek().Pos}
	if t := p.Peek(); t.Kind == clex.Word && slices.Contains(Specials(), t.Text) {
		v.Name = p.Next().Text
		return v, nil
	} else if t.Kind == clex.Word {
		name, err := p.name("a variable")
		v.Name = name.Text
		return v, err
	}
	sign := ""
	if p.Accept("-") {
		sign = "-"
	}
	t := p.Next()
	n, err := Number(t, sign)
	if err != nil {
		return v, err
	}
	n.Pos = v.Pos
	return n, nil
}

// Number reads a number with the sign "" or "-". Integers are those of 32 bits, signed or
// not.
func Number(t clex.Token, sign string) (Value, error) {
	v := Value{Pos: t.Pos}
	switch t.Kind {
	case clex.Int:
		n, err := strconv.ParseInt(sign+t.Text, 0, 64)
		if octal := len(t.Text) > 1 && t.Text[0] == '0' && t.Text[1]|0x20 != 'x'; err != nil || octal || n < math.MinInt32 || n > math.MaxUint32 {
			return v, diag.Errorf(t.Pos, "%s%s is no integer of 32 bits, decimal or 0x and hexadecimal", sign, t.Text)
		}
		v.Int = int32(uint32(n))
	case clex.Float:
		x, err := strconv.ParseFloat(sign+t.Text, 32)
		if err != nil {
			return v, diag.Errorf(t.Pos, "%s%s is beyond the range of float", sign, t.Text)
		}
		v.IsFloat, v.Float = true, float32(x)
	default:
		return v, diag.Errorf(t.Pos, "want a variable or a number, not %s", t)
	}
	return v, nil
}

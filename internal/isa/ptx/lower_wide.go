package ptx

import (
	"errors"
	"slices"
	"strings"

	"warpbound/internal/isa"
)

// A register of 128 bits is two of 64, the low half first: isa has none wider.

// wide lowers a register of 128 bits into two results or sources of in.
func (fn *function) wide(in *isa.Instr, s *slot, o *Operand) error {
	sym := fn.lookup(o.Name)
	sink := o.Kind == OperandName && o.Name == "_" && s.result()
	if !sink && (o.Kind != OperandName || o.Not || sym.kind != symWide) {
		return errors.New("want a register of 128 bits")
	}
	for half := range isa.Reg(2) {
		out := isa.RegOperand(sym.reg + half)
		if sink {
			out = isa.Operand{Kind: isa.KindSink, Reg: isa.NoReg}
		}
		if s.result() {
			in.Dst = append(in.Dst, out)
		} else {
			in.Src = append(in.Src, out)
		}
	}
	return nil
}

// halved makes an instruction on halves of one on 128 bits: a vector of two for
// an access to memory, two moves for a move.
func (fn *function) halved(in isa.Instr) isa.Instr {
	in.Type = isa.B64
	if in.Op != isa.Mov {
		if in.Space == isa.Param && !fn.f.Entry {
			in.Space = isa.Local
		}
		return in
	}
	low := in
	low.Dst, low.Src = in.Dst[:1], in.Src[:1]
	fn.before = append(fn.before, low)
	in.Dst, in.Src = in.Dst[1:], in.Src[1:]
	return in
}

// elementwise makes a move of each element of a move of vectors. A source that the
// move of an element before it overwrites is saved.
func (fn *function) elementwise(in isa.Instr) isa.Instr {
	move := func(dst, src isa.Operand) isa.Instr {
		return isa.Instr{Op: isa.Mov, Type: in.Type, Dst: []isa.Operand{dst}, Src: []isa.Operand{src}}
	}
	for i, src := range in.Src {
		overwrites := func(dst isa.Operand) bool { return dst.Kind == isa.KindReg && dst.Reg == src.Reg }
		if src.Kind == isa.KindReg && slices.ContainsFunc(in.Dst[:i], overwrites) {
			in.Src[i] = isa.RegOperand(fn.newReg("%saved", fn.f.Regs[src.Reg].Type))
			fn.before = append(fn.before, move(in.Src[i], src))
		}
	}
	last := len(in.Dst) - 1
	for i := range last {
		fn.before = append(fn.before, move(in.Dst[i], in.Src[i]))
	}
	return move(in.Dst[last], in.Src[last])
}

// expanded replaces the names of vectors of registers, special ones included, by
// lists of their elements.
func (fn *function) expanded(x *Instr) *Instr {
	out := *x
	out.Operands = make([]Operand, len(x.Operands))
	for i, o := range x.Operands {
		sym := fn.lookup(o.Name)
		elements := 0
		switch {
		case o.Kind != OperandName || o.Not:
		case sym.kind == symVector:
			elements = int(sym.index)
		case sym.kind == symNone && isSpecialVector(o.Name):
			elements = 4
		}
		if elements > 0 {
			o = braced(o, elements)
		}
		out.Operands[i] = o
	}
	return &out
}

// braced gives the elements of a vector of registers in braces.
func braced(o Operand, elements int) Operand {
	list := Operand{Pos: o.Pos, Kind: OperandVector}
	for e := range elements {
		list.List = append(list.List, Operand{Pos: o.Pos, Name: o.Name + "." + elementNames[e:e+1]})
	}
	return list
}

// isSpecialVector reports whether a name is that of a special register with four
// elements, such as %tid.
func isSpecialVector(name string) bool {
	base, ok := strings.CutPrefix(name, "%")
	if ok {
		_, ok = isa.SpecialByName(base + ".w")
	}
	return ok
}

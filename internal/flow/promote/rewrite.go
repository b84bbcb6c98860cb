package promote

import (
	"cmp"
	"fmt"
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// slot is a range of bytes that registers hold: in equal parts, the first at the lowest address.
type slot struct {
	span
	unit     int64 // bytes of a part
	accesses []int
	regs     []isa.Reg
}

// rewrite returns the graph of a kernel in which slots are registers, as far as the assumptions
// leave them, and these slots.
func rewrite(g *cfg.Graph, w *whereabouts, a *assumptions) (*cfg.Graph, []slot) {
	promoted := separated(g)
	k := promoted.Kernel
	k.Instrs, k.Regs = slices.Clone(k.Instrs), slices.Clone(k.Regs)
	slots := slices.DeleteFunc(w.slots(), func(s slot) bool { return a.inMemory(s.span) || !w.regular(&s) })
	for i := range slots {
		s := &slots[i]
		for at := s.start; at < s.end; at += s.unit {
			s.regs = append(s.regs, isa.Reg(len(k.Regs)))
			k.Regs = append(k.Regs, isa.RegDecl{Name: fmt.Sprintf("%s+%d", k.Vars[s.variable].Name, at), Type: words[s.unit]})
		}
	}
	for pc := range w.accesses {
		k.Instrs[pc].Space = isa.Local
	}
	for i := range slots {
		for _, pc := range slots[i].accesses {
			k.Instrs[pc] = w.moved(&slots[i], pc)
			k.Instrs[pc].Text = g.Kernel.Format(&g.Kernel.Instrs[pc])
		}
	}
	return promoted, slots
}

// words are the types of registers by bytes. There are none of less than two.
var words = map[int64]isa.Type{1: isa.B16, 2: isa.B16, 4: isa.B32, 8: isa.B64}

// The types of conversions by bytes.
var (
	unsigned = map[int64]isa.Type{1: isa.U8, 2: isa.U16, 4: isa.U32, 8: isa.U64}
	signed   = map[int64]isa.Type{1: isa.S8, 2: isa.S16, 4: isa.S32, 8: isa.S64}
)

// slots returns the ranges of bytes that accesses at known distances have in common.
func (w *whereabouts) slots() []slot {
	var order []int
	for pc, at := range w.accesses {
		if at.exact {
			order = append(order, pc)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := w.accesses[a], w.accesses[b]
		return cmp.Or(cmp.Compare(x.variable, y.variable), cmp.Compare(x.distance, y.distance), cmp.Compare(a, b))
	})
	var all []slot
	for _, pc := range order {
		touched, _ := w.touched(pc)
		unit := touched.end - touched.start
		if last := len(all) - 1; last >= 0 && all[last].overlaps(touched) {
			s := &all[last]
			s.end, s.unit = max(s.end, touched.end), min(s.unit, unit)
			s.accesses = append(s.accesses, pc)
			continue
		}
		all = append(all, slot{span: touched, unit: unit, accesses: []int{pc}})
	}
	return all
}

// regular reports whether each access to a slot is one move of its parts.
func (w *whereabouts) regular(s *slot) bool {
	for _, pc := range s.accesses {
		in := &w.kernel.Instrs[pc]
		touched, _ := w.touched(pc)
		bytes := touched.end - touched.start
		switch parts := bytes / s.unit; {
		case words[s.unit] == isa.Invalid || (touched.start-s.start)%s.unit != 0:
			return false
		case parts > 1:
			if s.unit < 2 || words[bytes] == isa.Invalid || !w.as(valueOf(in), bytes) {
				return false
			}
		case elements(in) > 1:
			for _, o := range vector(in) {
				if !w.as(o, int64(in.Type.Bytes())) {
					return false
				}
			}
		case !w.single(in):
			return false
		}
	}
	return true
}

// valueOf returns the operand that an access to one element loads or stores.
func valueOf(in *isa.Instr) isa.Operand { return vector(in)[0] }

func vector(in *isa.Instr) []isa.Operand {
	if in.Op == isa.Ld {
		return in.Dst
	}
	return in.Src[1:]
}

// as reports whether an operand is a register of just so many bytes.
func (w *whereabouts) as(o isa.Operand, bytes int64) bool {
	return o.Kind == isa.KindReg && int64(w.kernel.Regs[o.Reg].Type.Bytes()) == bytes && w.kernel.Regs[o.Reg].Type != isa.Pred
}

// single reports whether an access to one element is a move or a conversion.
func (w *whereabouts) single(in *isa.Instr) bool {
	o := valueOf(in)
	integer := in.Type.Class() == isa.Bits || in.Type.Class() == isa.Unsigned || in.Type.Class() == isa.Signed
	switch {
	case o.Kind == isa.KindReg && w.kernel.Regs[o.Reg].Type.Bits() <= 64:
		return w.as(o, int64(in.Type.Bytes())) || integer && w.kernel.Regs[o.Reg].Type.Bits() >= 16
	case in.Op == isa.St:
		return o.Kind == isa.KindImm || o.Kind == isa.KindVar && in.Type.Bits() == w.kernel.AddressBits
	}
	return false
}

// moved returns the move that an access to a slot is.
func (w *whereabouts) moved(s *slot, pc int) isa.Instr {
	in := &w.kernel.Instrs[pc]
	touched, _ := w.touched(pc)
	first := (touched.start - s.start) / s.unit
	parts := make([]isa.Operand, (touched.end-touched.start)/s.unit)
	for i := range parts {
		parts[i] = isa.RegOperand(s.regs[first+int64(i)])
	}
	out := isa.Instr{Op: isa.Mov, Guard: in.Guard, WarpSize: in.WarpSize, Pos: in.Pos, Loc: in.Loc}
	dst, src := parts, vector(in)
	if in.Op == isa.Ld {
		dst, src = src, dst
	}
	out.Dst, out.Src = slices.Clone(dst), slices.Clone(src)
	switch {
	case len(dst) > 1:
		out.Op, out.Type = isa.Unpack, words[touched.end-touched.start]
	case len(src) > 1:
		out.Op, out.Type = isa.Pack, words[touched.end-touched.start]
	case w.as(valueOf(in), s.unit) || src[0].Kind != isa.KindReg:
		out.Type = words[s.unit]
	case in.Op == isa.St:
		out.Op, out.Type, out.SrcType = isa.Cvt, unsigned[max(s.unit, 2)], unsigned[s.unit]
	default:
		types := unsigned
		if in.Type.IsSigned() {
			types = signed
		}
		out.Op, out.Type, out.SrcType = isa.Cvt, types[int64(w.kernel.Regs[valueOf(in).Reg].Type.Bytes())], types[s.unit]
	}
	return out
}

package ptx

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"warpbound/internal/isa"
)

// parameterAddress gives the address of a parameter of a device function or of
// a call. That of a scalar is the register that holds it, with the offset in
// Imm, which parameterAccess resolves.
func (fn *function) parameterAddress(in *isa.Instr, sym symbol, v value) (isa.Operand, error) {
	if in.Op != isa.Ld && in.Op != isa.St || in.Space != isa.Param {
		return isa.Operand{}, fmt.Errorf("%s is a parameter; only ld.param and st.param reach it", v.name)
	}
	switch sym.kind {
	case symScalar:
		return isa.Operand{Kind: isa.KindReg, Reg: sym.reg, Imm: v.bits}, nil
	case symPointed:
		in.Space = isa.Local
		return isa.Operand{Kind: isa.KindAddr, Reg: sym.reg, Imm: v.bits}, nil
	}
	in.Space = isa.Local
	return isa.Operand{Kind: isa.KindVarAddr, Reg: isa.NoReg, Var: sym.index, Imm: v.bits}, nil
}

// parameterAccess turns what a device function and its callers do in the space
// Param, where they have no memory: scalars are registers, so that ld.param and
// st.param become moves, and aggregates are local. Instructions of entries and
// of other spaces stay as they are.
func (fn *function) parameterAccess(in isa.Instr) (isa.Instr, error) {
	if in.Space != isa.Param {
		return in, nil
	}
	if (in.Op == isa.Ld || in.Op == isa.St) && in.Src[0].Kind == isa.KindReg {
		return fn.parameterMove(in)
	}
	if !fn.f.Entry {
		in.Space = isa.Local
	}
	return in, nil
}

// checkParameter refuses a load that begins in a parameter of an entry and ends
// behind it: what lies there is up to the layout of the parameter block.
func (fn *function) checkParameter(in *isa.Instr) error {
	if in.Op != isa.Ld || in.Src[0].Kind != isa.KindVarAddr || in.Src[0].Var != isa.ParamVar {
		return nil
	}
	start := int(in.Src[0].Imm)
	for _, p := range fn.f.Params {
		at, end := start-p.Offset, start-p.Offset+in.Type.Bytes()*len(in.Dst)
		if at >= 0 && at < p.Bytes && end > p.Bytes {
			return unknownError{fmt.Sprintf("it reads %d bytes at offset %d of parameter %s, which has %d", end-at, at, p.Name, p.Bytes)}
		}
	}
	return nil
}

// beyondParameter is the error of an access that does not begin in the parameter
// that it names.
func beyondParameter(offset int64, name string, bytes int) error {
	return unknownError{fmt.Sprintf("it reads at offset %d of parameter %s, which has %d bytes", offset, name, bytes)}
}

// parameterMove makes a move, or a conversion if widths differ, of an access to
// a scalar parameter.
func (fn *function) parameterMove(in isa.Instr) (isa.Instr, error) {
	reg := isa.RegOperand(in.Src[0].Reg)
	held := fn.f.Regs[reg.Reg].Type
	count := len(in.Dst) + len(in.Src) - 1
	switch end := in.Src[0].Imm + uint64(in.Type.Bytes()*count); {
	case end > uint64(held.Bytes()) || end < in.Src[0].Imm:
		return in, fmt.Errorf("access of %d bytes at %d, but the parameter has %d", in.Type.Bytes()*count, int64(in.Src[0].Imm), held.Bytes())
	case in.Src[0].Imm != 0 || count > 1 || in.Op == isa.St && fn.parted[reg.Reg] && in.Type.Bits() < held.Bits():
		return fn.parameterParts(in), nil
	}
	dst, src := reg, reg
	if in.Op == isa.Ld {
		dst = in.Dst[0]
	} else {
		src = in.Src[1]
	}
	out := isa.Instr{Op: isa.Mov, Type: in.Type, Dst: []isa.Operand{dst}, Src: []isa.Operand{src}}
	to, from := fn.width(dst, in.Type), fn.width(src, in.Type)
	if to == in.Type.Bits() && from == to {
		return out, nil
	}
	if src.Kind == isa.KindImm { // the upper bytes are not defined; zeros will do
		out.Type = integer(to, false)
		return out, nil
	}
	signed := in.Type.IsSigned()
	out.Op, out.Type, out.SrcType = isa.Cvt, integer(to, signed), integer(in.Type.Bits(), signed)
	return out, nil
}

// parameterParts makes shifts and insertions of accesses to parts of a scalar
// parameter. A store of its first bytes is a whole move, whose upper bytes are not
// defined, unless others were stored before it.
func (fn *function) parameterParts(in isa.Instr) isa.Instr {
	held := isa.RegOperand(in.Src[0].Reg)
	if in.Op == isa.St {
		fn.parted[held.Reg] = true
	}
	size := fn.f.Regs[held.Reg].Type.Bits()
	word := integer(max(size, 32), false)
	whole := held
	emit := func(op isa.Op, t, from isa.Type, dst isa.Operand, src ...isa.Operand) {
		fn.before = append(fn.before, isa.Instr{Op: op, Type: t, SrcType: from, Dst: []isa.Operand{dst}, Src: src})
	}
	if size < 32 {
		whole = isa.RegOperand(fn.newReg("%whole", word))
		emit(isa.Cvt, word, integer(size, false), whole, held)
	}
	at, bits := 8*in.Src[0].Imm, in.Type.Bits()
	part := integer(bits, in.Type.IsSigned())
	for _, dst := range in.Dst {
		if dst.Kind == isa.KindReg {
			shifted := isa.RegOperand(fn.newReg("%part", word))
			emit(isa.Shr, word, isa.Invalid, shifted, whole, isa.ImmOperand(at))
			emit(isa.Cvt, integer(fn.width(dst, in.Type), in.Type.IsSigned()), part, dst, shifted)
		}
		at += uint64(bits)
	}
	for _, src := range in.Src[1:] {
		if src.Kind == isa.KindReg && fn.width(src, in.Type) != word.Bits() {
			widened := isa.RegOperand(fn.newReg("%part", word))
			emit(isa.Cvt, word, integer(bits, false), widened, src)
			src = widened
		}
		emit(isa.Bfi, bitsOf(word), isa.Invalid, whole, src, whole, isa.ImmOperand(at), isa.ImmOperand(uint64(bits)))
		at += uint64(bits)
	}
	if in.Op == isa.St && size < 32 {
		emit(isa.Cvt, integer(size, false), word, held, whole)
	}
	if len(fn.before) == 0 { // all results are dropped
		return isa.Instr{Op: isa.Nop}
	}
	last := fn.before[len(fn.before)-1]
	fn.before = fn.before[:len(fn.before)-1]
	return last
}

// bitsOf gives the untyped bits of a type's width.
func bitsOf(t isa.Type) isa.Type { return partTypes[t.Bits()] }

// width gives the bits of a register operand, or those of t of another operand.
func (fn *function) width(o isa.Operand, t isa.Type) int {
	if o.Kind == isa.KindReg {
		return fn.f.Regs[o.Reg].Type.Bits()
	}
	return t.Bits()
}

// integer gives the integer type of a width.
func integer(bits int, signed bool) isa.Type {
	types := map[int][2]isa.Type{
		8: {isa.U8, isa.S8}, 16: {isa.U16, isa.S16}, 32: {isa.U32, isa.S32}, 64: {isa.U64, isa.S64},
	}
	if signed {
		return types[bits][1]
	}
	return types[bits][0]
}

// call lowers "call (results), function, (arguments)", where both lists may be
// missing. If the function is a register, a list of targets or a prototype
// follows.
func (fn *function) call(x *Instr) (isa.Instr, error) {
	rest := x.Operands
	var results, args []Operand
	if len(rest) > 0 && rest[0].Kind == OperandTuple {
		results, rest = fn.elements(rest[0].List), rest[1:]
	}
	if len(rest) == 0 || rest[0].Kind != OperandName || rest[0].Not {
		return isa.Instr{}, errors.New("want call (results), function, (arguments)")
	}
	callee := rest[0]
	rest = rest[1:]
	if len(rest) > 0 && rest[0].Kind == OperandTuple {
		args, rest = fn.elements(rest[0].List), rest[1:]
	}
	in := isa.Instr{Op: isa.Call}
	var sig signature
	switch sym := fn.lookup(callee.Name); {
	case sym.kind == symFunc:
		f := fn.program.Funcs[sym.index]
		if isPrint(f) {
			return fn.print(f, fn.sigs[sym.index], args, results, x.Pos)
		}
		in.Callee, sig = f.Name, fn.sigs[sym.index]
		if _, known := isa.SystemByName(f.Name); f.Extern && !known {
			fn.warn(x.Pos, "unresolved-extern", "call of %s, which the module declares but does not define", f.Readable())
		}
	case len(rest) == 1 && rest[0].Kind == OperandName:
		address, err := fn.named(callee.Name, fn.address, false)
		if err != nil {
			return in, err
		}
		in.Src = append(in.Src, address)
		if in.Callees, sig, err = fn.callees(&rest[0]); err != nil {
			return in, err
		}
	case sym.kind == symNone && !strings.HasPrefix(callee.Name, "%"): // of a runtime, such as OptiX's
		return in, unknownError{callee.Name + " is not declared"}
	case sym.kind == symReg:
		return in, fn.errorf(x.Pos, "a call by address needs a list of targets or a prototype behind its arguments")
	default:
		return in, fn.errorf(callee.Pos, "call of %s, which is no function of the module", callee.Name)
	}
	return in, fn.pass(&in, callee.Name, sig, args, results, x.Pos)
}

// elements replaces vectors of registers among arguments, by name or in braces, by their
// elements.
func (fn *function) elements(args []Operand) []Operand {
	var flat []Operand
	for _, o := range args {
		if fn.vectors && o.Kind == OperandName && fn.lookup(o.Name).kind == symVector {
			o = braced(o, int(fn.lookup(o.Name).index))
		}
		if o.Kind == OperandVector {
			flat = append(flat, o.List...)
		} else {
			flat = append(flat, o)
		}
	}
	return flat
}

// pass lowers the arguments and results of a call.
func (fn *function) pass(in *isa.Instr, callee string, sig signature, args, results []Operand, pos Pos) error {
	if len(args) != len(sig.params) || len(results) != len(sig.results) {
		return fn.errorf(pos, "call of %s with %d arguments and %d results, but it has %d and %d",
			callee, len(args), len(results), len(sig.params), len(sig.results))
	}
	for i := range args {
		o, err := fn.argument(&args[i], sig.params[i])
		if err != nil {
			return fn.errorf(args[i].Pos, "argument %d of %s: %w", i+1, callee, err)
		}
		in.Src = append(in.Src, o)
	}
	for i := range results {
		o, err := fn.argument(&results[i], sig.results[i])
		switch {
		case err == nil && !sig.results[i].aggregate && o.Kind != isa.KindReg && o.Kind != isa.KindSink:
			err = fmt.Errorf("want a register or a parameter")
		case err == nil && sig.results[i].aggregate && slices.Contains(in.Src, o):
			err = fmt.Errorf("want another array than the call has already") // the function would overwrite what it reads
		case err == nil && sig.results[i].aggregate:
			in.Src = append(in.Src, o)
		case err == nil:
			in.Dst = append(in.Dst, o)
		}
		if err != nil {
			return fn.errorf(results[i].Pos, "result %d of %s: %w", i+1, callee, err)
		}
	}
	return nil
}

// callees gives the functions that a call by address may reach, and what they
// take: those of a list of targets, or all that a prototype fits.
func (fn *function) callees(o *Operand) ([]string, signature, error) {
	var names []string
	switch s := fn.lookup(o.Name); {
	case s.kind == symTargets && fn.targets[s.index].Kind == "calltargets":
		var first signature
		for i, n := range fn.targets[s.index].Names {
			f := fn.lookup(n.Text)
			if f.kind != symFunc {
				return nil, first, fn.errorf(n.Pos, "%s is no function of the module", n.Text)
			}
			if i == 0 {
				first = fn.sigs[f.index]
			} else if !first.equal(fn.sigs[f.index]) {
				return nil, first, fn.errorf(n.Pos, "%s has other parameters than %s", n.Text, names[0])
			}
			names = append(names, fn.program.Funcs[f.index].Name)
		}
		return names, first, nil
	case s.kind == symProto:
		proto := fn.protos[s.index]
		var sig signature
		var err error
		if _, sig.params, err = fn.parameters(proto.Params, false); err != nil {
			return nil, sig, err
		}
		if _, sig.results, err = fn.parameters(proto.Results, false); err != nil {
			return nil, sig, err
		}
		for i, f := range fn.program.Funcs {
			if !f.Entry && sig.equal(fn.sigs[i]) {
				names = append(names, f.Name)
			}
		}
		return names, sig, nil
	}
	return nil, signature{}, fn.errorf(o.Pos, "%s is neither a .calltargets list nor a .callprototype", o.Name)
}

// argument lowers one argument or result of a call.
func (fn *function) argument(o *Operand, p param) (isa.Operand, error) {
	if o.Kind != OperandName && o.Kind != OperandExpr {
		return isa.Operand{}, fmt.Errorf("want a parameter, a register or a constant")
	}
	sym := fn.lookup(o.Name)
	switch {
	case !p.aggregate && sym.kind == symScalar:
		if have := fn.f.Regs[sym.reg].Type; have.Bits() != p.typ.Bits() {
			return isa.Operand{}, fmt.Errorf("%s is .%s, want .%s", o.Name, have, p.typ)
		}
		return isa.RegOperand(sym.reg), nil
	case !p.aggregate:
		return fn.resolve(o, p.typ, &slot{})
	case sym.kind == symAggregate:
		return isa.Operand{Kind: isa.KindVar, Reg: isa.NoReg, Var: sym.index}, nil
	case sym.kind == symPointed:
		return isa.RegOperand(sym.reg), nil
	}
	return isa.Operand{}, fmt.Errorf("want an array parameter")
}

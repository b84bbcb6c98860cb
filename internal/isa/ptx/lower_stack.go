package ptx

import (
	"errors"
	"fmt"
	"strings"

	"warpbound/internal/isa"
)

// A function that allocates from its stack has a local variable for that, and a
// register that counts the bytes taken. It is zero when the function begins, so
// whatever an activation allocates is free when it returns.
const (
	frameBytes   = 4 << 10
	frameAlign   = 128 // the largest alignment that an allocation can have, in bytes
	defaultAlign = 8
)

// isStackInstr reports whether an instruction allocates from the stack or saves
// or restores how much of it is taken.
func isStackInstr(x *Instr) bool {
	name, _, _ := strings.Cut(x.Mnemonic, ".")
	return name == "alloca" || name == "stacksave" || name == "stackrestore"
}

func usesStack(b *Block) bool {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Block:
			if usesStack(s) {
				return true
			}
		case *Instr:
			if isStackInstr(s) {
				return true
			}
		}
	}
	return false
}

// openStack begins a function that allocates from its stack.
func (fn *function) openStack(at Pos) {
	fn.frame = int32(len(fn.program.Vars) + len(fn.f.Vars))
	fn.f.Vars = append(fn.f.Vars, isa.Var{
		Name: "%frame", Space: isa.Local, Type: isa.B8, Bytes: frameBytes, Align: frameAlign, Pos: fn.at(at),
	})
	fn.taken = fn.newReg("%taken", fn.address)
	none := fn.compute(isa.Mov, isa.RegOperand(fn.taken), isa.ImmOperand(0))
	none.Pos = fn.at(at)
	fn.f.Instrs = append(fn.f.Instrs, none)
}

// compute makes an instruction on addresses.
func (fn *function) compute(op isa.Op, d isa.Operand, src ...isa.Operand) isa.Instr {
	return isa.Instr{Op: op, Type: fn.address, Dst: []isa.Operand{d}, Src: src}
}

// stackInstr lowers an instruction on the stack.
func (fn *function) stackInstr(x *Instr) (isa.Instr, error) {
	name, typ, _ := strings.Cut(x.Mnemonic, ".")
	if typ != fn.address.String() {
		return isa.Instr{}, fmt.Errorf("want %s.%s, as wide as addresses are", name, fn.address)
	}
	minimum := map[string]int{"alloca": 2, "stacksave": 1, "stackrestore": 1}[name]
	maximum := minimum
	if name == "alloca" {
		maximum++
	}
	if n := len(x.Operands); n < minimum || n > maximum {
		return isa.Instr{}, fmt.Errorf("%d operands", n)
	}
	var operands [3]isa.Operand
	for i := range x.Operands {
		o := &x.Operands[i]
		if o.Kind != OperandName && o.Kind != OperandExpr {
			return isa.Instr{}, errors.New("want registers and constants")
		}
		var err error
		if operands[i], err = fn.resolve(o, fn.address, &slot{}); err != nil {
			return isa.Instr{}, err
		}
	}
	if name != "stackrestore" && operands[0].Kind != isa.KindReg {
		return isa.Instr{}, errors.New("want a register for the result")
	}
	taken := isa.RegOperand(fn.taken)
	switch name {
	case "stacksave":
		return fn.compute(isa.Mov, operands[0], taken), nil
	case "stackrestore":
		return fn.compute(isa.Min, taken, operands[0], isa.ImmOperand(frameBytes)), nil
	}
	align := uint64(defaultAlign)
	if len(x.Operands) > 2 {
		align = operands[2].Imm
		if operands[2].Kind != isa.KindImm || align == 0 || align&(align-1) != 0 {
			return isa.Instr{}, errors.New("want a power of two for the alignment")
		}
	}
	if align > frameAlign {
		return isa.Instr{}, unknownError{fmt.Sprintf("memory of the stack is not aligned to more than %d bytes", frameAlign)}
	}
	return fn.allocate(operands[0], operands[1], align), nil
}

// allocate takes memory from the stack. What does not fit gives an address that is far from
// any memory, which no access can use, and takes nothing.
func (fn *function) allocate(d, size isa.Operand, align uint64) isa.Instr {
	var (
		taken = isa.RegOperand(fn.taken)
		at    = isa.RegOperand(fn.newReg("%at", fn.address))
		room  = isa.RegOperand(fn.newReg("%room", fn.address))
		fits  = isa.RegOperand(fn.newReg("%fits", isa.Pred))
		base  = isa.Operand{Kind: isa.KindVar, Reg: isa.NoReg, Var: fn.frame}
		mask  = ^uint64(0) >> (64 - fn.address.Bits())
		far   = uint64(1) << (fn.address.Bits() - 1)
	)
	test := fn.compute(isa.Setp, fits, size, room)
	test.Cmp = isa.Le
	bits := map[isa.Type]isa.Type{isa.U32: isa.B32, isa.U64: isa.B64}[fn.address]
	round := fn.compute(isa.And, at, at, isa.ImmOperand(mask&^(align-1)))
	round.Type = bits
	fn.before = append(fn.before,
		fn.compute(isa.Add, at, taken, isa.ImmOperand(align-1)),
		round,
		fn.compute(isa.Sub, room, isa.ImmOperand(frameBytes), at),
		test,
		fn.compute(isa.Add, room, at, size),
		fn.compute(isa.Selp, taken, room, taken, fits),
		fn.compute(isa.Add, at, at, base),
	)
	return fn.compute(isa.Selp, d, at, isa.ImmOperand(far), fits)
}

package ptx

import (
	"errors"
	"fmt"

	"warpbound/internal/abi"
	"warpbound/internal/isa"
)

// OpenCL's printf has a variable number of arguments. Front ends declare it with the format
// alone and call it with all arguments, or they store those behind the format and pass their
// address, as CUDA's vprintf takes them (PTX ISA, "System-defined functions"). The first form
// is lowered to the second.

// printArguments gives the arguments of a call of printf as vprintf takes them, a format and
// the address of the rest: local memory in which each argument has its natural alignment.
func (fn *function) printArguments(args []Operand) ([]isa.Operand, error) {
	format, err := fn.argument(&args[0], param{typ: fn.address, bytes: fn.address.Bytes()})
	if err != nil {
		return nil, err
	}
	memory := isa.Var{Name: "%arguments", Space: isa.Local, Type: isa.B8, Align: 8, Pos: fn.f.Pos}
	index := int32(len(fn.program.Vars) + len(fn.f.Vars))
	for i := range args[1:] {
		o := &args[i+1]
		sym := fn.lookup(o.Name)
		if o.Kind != OperandName || sym.kind != symScalar && sym.kind != symReg {
			return nil, fmt.Errorf("argument %d of printf: want a parameter or a register", i+2)
		}
		size := fn.f.Regs[sym.reg].Type.Bytes()
		at := (memory.Bytes + size - 1) / size * size
		memory.Bytes = at + size
		fn.before = append(fn.before, isa.Instr{
			Op: isa.St, Type: partTypes[8*size], Space: isa.Local,
			Src: []isa.Operand{{Kind: isa.KindVarAddr, Reg: isa.NoReg, Var: index, Imm: uint64(at)}, isa.RegOperand(sym.reg)},
		})
	}
	if memory.Bytes == 0 {
		return []isa.Operand{format, isa.ImmOperand(0)}, nil
	}
	fn.newVar(memory)
	generic := isa.Operand{Kind: isa.KindVar, Reg: isa.NoReg, Var: index, Imm: abi.LocalBase}
	return []isa.Operand{format, generic}, nil
}

// isPrint reports whether a function is OpenCL's printf.
func isPrint(f *isa.Func) bool { return f.Extern && f.Name == "printf" }

// print lowers a call of OpenCL's printf, whose result is 0.
func (fn *function) print(f *isa.Func, sig signature, args, results []Operand, pos Pos) (isa.Instr, error) {
	call := isa.Instr{Op: isa.Call, Callee: f.Name}
	if len(args) == 0 || len(results) > 1 || len(sig.params) > 2 {
		return call, errors.New("want printf with a format, perhaps arguments, and at most one result")
	}
	if len(sig.params) == 2 { // the address of the arguments
		if err := fn.pass(&call, f.Name, sig, args, results, pos); err != nil {
			return call, err
		}
	} else {
		var err error
		if call.Src, err = fn.printArguments(args); err != nil {
			return call, err
		}
	}
	call.Dst = []isa.Operand{{Kind: isa.KindSink, Reg: isa.NoReg}}
	if len(results) == 0 {
		return call, nil
	}
	result, err := fn.argument(&results[0], param{typ: isa.B32, bytes: 4})
	if err == nil && result.Kind != isa.KindReg && result.Kind != isa.KindSink {
		err = errors.New("want a register or a parameter for the result of printf")
	}
	fn.before = append(fn.before, call)
	return isa.Instr{Op: isa.Mov, Type: isa.B32, Dst: []isa.Operand{result}, Src: []isa.Operand{isa.ImmOperand(0)}}, err
}

package isa

// Addresses in kernels are generic, whatever the space of the instruction that uses them. Where a
// language has windows, whose addresses are offsets, its front end adds the base of a window to
// the constant of an access and subtracts it from the address of a variable: see Operand.Window.
// So whatever executes or analyses instructions knows one space of numbers only.

// WithWindow returns the operand with the base of a window added, which texts leave out.
func (o Operand) WithWindow(base uint64) Operand {
	o.Imm += base
	o.Window += base
	return o
}

// TakesParamAddress reports whether the kernel has the address of a parameter as a number.
func (k *Kernel) TakesParamAddress() bool {
	for i := range k.Instrs {
		for _, o := range k.Instrs[i].Src {
			if o.Kind == KindVar && o.Var == ParamVar {
				return true
			}
		}
	}
	return false
}

// AddressWidth returns the bits in which an address is computed of what its operand names:
// those of its register, which is then extended by zeros. So an address of 32 bits in a module of
// 64 may begin from a register that is "negative".
func (k *Kernel) AddressWidth(o Operand) int {
	if o.Kind == KindAddr && o.Reg != NoReg {
		return min(k.AddressBits, k.Regs[o.Reg].Type.Bits())
	}
	return k.AddressBits
}

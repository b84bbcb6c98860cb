package ptx

import (
	"slices"

	"warpbound/internal/abi"
	"warpbound/internal/isa"
)

// windowOf gives the base of the window of a space among the generic addresses, 0 for a space
// whose addresses are generic ones.
func windowOf(s isa.Space) uint64 {
	switch s {
	case isa.Shared:
		return abi.SharedBase
	case isa.Local:
		return abi.LocalBase
	case isa.Param:
		return abi.ParamBase
	}
	return 0
}

// makeGeneric makes the addresses of an instruction generic that PTX has as offsets in windows:
//
//   - An access at a register, or at a constant alone, gets the base of its window. One that
//     names a variable means that variable, whatever its space.
//   - The address of a variable as a number loses the base.
//   - Conversions get what they add or subtract.
func (fn *function) makeGeneric(in *isa.Instr) {
	in.Src = slices.Clone(in.Src) // which another instruction may have, too
	for i, o := range in.Src {
		switch o.Kind {
		case isa.KindAddr:
			in.Src[i] = o.WithWindow(windowOf(addressedSpace(in, i)))
		case isa.KindVar:
			in.Src[i] = o.WithWindow(-windowOf(fn.spaceOf(o.Var)))
		}
	}
	if in.Op == isa.Cvta || in.Op == isa.CvtaTo {
		in.Src = append(in.Src, isa.ImmOperand(windowOf(in.Space)))
	}
}

// addressedSpace gives the space in which source i is an address, as the instruction says it.
func addressedSpace(in *isa.Instr, i int) isa.Space {
	switch {
	case in.Op == isa.CpAsync && i == 0, in.Op == isa.BulkCopy && (i == 0) == (in.Space != isa.Global):
		return isa.Shared
	case in.Op == isa.CpAsync, in.Op == isa.BulkCopy:
		return isa.Global
	}
	return in.Space
}

// spaceOf gives the space of a variable or of the parameters of an entry.
func (fn *function) spaceOf(index int32) isa.Space {
	if index == isa.ParamVar {
		return isa.Param
	}
	return fn.varAt(index).Space
}

package ptx

import (
	"errors"
	"fmt"

	"warpbound/internal/isa"
)

// startMatrix gives an instruction on matrices what the words of its mnemonic set.
func startMatrix(in *isa.Instr) {
	switch in.Op {
	case isa.LdMatrix, isa.StMatrix:
		in.Space = isa.Shared // also where it is not said, and the address is generic
		fallthrough
	case isa.Mma, isa.MovMatrix:
		in.Matrix = &isa.Matrix{}
	}
}

// matrixTypes sets the types of a product: of D, A, B and C.
func matrixTypes(in *isa.Instr, types []isa.Type) {
	if in.Op == isa.Mma && len(types) == 4 {
		in.Type, in.SrcType = types[0], types[1]
		in.Matrix.TypeB, in.Matrix.TypeC = types[2], types[3]
	}
}

// fragment lowers the registers of a fragment of a matrix.
func (fn *function) fragment(in *isa.Instr, c *candidate, s *slot, o *Operand) error {
	want, elements := fragmentOf(&c.instr, s.letter)
	list := []Operand{*o}
	if o.Kind == OperandVector {
		list = o.List
	}
	if len(list) != want {
		return fmt.Errorf("%d registers, want the %d of a fragment", len(list), want)
	}
	elem := *s
	elem.explicit = registerOf(elements)
	elem.typ = elem.explicit.String()
	for i := range list {
		if k := list[i].Kind; k != OperandName && k != OperandExpr {
			return errors.New("want a register or a constant in each element")
		}
		if err := fn.operand(in, c, &elem, &list[i]); err != nil {
			return err
		}
	}
	return nil
}

// fragmentOf returns the number of registers of a fragment and the type of its elements.
func fragmentOf(in *isa.Instr, letter byte) (int, isa.Type) {
	d, a, b, c := in.FragmentRegs()
	switch letter {
	case 'd':
		return d, in.Type
	case 'a':
		return a, in.SrcType
	case 'b':
		return b, in.Matrix.TypeB
	}
	return c, in.Matrix.TypeC
}

// registerOf returns the type of the registers that hold elements of a type: bits, unless one
// holds a single number that has a type of its own for registers.
func registerOf(elements isa.Type) isa.Type {
	switch elements {
	case isa.F32, isa.F64:
		return elements
	}
	return isa.B32
}

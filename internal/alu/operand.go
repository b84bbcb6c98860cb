package alu

import (
	"fmt"

	"warpbound/internal/isa"
)

// CheckNumber returns an error if the register of an operand does not hold numbers that can
// be computed with, or the operand is a complement.
func CheckNumber(k *isa.Kernel, o isa.Operand) error {
	switch r := k.Regs[o.Reg]; {
	case r.Type == isa.Pred:
		return fmt.Errorf("register %s is a predicate", r.Name)
	case r.Type.Bits() > 64:
		return fmt.Errorf("register %s has %d bits; at most 64 can be executed", r.Name, r.Type.Bits())
	case o.Not:
		return fmt.Errorf("register %s is no predicate and has no complement", r.Name)
	}
	return nil
}

// CheckWidth returns an error if a result of so many bits does not fit into the register of
// an operand.
func CheckWidth(k *isa.Kernel, o isa.Operand, bits int) error {
	if r := k.Regs[o.Reg]; r.Type.Bits() < bits {
		return fmt.Errorf("a result of %d bits does not fit into register %s of %d", bits, r.Name, r.Type.Bits())
	}
	return nil
}

// CheckPredicate returns an error if the register of an operand is no predicate.
func CheckPredicate(k *isa.Kernel, o isa.Operand) error {
	if r := k.Regs[o.Reg]; r.Type != isa.Pred {
		return fmt.Errorf("register %s is no predicate", r.Name)
	}
	return nil
}

// Truth returns the predicate that a source is whose value is known: an immediate, or a
// special register that the kernel decides. It is not known for a register, and an error for
// what is no predicate.
func Truth(k *isa.Kernel, o isa.Operand) (p Predicate, known bool, err error) {
	p = Predicate{Slot: MaskTrue, Not: Spread(o.Not)}
	switch o.Kind {
	case isa.KindImm:
		p.Not ^= Spread(o.Imm == 0)
	case isa.KindReg:
		return p, false, CheckPredicate(k, o)
	case isa.KindSpecial:
		if o.Special != isa.IsExplicitCluster {
			return p, false, fmt.Errorf("special register %s is no predicate", o)
		}
		p.Not ^= Spread(!k.Bounds.ExplicitCluster)
	default:
		return p, false, fmt.Errorf("a predicate source cannot be %s", o)
	}
	return p, true, nil
}

// ResultWidth returns the bits that the register of the first result has: those
// of the operation's type if there is no register.
func ResultWidth(k *isa.Kernel, in *isa.Instr) int {
	if len(in.Dst) > 0 {
		if o := in.Dst[0]; o.Kind == isa.KindReg {
			return k.Regs[o.Reg].Type.Bits()
		}
	}
	return in.Type.Bits()
}

func sourceError(i int, o isa.Operand) error { return fmt.Errorf("source %d cannot be %s", i+1, o) }
func resultError(i int, o isa.Operand) error { return fmt.Errorf("result %d cannot be %s", i+1, o) }

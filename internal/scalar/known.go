package scalar

import (
	"fmt"

	"warpbound/internal/isa"
)

// known returns an error for a kernel that has what this package does not know. What an
// operation does not know of types and comparisons shows when it is executed.
func known(k *isa.Kernel, block [3]int) error {
	for i := range k.Vars {
		if v := &k.Vars[i]; v.Space != isa.Shared {
			return fmt.Errorf("the execution thread by thread does not know variables in %s memory, such as %s", v.Space, v.Name)
		}
	}
	for i := range k.Instrs {
		if in := &k.Instrs[i]; !plain(in, block[1]*block[2] == 1) {
			return unknown(in)
		}
	}
	return nil
}

func unknown(in *isa.Instr) error {
	return fmt.Errorf("%s: the execution thread by thread does not know %s", in.Pos, in)
}

// plain reports whether an instruction has no modifiers and operands beyond those that
// the package knows. line says that the CTA's threads lie in a line.
func plain(in *isa.Instr, line bool) bool {
	const elsewhere = isa.ModRound | isa.ModShiftAmt | isa.ModPermute // looked at below, or of operations that it does not know
	if !in.HasOnly(elsewhere) || in.Video != nil {
		return false
	}
	for _, o := range in.Src {
		if o.Kind == isa.KindSpecial && !index(o.Special) {
			return false
		}
	}
	switch in.Op {
	case isa.Bar:
		return in.Barrier == isa.BarrierSync && !in.Guard.Set && (len(in.Src) == 1 || line && len(in.Src) == 2 && in.Src[1].Special == isa.NtidX)
	case isa.Atom, isa.Red:
		return in.Type.Bytes() == 4 && !in.Type.IsFloat() && in.Atom >= isa.AtomAdd && in.Atom <= isa.AtomXor
	case isa.Cvt:
		if in.SrcType.IsFloat() {
			return in.Round == isa.RoundIntRZ || in.Round == isa.RoundRZ
		}
	}
	return len(in.Src) <= 3 && (in.Round == isa.RoundDefault || in.Round == isa.RoundRN)
}

// index reports whether a special register is x, y or z of a thread's or CTA's index, or of
// how many there are.
func index(s isa.Special) bool {
	const components = 4
	return s >= isa.TidX && s <= isa.NctaidZ && (s-isa.TidX)%components < components-1
}

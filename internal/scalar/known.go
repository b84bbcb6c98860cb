package scalar

import (
	"fmt"
	"slices"

	"warpbound/internal/isa"
)

// known returns an error for a kernel that has what this package does not know. What an
// operation does not know of types and comparisons shows when it is executed.
func known(k *isa.Kernel, block [3]int) error {
	for i := range k.Vars {
		if v := &k.Vars[i]; !plainVariable(v) {
			return fmt.Errorf("the execution thread by thread does not know variables in %s memory, such as %s", v.Space, v.Name)
		}
	}
	for i := range k.Instrs {
		if in := &k.Instrs[i]; !plain(in, block) {
			return unknown(in)
		}
	}
	return nil
}

func unknown(in *isa.Instr) error {
	return fmt.Errorf("%s: the execution thread by thread does not know %s", in.Pos, in)
}

// plainVariable reports whether a variable is shared by a CTA, a thread's own, or one of constants that the module states.
func plainVariable(v *isa.Var) bool {
	switch v.Space {
	case isa.Shared, isa.Local:
		return len(v.Init) == 0
	case isa.Const, isa.Global:
		return len(v.Init) > 0 && len(v.Relocs) == 0
	}
	return false
}

// plain reports whether an instruction has no modifiers and operands beyond those that
// the package knows.
func plain(in *isa.Instr, block [3]int) bool {
	const elsewhere = isa.ModRound | isa.ModShiftAmt | isa.ModPermute | isa.ModWrap // looked at below, or of operations that it does not know
	allowed := elsewhere
	if toInteger(in) {
		allowed |= isa.ModFTZ
	}
	if !in.HasOnly(allowed) || in.Video != nil {
		return false
	}
	for _, o := range in.Src {
		if o.Kind == isa.KindSpecial && !index(o.Special) {
			return false
		}
	}
	switch in.Op {
	case isa.Bar:
		return plainBarrier(in, block)
	case isa.Atom, isa.Red:
		return plainAtomic(in)
	case isa.Cvt:
		if in.SrcType.IsFloat() {
			return toInteger(in)
		}
	case isa.Vote, isa.Match, isa.Redux, isa.Shfl, isa.BarWarp: // those that name their members, without a guard
		members := map[isa.Op]int{isa.Vote: 2, isa.Match: 2, isa.Redux: 2, isa.Shfl: 4, isa.BarWarp: 1}
		return !in.Guard.Set && len(in.Src) == members[in.Op] && in.Type.Bits() <= 32 && !in.Type.IsFloat()
	case isa.CpAsync:
		return len(in.Src) == 3 || in.Src[3].Kind == isa.KindImm
	case isa.Lop3:
		return len(in.Dst) == 1 && len(in.Src) == 4
	case isa.Bfi:
		return true
	case isa.St, isa.RunSystem: // the latter ends with an error if it is executed
		return true
	}
	return len(in.Src) <= 3 && (in.Round == isa.RoundDefault || in.Round == isa.RoundRN)
}

// toInteger reports whether an instruction converts a number in floating point to an integer.
func toInteger(in *isa.Instr) bool {
	integer := in.Type.IsSigned() || in.Type.Class() == isa.Unsigned
	return in.Op == isa.Cvt && integer && slices.Contains([]isa.Type{isa.F16, isa.BF16, isa.F32, isa.F64}, in.SrcType)
}

// plainBarrier reports whether a barrier is for all threads of the CTA, or for some of its full warps.
func plainBarrier(in *isa.Instr, block [3]int) bool {
	switch in.Barrier {
	case isa.BarrierSync, isa.BarrierArrive, isa.BarrierRedPopc, isa.BarrierRedAnd, isa.BarrierRedOr:
	default:
		return false
	}
	if in.Guard.Set {
		return false
	}
	n := counted(in)
	if n == nil { // of the numbers of threads only that of all is known
		line := block[1]*block[2] == 1
		return in.Barrier != isa.BarrierArrive && (len(in.Src) < 2 || len(in.Dst) > 0 || line && in.Src[1].Special == isa.NtidX)
	}
	return n.Kind == isa.KindImm && n.Imm > 0 && n.Imm <= uint64(block[0]*block[1]*block[2])
}

// plainAtomic reports whether an update is one of integers that commutes with itself, or a sum of floats.
func plainAtomic(in *isa.Instr) bool {
	if in.Type.IsFloat() {
		return in.Atom == isa.AtomAdd && (in.Type == isa.F32 || in.Type == isa.F64)
	}
	return in.Type.Bytes() >= 4 && (in.Atom >= isa.AtomAdd && in.Atom <= isa.AtomXor || in.Atom == isa.AtomInc)
}

// index reports whether a special register is x, y or z of a thread's or CTA's index, or of
// how many there are.
func index(s isa.Special) bool {
	const components = 4
	return s >= isa.TidX && s <= isa.NctaidZ && (s-isa.TidX)%components < components-1
}

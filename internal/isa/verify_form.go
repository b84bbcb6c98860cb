package isa

import (
	"errors"
	"fmt"
)

// form checks an instruction whose words and names exist.
func (v *verifier) form() error {
	in := v.in
	if err := in.CheckOperands(); err != nil {
		return fmt.Errorf("%w do not fit the operation", err)
	}
	if !in.countsFit() {
		return fmt.Errorf("%d results and %d sources do not fit the mode of the operation", len(in.Dst), len(in.Src))
	}
	if in.Guard.Set && v.regs[in.Guard.Reg].Type != Pred && (v.reconvergence != AtSyncs || in.Op != Bra) {
		return fmt.Errorf("guard %s is no predicate", v.regs[in.Guard.Reg].Name)
	}
	switch in.Op {
	case Unknown, Opaque, OpaqueAccess:
		return v.unmodelled()
	case Call:
		return v.call()
	case Reconverge:
		if v.reconvergence != AtSyncs {
			return errors.New("lanes of this kernel do not reconverge at syncs")
		}
	case BrxIdx:
		if v.reconvergence == AtSyncs {
			return errors.New("lanes cannot reconverge at a sync behind an indexed branch")
		}
	case RunSystem:
		if in.System == SysStop && in.Reason == "" {
			return errors.New("the run stops without a reason")
		}
	case Split:
		if next := v.instrs[v.at+1:]; len(next) == 0 || next[0].Op != Bra || !next[0].Guard.Set {
			return errors.New("no branch with a guard follows the split")
		}
	}
	return v.operands()
}

// countsFit reports whether the operation's mode allows as many results and sources.
func (in *Instr) countsFit() bool {
	results, sources := len(in.Dst), len(in.Src)
	switch in.Op {
	case Bar:
		switch in.Barrier {
		case BarrierSync:
			return results == 0 && (sources == 1 || sources == 2)
		case BarrierArrive:
			return results == 0 && sources == 2
		case BarrierRedPopc, BarrierRedAnd, BarrierRedOr:
			return results == 1 && (sources == 2 || sources == 3)
		}
		return results == 0 && sources == 0
	case Atom, Red:
		n := in.elements()
		if in.Atom == AtomCas && sources != 1+2*n {
			return false
		}
		return n > 0 && (in.Op == Red || results == n)
	case Mma:
		d, a, b, c := in.FragmentRegs()
		return results == d && sources == a+b+c
	case LdMatrix:
		return results == 1 || results == 2 || results == 4
	case StMatrix:
		return sources == 2 || sources == 3 || sources == 5
	case Mbarrier:
		return in.Mbarrier.fits(results, sources)
	case RunSystem:
		return sources == systems[in.System].args && results == systems[in.System].results
	}
	return true
}

// call checks a call that is left.
func (v *verifier) call() error {
	in := v.in
	switch {
	case v.kernel != nil && in.Reason == "":
		return errors.New("a call is left without a reason")
	case in.Callee == "" && len(in.Src) == 0:
		return errors.New("a call by address has no address")
	}
	return nil
}

// unmodelled checks an instruction that has an effect that is not modelled. Its operands may
// be of any type.
func (v *verifier) unmodelled() error {
	in := v.in
	if in.Text == "" {
		return fmt.Errorf("an instruction of operation %s without its text", in.Op)
	}
	for i := range in.Dst {
		if o := &in.Dst[i]; o.Kind != KindReg && o.Kind != KindSink || o.Not {
			return fmt.Errorf("result %d: %s is no register", i+1, o)
		}
	}
	for i := range in.Src {
		if o := &in.Src[i]; o.Kind == KindSink {
			return fmt.Errorf("source %d: %s is no value", i+1, o)
		}
	}
	return nil
}

// operands checks that operands are of a kind and, if they are registers, of a type that
// fits their places.
func (v *verifier) operands() error {
	in := v.in
	tested, made := truths(in)
	addresses := addressOperands(in.Op)
	for i := range in.Dst {
		if err := v.result(&in.Dst[i], made>>i&1 == 1); err != nil {
			return fmt.Errorf("result %d: %w", i+1, err)
		}
	}
	for i := range in.Src {
		o := &in.Src[i]
		var err error
		switch {
		case addresses>>i&1 == 1:
			err = v.address(o)
		case in.Op == CpAsync && i == 3 && v.isTruth(o):
		case in.Op == St && o.Kind == KindSink && len(in.Src) > 2:
		default:
			err = v.source(o, tested>>i&1 == 1)
		}
		if err != nil {
			return fmt.Errorf("source %d: %w", i+1, err)
		}
	}
	return nil
}

func (v *verifier) isTruth(o *Operand) bool {
	return o.Kind == KindReg && v.regs[o.Reg].Type == Pred
}

func (v *verifier) result(o *Operand, truth bool) error {
	switch {
	case o.Kind == KindSink:
		return nil
	case o.Kind != KindReg:
		return fmt.Errorf("%s is no register", o)
	case o.Not:
		return errors.New("a result is no complement")
	case v.isTruth(o) != truth:
		return fmt.Errorf("register %s is %s", v.regs[o.Reg].Name, v.regs[o.Reg].Type)
	case !truth && v.regs[o.Reg].Type.Bits() < v.in.resultBits(v.addressBits):
		return fmt.Errorf("register %s has %d bits for %d", v.regs[o.Reg].Name, v.regs[o.Reg].Type.Bits(), v.in.resultBits(v.addressBits))
	}
	return nil
}

func (v *verifier) source(o *Operand, truth bool) error {
	switch o.Kind {
	case KindReg:
		if v.isTruth(o) != truth || o.Not && !truth {
			return fmt.Errorf("register %s is %s", v.regs[o.Reg].Name, v.regs[o.Reg].Type)
		}
	case KindImm:
	case KindSpecial:
		if (o.Special.Bits() == 1) != truth {
			return fmt.Errorf("special register %s has %d bits", o, o.Special.Bits())
		}
	case KindVar, KindParam, KindFunc:
		if truth {
			return fmt.Errorf("%s is no truth value", o)
		}
	default:
		return fmt.Errorf("%s is no value", o)
	}
	return nil
}

// address checks the operand of a memory access.
func (v *verifier) address(o *Operand) error {
	if o.Kind != KindAddr && o.Kind != KindVarAddr {
		return fmt.Errorf("%s is no address", o)
	}
	if o.Reg != NoReg && v.regs[o.Reg].Type == Pred {
		return fmt.Errorf("an address starts from predicate %s", v.regs[o.Reg].Name)
	}
	return nil
}

// addressOperands returns the sources that are places in memory, as a set of bits.
func addressOperands(op Op) uint64 {
	switch op {
	case Ld, St, Atom, Red, Prefetch, LdMatrix, StMatrix, Fence, Mbarrier: // a fence may name a place
		return 1
	case CpAsync, BulkCopy:
		return 3
	}
	return 0
}

// truths returns the sources and the results that are truth values, as sets of bits.
func truths(in *Instr) (tested, made uint64) {
	const all = ^uint64(0)
	switch in.Op {
	case Setp:
		return 1 << 2, all
	case Set, Selp:
		return 1 << 2, 0
	case Testp, Isspacep:
		return 0, 1
	case Lop3:
		return 1 << 4, 1 << 1
	case AddCarry, SubCarry, MadCarry, MadHiCarry:
		return 1 << in.Op.Info().Src[0], 1 << 1
	case Match, Elect, Shfl:
		return 0, 1 << 1
	case Mbarrier:
		if in.Mbarrier.Tests() {
			return 0, 1
		}
	case Vote:
		if in.Lane == VoteBallot {
			return 1, 0
		}
		return 1, 1
	case Bar:
		switch in.Barrier {
		case BarrierRedPopc:
			return 1 << (len(in.Src) - 1), 0
		case BarrierRedAnd, BarrierRedOr:
			return 1 << (len(in.Src) - 1), 1
		}
	case And, Or, Xor, Not, Mov:
		if in.Type == Pred {
			return all, all
		}
	}
	return 0, 0
}

// resultBits returns the bits of each result that is a number.
func (in *Instr) resultBits(address int) int {
	switch in.Op {
	case MulWide, MadWide:
		return 2 * in.Type.Bits()
	case Popc, Clz, Bfind, Dp4a, Dp2a, Dp2aHi, CvtPack, Vote, Match, Elect, Activemask, Bar:
		return 32
	case Mma, LdMatrix, MovMatrix: // several elements in one register
		return max(32, in.Type.Bits())
	case Unpack:
		return in.Type.Bits() / len(in.Dst)
	case RunSystem:
		if in.System == SysAlloc {
			return address
		}
		return 32
	}
	return in.Type.Bits()
}

package isa

import (
	"fmt"
	"strings"
)

// String renders the instruction in a neutral notation close to PTX, with
// registers as %0, %1... An unknown instruction renders as its text.
func (in *Instr) String() string {
	if in.Op == Unknown {
		return in.Text
	}
	var b strings.Builder
	if in.Guard.Set {
		b.WriteByte('@')
		if in.Guard.Not {
			b.WriteByte('!')
		}
		fmt.Fprintf(&b, "%%%d ", in.Guard.Reg)
	}
	b.WriteString(in.Op.String())
	for _, m := range in.modifiers() {
		b.WriteByte('.')
		b.WriteString(m)
	}
	sep := " "
	for _, list := range [][]Operand{in.Dst, in.Src} {
		for _, o := range list {
			b.WriteString(sep)
			b.WriteString(o.String())
			sep = ", "
		}
	}
	switch in.Op {
	case Bra:
		fmt.Fprintf(&b, " ->%d", in.Target)
	case BrxIdx:
		fmt.Fprintf(&b, " ->%v", in.Targets)
	case Call:
		b.WriteString(sep + in.Callee)
	}
	return b.String()
}

func (in *Instr) modifiers() []string {
	var mods []string
	add := func(cond bool, name string) {
		if cond {
			mods = append(mods, name)
		}
	}
	add(in.Space != Generic, in.Space.String())
	add(in.Cmp != CmpNone, in.Cmp.String())
	add(in.Combine != CombineNone, combineNames[in.Combine])
	add(in.Atom != AtomNone, in.Atom.String())
	add(in.Lane != LaneNone, in.Lane.String())
	add(in.Barrier != BarrierNone, barrierNames[in.Barrier])
	add(in.Round != RoundDefault, roundNames[in.Round])
	add(in.Approx, "approx")
	add(in.FTZ, "ftz")
	add(in.Sat, "sat")
	add(in.NaN, "nan")
	add(in.Wrap, "wrap")
	add(in.ShiftAmt, "shiftamt")
	add(in.Volatile, "volatile")
	add(in.Type != Invalid, in.Type.String())
	add(in.SrcType != Invalid, in.SrcType.String())
	return mods
}

// String renders the operand.
func (o Operand) String() string {
	not := ""
	if o.Not {
		not = "!"
	}
	switch o.Kind {
	case KindReg:
		return fmt.Sprintf("%s%%%d", not, o.Reg)
	case KindImm:
		return fmt.Sprintf("0x%x", o.Imm)
	case KindSpecial:
		return "%" + o.Special.String()
	case KindVar:
		return fmt.Sprintf("&var%d%+d", o.Var, int64(o.Imm))
	case KindAddr:
		if o.Reg == NoReg {
			return fmt.Sprintf("[0x%x]", o.Imm)
		}
		return fmt.Sprintf("[%%%d%+d]", o.Reg, int64(o.Imm))
	case KindVarAddr:
		base := fmt.Sprintf("var%d", o.Var)
		if o.Var == ParamVar {
			base = "param"
		}
		if o.Reg != NoReg {
			base += fmt.Sprintf("+%%%d", o.Reg)
		}
		return fmt.Sprintf("[%s%+d]", base, int64(o.Imm))
	case KindSink:
		return "_"
	}
	return "none"
}

var spaceNames = []string{Generic: "generic", Global: "global", Shared: "shared", Local: "local", Const: "const", Param: "param"}

// String returns the space's PTX name without the dot.
func (s Space) String() string { return spaceNames[s] }

var cmpNames = []string{
	CmpNone: "none", Eq: "eq", Ne: "ne", Lt: "lt", Le: "le", Gt: "gt", Ge: "ge", Lo: "lo", Ls: "ls", Hi: "hi", Hs: "hs",
	EqU: "equ", NeU: "neu", LtU: "ltu", LeU: "leu", GtU: "gtu", GeU: "geu", Num: "num", NaN: "nan",
	Finite: "finite", Infinite: "infinite", Number: "number", NotANumber: "notanumber", Normal: "normal", Subnormal: "subnormal",
}

// String returns the comparison's PTX name.
func (c Cmp) String() string { return cmpNames[c] }

var atomNames = []string{
	AtomNone: "none", AtomAdd: "add", AtomMin: "min", AtomMax: "max", AtomAnd: "and", AtomOr: "or",
	AtomXor: "xor", AtomExch: "exch", AtomCas: "cas", AtomInc: "inc", AtomDec: "dec",
}

// String returns the atomic operation's PTX name.
func (a AtomOp) String() string { return atomNames[a] }

var laneNames = []string{
	LaneNone: "none", VoteAll: "all", VoteAny: "any", VoteUni: "uni", VoteBallot: "ballot",
	ShflUp: "up", ShflDown: "down", ShflBfly: "bfly", ShflIdx: "idx",
}

// String returns the mode's PTX name.
func (l LaneOp) String() string { return laneNames[l] }

var combineNames = []string{CombineNone: "none", CombineAnd: "and", CombineOr: "or", CombineXor: "xor"}

var barrierNames = []string{
	BarrierNone: "none", BarrierSync: "sync", BarrierArrive: "arrive",
	BarrierRedPopc: "red.popc", BarrierRedAnd: "red.and", BarrierRedOr: "red.or",
}

var roundNames = []string{
	RoundDefault: "default", RoundRN: "rn", RoundRZ: "rz", RoundRM: "rm", RoundRP: "rp", RoundRNA: "rna",
	RoundIntRN: "rni", RoundIntRZ: "rzi", RoundIntRM: "rmi", RoundIntRP: "rpi",
}

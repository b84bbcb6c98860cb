package isa

import (
	"fmt"
	"strings"
)

// String renders the instruction in a neutral notation close to PTX, with
// registers as %0, %1... An instruction with a text renders as that.
func (in *Instr) String() string { return in.format(&names{}) }

// Format renders an instruction of the kernel like String, with the names of its
// registers, variables and labels.
func (k *Kernel) Format(in *Instr) string { return in.format(&names{kernel: k}) }

// names renders the parts of instructions that are indices: by name if the
// kernel is known.
type names struct{ kernel *Kernel }

func (n *names) reg(r Reg) string {
	if n.kernel == nil {
		return fmt.Sprintf("%%%d", r)
	}
	return n.kernel.Regs[r].Name
}

func (n *names) variable(v int32) string {
	switch {
	case v == ParamVar:
		return "param"
	case n.kernel == nil || int(v) >= len(n.kernel.Vars):
		return fmt.Sprintf("var%d", v)
	}
	return n.kernel.Vars[v].Name
}

// parameter returns the parameter at whose beginning or behind it an address in the
// block of a known kernel lies, nil for anything else.
func (n *names) parameter(o Operand) *Var {
	if n.kernel == nil || o.Var != ParamVar || o.Reg != NoReg {
		return nil
	}
	var found *Var
	for i := range n.kernel.Params {
		if p := &n.kernel.Params[i]; uint64(p.Offset) <= o.Imm {
			found = p
		}
	}
	return found
}

func (n *names) target(index int) string {
	if n.kernel != nil {
		for _, l := range n.kernel.Labels {
			if l.Index == index {
				return l.Name
			}
		}
	}
	return fmt.Sprintf("->%d", index)
}

func (in *Instr) format(n *names) string {
	if in.Text != "" {
		return in.Text
	}
	var b strings.Builder
	if in.Guard.Set {
		b.WriteByte('@')
		if in.Guard.Not {
			b.WriteByte('!')
		}
		b.WriteString(n.reg(in.Guard.Reg) + " ")
	}
	if in.Op == RunSystem {
		b.WriteString(n.systemCall(in))
		return b.String()
	}
	name := in.Op.String()
	if in.Unaligned {
		name = "barrier"
	}
	b.WriteString(name)
	if in.Video != nil && in.Video.Parts > 1 {
		fmt.Fprint(&b, in.Video.Parts)
	}
	if in.Matrix != nil {
		b.WriteString(in.Matrix.shape(in))
	}
	for _, m := range in.modifiers() {
		b.WriteByte('.')
		b.WriteString(m)
	}
	sep := " "
	for _, o := range in.operands() {
		b.WriteString(sep + n.vector(o))
		sep = ", "
	}
	switch in.Op {
	case Bra:
		b.WriteString(" " + n.target(in.Target))
	case BrxIdx:
		for _, t := range in.Targets {
			b.WriteString(", " + n.target(t))
		}
	case Call:
		callee := in.Callee
		if callee == "" {
			callee = strings.Join(in.Callees, "|")
		}
		b.WriteString(sep + callee)
	}
	return b.String()
}

// systemCall renders a call of the runtime.
func (n *names) systemCall(in *Instr) string {
	text := "call "
	if len(in.Dst) > 0 {
		text += "(" + n.list(in.Dst) + "), "
	}
	text += in.System.String()
	if len(in.Src) > 0 {
		text += ", (" + n.list(in.Src) + ")"
	}
	return text
}

// operands groups the operands as PTX writes them: what an access transfers in one
// vector stands in braces.
func (in *Instr) operands() [][]Operand {
	var groups [][]Operand
	single := func(list []Operand) {
		for i := range list {
			groups = append(groups, list[i:i+1])
		}
	}
	switch elements := in.elements(); {
	case in.Op == Mma:
		_, a, b, _ := in.FragmentRegs()
		groups = append(groups, in.Dst, in.Src[:a], in.Src[a:a+b], in.Src[a+b:])
	case in.Op == Cvta || in.Op == CvtaTo: // the base goes without saying
		single(in.Dst)
		single(in.Src[:min(1, len(in.Src))])
	case elements < 2:
		single(in.Dst)
		single(in.Src)
	default:
		if len(in.Dst) > 0 {
			groups = append(groups, in.Dst)
		}
		single(in.Src[:min(1, len(in.Src))])
		for i := 1; i+elements <= len(in.Src); i += elements {
			groups = append(groups, in.Src[i:i+elements])
		}
	}
	return groups
}

// elements returns the number of elements that a lane loads, stores or joins, 0 for
// what is no access.
func (in *Instr) elements() int {
	switch {
	case in.Op == Ld || in.Op == LdMatrix:
		return len(in.Dst)
	case in.Op == Atom || in.Op == Red:
		if in.Atom == AtomCas {
			return (len(in.Src) - 1) / 2
		}
		return len(in.Src) - 1
	case in.Op == St || in.Op == StMatrix:
		return len(in.Src) - 1
	}
	return 0
}

// vector renders one operand, or several in braces.
func (n *names) vector(list []Operand) string {
	if len(list) == 1 {
		return list[0].format(n)
	}
	return "{" + n.list(list) + "}"
}

func (n *names) list(list []Operand) string {
	texts := make([]string, len(list))
	for i, o := range list {
		texts[i] = o.format(n)
	}
	return strings.Join(texts, ", ")
}

func (in *Instr) modifiers() []string {
	var mods []string
	add := func(cond bool, name string) {
		if cond {
			mods = append(mods, name)
		}
	}
	add(in.Mbarrier != MbarrierNone, in.Mbarrier.String())
	add(in.Volatile, "volatile")
	add(in.Order > OrderRelaxed, in.Order.String())
	add(in.Scope != ScopeDefault, in.Scope.String())
	add(in.Space != Generic, in.Space.String())
	add(in.Cmp != CmpNone, in.Cmp.String())
	add(in.Combine != CombineNone, combineNames[in.Combine])
	add(in.Atom != AtomNone, in.Atom.String())
	add(in.Lane != LaneNone, in.Lane.String())
	add(in.Barrier != BarrierNone, barrierNames[in.Barrier])
	add(in.Round != RoundDefault, roundNames[in.Round])
	add(in.Approx, "approx")
	add(in.Full, "full")
	add(in.FTZ, "ftz")
	add(in.Sat, "sat")
	add(in.NaN, "nan")
	add(in.Abs, "abs")
	add(in.Wrap, "wrap")
	add(in.ShiftAmt, "shiftamt")
	add(in.XorSign, "xorsign")
	add(in.Relu, "relu")
	add(in.Finite, "satfinite")
	add(in.Permute != PermuteBytes, permuteNames[in.Permute])
	if n := in.elements(); n > 1 {
		mods = append(mods, fmt.Sprintf("v%d", n))
	}
	add(in.Type != Invalid, in.Type.String())
	add(in.SrcType != Invalid, in.SrcType.String())
	if in.Video != nil {
		mods = append(mods, in.Video.modifiers()...)
	}
	if in.Op == Mma {
		mods = append(mods, in.Matrix.operandTypes()...)
	}
	return mods
}

// String renders the operand, with registers as %0, %1...
func (o Operand) String() string { return o.format(&names{}) }

func (o Operand) format(n *names) string {
	not := ""
	if o.Not {
		not = "!"
	}
	o.Imm -= o.Window
	switch o.Kind {
	case KindReg:
		return not + n.reg(o.Reg)
	case KindImm:
		return fmt.Sprintf("0x%x", o.Imm)
	case KindSpecial:
		return "%" + o.Special.String()
	case KindVar:
		return n.variable(o.Var) + offset(o.Imm)
	case KindAddr:
		if o.Reg == NoReg {
			return fmt.Sprintf("[0x%x]", o.Imm)
		}
		return "[" + n.reg(o.Reg) + offset(o.Imm) + "]"
	case KindVarAddr:
		if p := n.parameter(o); p != nil {
			o.Imm -= uint64(p.Offset)
			return "[" + p.Name + offset(o.Imm) + "]"
		}
		base := n.variable(o.Var)
		if o.Reg != NoReg {
			base += "+" + n.reg(o.Reg)
		}
		return "[" + base + offset(o.Imm) + "]"
	case KindSink:
		return "_"
	case KindParam:
		if n.kernel != nil {
			return n.kernel.Params[o.Var].Name
		}
		return fmt.Sprintf("param%d", o.Var)
	case KindFunc:
		return fmt.Sprintf("func%d", o.Var) + offset(o.Imm)
	}
	return "none"
}

// offset renders a distance in bytes with its sign, nothing for none.
func offset(imm uint64) string {
	if imm == 0 {
		return ""
	}
	return fmt.Sprintf("%+d", int64(imm))
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
	MatchAny: "any", MatchAll: "all",
	ShflUp: "up", ShflDown: "down", ShflBfly: "bfly", ShflIdx: "idx",
}

// String returns the mode's PTX name.
func (l LaneOp) String() string { return laneNames[l] }

var permuteNames = []string{
	PermuteBytes: "bytes", PermuteF4E: "f4e", PermuteB4E: "b4e", PermuteRC8: "rc8",
	PermuteECL: "ecl", PermuteECR: "ecr", PermuteRC16: "rc16",
}

var combineNames = []string{CombineNone: "none", CombineAnd: "and", CombineOr: "or", CombineXor: "xor"}

var barrierNames = []string{
	BarrierNone: "none", BarrierSync: "sync", BarrierArrive: "arrive",
	BarrierRedPopc: "red.popc", BarrierRedAnd: "red.and", BarrierRedOr: "red.or",
	BarrierClusterArrive: "cluster.arrive", BarrierClusterWait: "cluster.wait",
}

var roundNames = []string{
	RoundDefault: "default", RoundRN: "rn", RoundRZ: "rz", RoundRM: "rm", RoundRP: "rp", RoundRNA: "rna", RoundRS: "rs",
	RoundIntRN: "rni", RoundIntRZ: "rzi", RoundIntRM: "rmi", RoundIntRP: "rpi",
}

package isa

import (
	"fmt"
	"slices"

	"warpbound/diag"
)

// Reg is a virtual register: an index into the Regs of its function or kernel.
type Reg int32

// NoReg stands where there is no register.
const NoReg Reg = -1

// Kind tells the kinds of operands apart.
type Kind uint8

// The kinds of operands.
const (
	KindNone    Kind = iota
	KindReg          // register Reg
	KindImm          // the bits Imm, as wide as the instruction's type
	KindSpecial      // special register Special
	KindVar          // generic address of variable Var plus Imm
	KindAddr         // memory at register Reg plus Imm; Reg is NoReg for an absolute address
	KindVarAddr      // memory at variable Var plus Imm (plus Reg unless it is NoReg)
	KindSink         // a result that is dropped ("_")
	KindFunc         // address of function Var of the program; not in kernels
	KindParam        // value of parameter Var of the kernel
)

// Operand is one source or destination of an instruction.
type Operand struct {
	Kind    Kind
	Not     bool // a predicate source that is complemented
	Special Special
	Reg     Reg
	Var     int32  // index into the Vars of the function or kernel, or into the Funcs of the program
	Imm     uint64 // bits of an immediate, or the two's complement of an offset in bytes
	Window  uint64 // what the front end has added to Imm to make an address generic
}

// RegOperand is the operand that reads or writes a register.
func RegOperand(r Reg) Operand { return Operand{Kind: KindReg, Reg: r} }

// ParamOperand is the value of a parameter of the kernel.
func ParamOperand(index int) Operand {
	return Operand{Kind: KindParam, Reg: NoReg, Var: int32(index)}
}

// ImmOperand is the operand of constant bits.
func ImmOperand(bits uint64) Operand { return Operand{Kind: KindImm, Reg: NoReg, Imm: bits} }

// Guard makes an instruction depend on a predicate register. The zero Guard
// holds always. That of a Bra may be a register of integers in kernels whose lanes
// reconverge AtSyncs: it holds where the integer is not zero.
type Guard struct {
	Set bool
	Not bool
	Reg Reg
}

// Instr is one instruction. Fields that an operation does not use are zero.
type Instr struct {
	Op      Op
	Type    Type // of the operation; of the result where the two differ
	SrcType Type // of sources where it differs from Type: of all (Cvt, Set), or of those that the operation names

	Guard Guard
	Dst   []Operand
	Src   []Operand

	Space     Space
	Round     Round
	Cmp       Cmp
	Combine   Combine
	Atom      AtomOp
	Lane      LaneOp
	Barrier   BarrierOp
	Mbarrier  MbarrierOp
	Unaligned bool // Bar: the threads of a warp may come to it at different places (barrier without .aligned)
	FTZ       bool // subnormal inputs and results become zeros of the same sign
	Sat       bool // integers: clamp to the range; floats: clamp to [0, 1]
	Approx    bool // the fast approximation of Div, Sqrt, Rcp and the like
	Full      bool // Div: the approximation that keeps its error for divisors of any size
	NaN       bool // Min, Max, Redux: a NaN source gives NaN
	Wrap      bool // shifts: the amount modulo the width instead of clamped
	ShiftAmt  bool // Bfind: the distance from the top instead of the position
	Relu      bool // a negative result becomes zero
	Abs       bool // Min, Max, Redux: of the magnitudes of the sources
	XorSign   bool // Min, Max: the sign is the exclusive or of those of the sources
	Finite    bool // Cvt: a result beyond the range becomes the largest finite number
	Permute   Permute
	WarpSize  bool  // a constant in it was computed from the number of threads of a warp, 32
	Volatile  bool  // the access may not be served by L1 (volatile, relaxed, mmio, .cv, .cg)
	Order     Order // of accesses and fences; see Strength for their defaults
	Scope     Scope // the same

	Video  *Video  // VAdd to VMad: which parts of the operands, else nil
	Matrix *Matrix // Mma to MovMatrix: which matrices, else nil

	Target  int      // Bra: index of the target instruction
	Split   bool     // Bra with a guard: the module marks it as one at which wavefronts are to split
	Targets []int    // BrxIdx: the same, one for each index
	Callee  string   // Call: name of the function, empty for a call by address, which is then the first source
	Callees []string // Call by address: names of the functions that it may call
	System  System   // RunSystem: the function of the runtime

	Text   string   // what the source says, to be shown instead of a rendering; always if Unmodelled
	Reason string   // Unmodelled, and a Call that Link kept: why it cannot be executed, if that is known; SysStop: the error
	Pos    diag.Pos // in the module's own text
	Loc    diag.Pos // in the source that the compiler was given, if it said so
	// Inlined is the call in the source at which the compiler has inlined the function that Loc is in, if it said so.
	Inlined diag.Pos
}

// Reads calls visit for every register that the instruction reads: its guard,
// its sources and what its addresses start from.
func (in *Instr) Reads(visit func(Reg)) {
	if in.Guard.Set {
		visit(in.Guard.Reg)
	}
	for _, o := range in.Src {
		switch o.Kind {
		case KindReg:
			visit(o.Reg)
		case KindAddr, KindVarAddr:
			if o.Reg != NoReg {
				visit(o.Reg)
			}
		}
	}
}

// Writes calls visit for every register that the instruction writes if its guard
// holds.
func (in *Instr) Writes(visit func(Reg)) {
	for _, o := range in.Dst {
		if o.Kind == KindReg {
			visit(o.Reg)
		}
	}
}

// HasResult reports whether the instruction writes a register.
func (in *Instr) HasResult() bool {
	return slices.ContainsFunc(in.Dst, func(o Operand) bool { return o.Kind == KindReg })
}

// Space is a state space of memory.
type Space uint8

// The state spaces. The zero value is generic: the address tells the space.
const (
	Generic Space = iota
	Global
	Shared
	Local
	Const
	Param
)

// Round is a rounding mode.
type Round uint8

// The rounding modes. The zero value is to nearest even for floating-point
// results and none for integers. The Int modes round a float to an integral
// value.
const (
	RoundDefault Round = iota
	RoundRN
	RoundRZ
	RoundRM
	RoundRP
	RoundRNA // to nearest, ties away from zero
	RoundRS  // towards or away from zero, as random bits in the last source say
	RoundIntRN
	RoundIntRZ
	RoundIntRM
	RoundIntRP
)

// Cmp is a comparison.
type Cmp uint8

// The comparisons. Those that end in U are true for NaN operands. Lo to Hs are
// unsigned whatever the type. For Testp the last six classify.
const (
	CmpNone Cmp = iota
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	Lo
	Ls
	Hi
	Hs
	EqU
	NeU
	LtU
	LeU
	GtU
	GeU
	Num
	NaN
	Finite
	Infinite
	Number
	NotANumber
	Normal
	Subnormal
)

// Combine joins a comparison with a predicate.
type Combine uint8

// How Setp, Set and Lop3 join their comparison with a predicate.
const (
	CombineNone Combine = iota
	CombineAnd
	CombineOr
	CombineXor
)

// AtomOp is the operation of Atom, Red and Redux.
type AtomOp uint8

// The atomic operations.
const (
	AtomNone AtomOp = iota
	AtomAdd
	AtomMin
	AtomMax
	AtomAnd
	AtomOr
	AtomXor
	AtomExch
	AtomCas
	AtomInc
	AtomDec
)

// Permute is the mode of Prmt.
type Permute uint8

// The modes of Prmt. All but the first take the two low bits of c for a number
// and choose by it: four bytes forward or backward, one byte in all places, the
// bytes clamped to the left or to the right, one half in both places.
const (
	PermuteBytes Permute = iota // four bits of c for each byte
	PermuteF4E
	PermuteB4E
	PermuteRC8
	PermuteECL
	PermuteECR
	PermuteRC16
)

// selectors are those of the modes that take a number from the two low bits of c.
var selectors = [...][4]uint32{
	PermuteF4E:  {0x3210, 0x4321, 0x5432, 0x6543},
	PermuteB4E:  {0x5670, 0x6701, 0x7012, 0x0123},
	PermuteRC8:  {0x0000, 0x1111, 0x2222, 0x3333},
	PermuteECL:  {0x3210, 0x3211, 0x3222, 0x3333},
	PermuteECR:  {0x0000, 0x1110, 0x2210, 0x3210},
	PermuteRC16: {0x1010, 0x3232, 0x1010, 0x3232},
}

// Selectors returns what stands for c in PermuteBytes, by the two low bits of c; false for
// PermuteBytes itself.
func (p Permute) Selectors() ([4]uint32, bool) { return selectors[p], p != PermuteBytes }

// LaneOp is the mode of Vote, Match and Shfl.
type LaneOp uint8

// The modes of Vote, Match and Shfl.
const (
	LaneNone LaneOp = iota
	VoteAll
	VoteAny
	VoteUni
	VoteBallot
	MatchAny
	MatchAll
	ShflUp
	ShflDown
	ShflBfly
	ShflIdx
)

// BarrierOp is the form of Bar.
type BarrierOp uint8

// The forms of a barrier of a CTA or of its cluster, which has no other CTA.
const (
	BarrierNone BarrierOp = iota
	BarrierSync
	BarrierArrive
	BarrierRedPopc
	BarrierRedAnd
	BarrierRedOr
	BarrierClusterArrive // takes no operands
	BarrierClusterWait   // for the warps that have not arrived since
)

// CheckOperands returns an error if the instruction has not as many results and sources as
// its operation may have.
func (in *Instr) CheckOperands() error {
	info := in.Op.Info()
	if n := len(in.Dst); n < info.Dst[0] || n > info.Dst[1] {
		return fmt.Errorf("%d results", n)
	}
	if n := len(in.Src); n < info.Src[0] || n > info.Src[1] {
		return fmt.Errorf("%d sources", n)
	}
	return nil
}

package isa

// Class is the timing class of an instruction: what a machine file gives a
// latency and an initiation interval for.
type Class uint8

// The timing classes. ClassNone is the zero value: no machine may time it.
const (
	ClassNone Class = iota
	IntAdd
	IntMinMax
	IntMul
	IntMad
	IntDiv
	FP32Add
	FP32MinMax
	FP32Mul
	FP32Mad
	FP32Div
	FP64Add
	FP64MinMax
	FP64Mul
	FP64Mad
	FP64Div
	SFU
	Tensor
	Control
	Sync
	MemParam  // parameters and constants, through the constant cache
	MemShared // shared memory, atomics on it included
	MemGlobal // global, local and generic memory: loads and stores
	MemAtomic // atomics on global memory
	numClasses
)

var classNames = [numClasses]string{
	ClassNone: "none",
	IntAdd:    "int-add", IntMinMax: "int-minmax", IntMul: "int-mul", IntMad: "int-mad", IntDiv: "int-div",
	FP32Add: "fp32-add", FP32MinMax: "fp32-minmax", FP32Mul: "fp32-mul", FP32Mad: "fp32-mad", FP32Div: "fp32-div",
	FP64Add: "fp64-add", FP64MinMax: "fp64-minmax", FP64Mul: "fp64-mul", FP64Mad: "fp64-mad", FP64Div: "fp64-div",
	SFU: "sfu", Tensor: "tensor", Control: "control", Sync: "sync",
	MemParam: "mem-param", MemShared: "mem-shared", MemGlobal: "mem-global", MemAtomic: "mem-atomic",
}

// String returns the class's name as machine files write it.
func (c Class) String() string { return classNames[c] }

// Classes returns all timing classes but ClassNone.
func Classes() []Class {
	all := make([]Class, 0, numClasses-1)
	for c := ClassNone + 1; c < numClasses; c++ {
		all = append(all, c)
	}
	return all
}

// arithmetic maps a unit to its class for integers, for floating point up to 32
// bits, and for 64-bit floating point.
var arithmetic = map[Unit][3]Class{
	UnitAdd:    {IntAdd, FP32Add, FP64Add},
	UnitMinMax: {IntMinMax, FP32MinMax, FP64MinMax},
	UnitMul:    {IntMul, FP32Mul, FP64Mul},
	UnitMad:    {IntMad, FP32Mad, FP64Mad},
	UnitDiv:    {IntDiv, FP32Div, FP64Div},
	UnitSFU:    {SFU, SFU, FP64Div},
}

// Class returns the timing class of the instruction, ClassNone for an unknown
// one. Conversions count as the wider of their two sides.
func (in *Instr) Class() Class {
	switch unit := in.Op.Info().Unit; unit {
	case NoUnit:
		return ClassNone
	case UnitCtl:
		return Control
	case UnitSync:
		return Sync
	case UnitTensor:
		return Tensor
	case UnitMem:
		return in.memClass()
	default:
		row := arithmetic[unit]
		switch {
		case in.Type == F64 || in.SrcType == F64:
			return row[2]
		case in.Type.IsFloat() || in.SrcType.IsFloat():
			return row[1]
		}
		return row[0]
	}
}

// Group is a group of instructions that a machine may time apart from their classes.
type Group struct {
	Name string
	Of   func(*Instr) bool
}

// Groups returns the groups. An instruction is of the first that it belongs to, of those that the machine times.
func Groups() []Group {
	return []Group{
		{"half", (*Instr).isHalf},
		{"convert", (*Instr).isConversion},
		{"count", func(in *Instr) bool { return in.Op == Popc || in.Op == Clz || in.Op == Bfind || in.Op == Brev }},
		{"wide", (*Instr).isWide},
		{"logic", (*Instr).IsLogic},
	}
}

// isHalf reports whether an instruction computes numbers of half precision.
func (in *Instr) isHalf() bool {
	switch in.Op.Info().Unit {
	case UnitAdd, UnitMinMax, UnitMul, UnitMad:
		return in.Op != Cvt && in.Type.IsFloat() && in.Type.Bits() < 32
	}
	return false
}

// isConversion reports whether an instruction converts numbers otherwise than integers of up to 32 bits into such.
func (in *Instr) isConversion() bool {
	return in.Op == Cvt && (in.Type.IsFloat() || in.SrcType.IsFloat() || in.Type.Bits() > 32 || in.SrcType.Bits() > 32)
}

// isWide reports whether an instruction adds or compares integers of 64 bits, or computes their bits. Moves and conversions are not among
// them.
func (in *Instr) isWide() bool {
	switch in.Op {
	case Mov, Pack, Unpack, Cvt, Cvta, CvtaTo, Isspacep:
		return false
	}
	return in.Op.Info().Unit == UnitAdd && !in.Type.IsFloat() && in.Type.Bits() == 64
}

// IsLogic reports whether an instruction is of a unit that adds, and adds nothing: logic, shifts, comparisons, selections, moves
// and conversions.
func (in *Instr) IsLogic() bool {
	switch in.Op {
	case Add, Sub, AddCarry, SubCarry:
		return false
	}
	return in.Op.Info().Unit == UnitAdd
}

func (in *Instr) memClass() Class {
	switch {
	case in.Space == Param || in.Space == Const:
		return MemParam
	case in.Space == Shared:
		return MemShared
	case in.Op == Atom || in.Op == Red:
		return MemAtomic
	}
	return MemGlobal
}

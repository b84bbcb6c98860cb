package minisimt

import "warpbound/diag"

// Module is the text of one file.
type Module struct {
	File    string
	Kernels []*Kernel
}

// Kernel is one kernel: Code[i] has the address Start+i.
type Kernel struct {
	Name   string
	Params []Var // which hold their values from the start and do not change
	Vars   []Var
	Start  int
	Code   []Instr
	Pos    diag.Pos
}

// Type is the type of a variable.
type Type uint8

// The types. Numbers have 32 bits.
const (
	NoType Type = iota
	Int
	Float
	Bool // a truth value
	IntPtr
	FloatPtr
	numTypes
)

var typeNames = [numTypes]string{"no type", "int", "float", "bool", "int*", "float*"}

// String returns the type as the language writes it.
func (t Type) String() string { return typeNames[t] }

// Elem returns the type that a pointer points to, NoType for other types.
func (t Type) Elem() Type {
	switch t {
	case IntPtr:
		return Int
	case FloatPtr:
		return Float
	}
	return NoType
}

// Pointer returns the type of pointers to an Int or Float.
func (t Type) Pointer() Type {
	if t == Float {
		return FloatPtr
	}
	return IntPtr
}

// Var is a variable or parameter.
type Var struct {
	Name string
	Type Type
	Pos  diag.Pos
}

// Opcode is an instruction of the machine.
type Opcode uint8

// The instructions. The zero value is none.
const (
	NoOpcode Opcode = iota
	Bz              // to Target where A is zero or false
	Bnz             // to Target where A is not
	Jump            // to Target
	Store           // memory at A = B
	Load            // Dst = memory at A
	Binop           // Dst = A Operator B
	Const           // Dst = A
	Sync
	Barrier // number A, for B threads
	numOpcodes
)

var opcodeNames = [numOpcodes]string{"none", "bz", "bnz", "jump", "store", "load", "binop", "const", "sync", "barrier"}

// String returns the word for the instruction.
func (o Opcode) String() string { return opcodeNames[o] }

// Instr is one instruction. Fields that an operation does not use are zero.
type Instr struct {
	Op       Opcode
	Dst      string // a variable
	A, B     Value
	Operator string // of Binop, as C writes it
	Target   int    // address
	Pos      diag.Pos
}

// Value is what an instruction reads: a variable or special variable if Name is set, else
// a number, which is Float if IsFloat is set and Int otherwise.
type Value struct {
	Name    string
	IsFloat bool
	Int     int32
	Float   float32
	Pos     diag.Pos
}

// Operators returns the operators of Binop.
func Operators() []string {
	return []string{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!="}
}

// Specials returns the variables that the machine sets: the number of the thread in its
// CTA and of threads in the CTA, the number of the CTA and of CTAs in the launch.
func Specials() []string { return []string{"Tid", "Ntid", "Ctaid", "Nctaid"} }

package isa

import (
	"errors"
	"fmt"
)

// Matrix says what Mma multiplies, and LdMatrix, StMatrix and MovMatrix move: matrices that all
// 32 lanes of a warp hold together, a fragment each. Instr.Type is the type of the elements of D,
// or of those that are moved, and Instr.SrcType that of the elements of A.
type Matrix struct {
	M, N, K      int  // A is MxK, B is KxN, C and D are MxN; what is moved is MxN
	ColA, RowB   bool // A lies by columns, B by rows, instead of the other way
	TypeB, TypeC Type // of the elements of B and C
	And          bool // products of bits: the bits that both have, not those that one has
	Trans        bool // LdMatrix, StMatrix, MovMatrix: what lies in memory, or results, is transposed
}

// mmaForm is a shape and the types with which it exists, besides those that follow: D and C
// are of the same type, and A and B of types of one size.
type mmaForm struct {
	m, n, k int
	since   int    // the first target
	a, d    []Type // of A and B, and of C and D
}

var (
	halfSums = []Type{F16, F32}
	words    = []Type{S32}
	octets   = []Type{U8, S8}
	nibbles  = []Type{U4, S4}
	floats8  = []Type{E4M3, E5M2}
)

// mmaForms are the dense products up to sm_90 (PTX ISA, mma, Syntax and Target ISA Notes).
var mmaForms = []mmaForm{
	{8, 8, 4, 70, []Type{F16}, halfSums},
	{16, 8, 8, 75, []Type{F16}, halfSums},
	{16, 8, 16, 80, []Type{F16}, halfSums},
	{16, 8, 8, 80, []Type{BF16}, []Type{F32}},
	{16, 8, 16, 80, []Type{BF16}, []Type{F32}},
	{16, 8, 4, 80, []Type{TF32}, []Type{F32}},
	{16, 8, 8, 80, []Type{TF32}, []Type{F32}},
	{8, 8, 4, 80, []Type{F64}, []Type{F64}},
	{16, 8, 4, 90, []Type{F64}, []Type{F64}},
	{16, 8, 8, 90, []Type{F64}, []Type{F64}},
	{16, 8, 16, 90, []Type{F64}, []Type{F64}},
	{16, 8, 16, 89, floats8, halfSums},
	{16, 8, 32, 89, floats8, halfSums},
	{8, 8, 16, 75, octets, words},
	{16, 8, 16, 80, octets, words},
	{16, 8, 32, 80, octets, words},
	{8, 8, 32, 75, nibbles, words},
	{16, 8, 32, 80, nibbles, words},
	{16, 8, 64, 80, nibbles, words},
	{8, 8, 128, 75, []Type{B1}, words},
	{16, 8, 128, 80, []Type{B1}, words},
	{16, 8, 256, 80, []Type{B1}, words},
}

func has(list []Type, t Type) bool {
	for _, x := range list {
		if x == t {
			return true
		}
	}
	return false
}

// mmaForm returns the form of a product, false if there is none.
func (in *Instr) mmaForm() (mmaForm, bool) {
	m := in.Matrix
	for _, f := range mmaForms {
		if f.m == m.M && f.n == m.N && f.k == m.K && has(f.a, in.SrcType) && has(f.a, m.TypeB) && has(f.d, in.Type) && has(f.d, m.TypeC) {
			same := in.Type == m.TypeC || in.MatrixProducts() > 1 && in.Type == F32
			return f, same
		}
	}
	return mmaForm{}, false
}

// Product names what Mma computes by shape and by the types of D and A, as PTX writes them: "m16n8k16 f32 f16". It is empty for all
// other operations.
func (in *Instr) Product() string {
	if in.Op != Mma {
		return ""
	}
	return product(in.Matrix.M, in.Matrix.N, in.Matrix.K, in.Type, in.SrcType)
}

func product(m, n, k int, d, a Type) string { return fmt.Sprintf("m%dn%dk%d %s %s", m, n, k, d, a) }

// Products returns the names of all that Mma can compute.
func Products() []string {
	var names []string
	for _, f := range mmaForms {
		for _, d := range f.d {
			for _, a := range f.a {
				names = append(names, product(f.m, f.n, f.k, d, a))
			}
		}
	}
	return names
}

// mmaSince returns what tells the products that came with a target.
func mmaSince(target int) func(*Instr) bool {
	return func(in *Instr) bool {
		if in.Op != Mma {
			return false
		}
		f, _ := in.mmaForm()
		if f.since < 80 && in.Matrix.And {
			return target == 80
		}
		return f.since == target
	}
}

// MatrixProducts returns how many products Mma computes: four of m8n8k4 on halves, each by
// four lanes of the lower half of the warp and four of the upper, else one.
func (in *Instr) MatrixProducts() int {
	if m := in.Matrix; m.M == 8 && m.K == 4 && in.SrcType == F16 {
		return 4
	}
	return 1
}

// FragmentRegs returns how many registers of each lane hold D, A, B and C of a Mma. They have 64
// bits for elements of type F64, 32 for all others, with as many elements as fit, the first the
// least significant.
func (in *Instr) FragmentRegs() (d, a, b, c int) {
	m, lanes := in.Matrix, warpThreads/in.MatrixProducts()
	regs := func(rows, columns int, t Type) int { return rows * columns / lanes * t.Bits() / max(32, t.Bits()) }
	return regs(m.M, m.N, in.Type), regs(m.M, m.K, in.SrcType), regs(m.K, m.N, m.TypeB), regs(m.M, m.N, m.TypeC)
}

// MatrixRow is the number of bytes of a row that LdMatrix or StMatrix moves: a lane that gives the address
// of a row accesses so many there.
const MatrixRow = 16

// MatrixRows returns how many rows LdMatrix or StMatrix moves: that many lanes, from the first, give an
// address. It is 0 for all other operations.
func (in *Instr) MatrixRows() int {
	const rows = 8 // of a matrix
	switch in.Op {
	case LdMatrix:
		return rows * len(in.Dst)
	case StMatrix:
		return rows * (len(in.Src) - 1)
	}
	return 0
}

// verifyMatrix checks that the matrices of an instruction exist.
func (in *Instr) verifyMatrix() error {
	m := in.Matrix
	if in.Op != Mma {
		if *m != (Matrix{M: 8, N: 8, Trans: m.Trans}) || in.Type != B16 {
			return fmt.Errorf("there are no matrices of %dx%d elements of type %s to move", m.M, m.N, in.Type)
		}
		return nil
	}
	_, ok := in.mmaForm()
	switch {
	case !ok:
		return fmt.Errorf("there is no product m%dn%dk%d of %s and %s, added to %s, of type %s", m.M, m.N, m.K, in.SrcType, m.TypeB, m.TypeC, in.Type)
	case in.MatrixProducts() == 1 && (m.ColA || m.RowB):
		return errors.New("a product of this shape has A by rows and B by columns")
	case m.And && in.SrcType != B1, m.Trans:
		return errors.New("the product has no such mode")
	}
	return nil
}

// shape renders the shape and the layout behind the name of the operation.
func (m *Matrix) shape(in *Instr) string {
	if in.Op != Mma {
		text := fmt.Sprintf(".m%dn%d", m.M, m.N)
		if m.Trans {
			text += ".trans"
		}
		return text
	}
	layout := map[bool]string{false: "row", true: "col"}
	return fmt.Sprintf(".m%dn%dk%d.%s.%s", m.M, m.N, m.K, layout[m.ColA], layout[!m.RowB])
}

// operandTypes renders the types of B and C, and how bits are multiplied.
func (m *Matrix) operandTypes() []string {
	types := []string{m.TypeB.String(), m.TypeC.String()}
	switch {
	case m.TypeB == B1 && m.And:
		types = append(types, "and", "popc")
	case m.TypeB == B1:
		types = append(types, "xor", "popc")
	}
	return types
}

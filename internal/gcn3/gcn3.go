// Package gcn3 encodes and decodes the two instructions that wavefront splitting adds to
// AMD's GCN3 instruction set, as Klashtorny, Wu, Kaushik and Patel lay them out
// (TECS 22(5s), 2023, Fig. 3a):
//
//	31            16 15       8 7        0
//	  opcode 0xbf7f     high        low      split low, high
//	  opcode 0xbfff      0           0       merge
//
// low and high are scalar registers of 32 bits. Their bits are those of the lanes of the
// wavefront, lane 0 the lowest of low: set in the lanes that stay in the context of the
// wavefront, clear in those that go to a split context. Lanes that are not active have bits
// without a meaning.
//
// The paper does not state the opcodes. Here split is the last opcode of the format SOPC
// (bits 23 to 31 are 101111110) and merge that of SOPP (101111111), which GCN3 leaves
// free ("Graphics Core Next Architecture, Generation 3", chapter 12): SOPC has two scalar
// sources and no destination, SOPP no operands, so that these are the formats of Fig. 3a.
//
// gcn3 imports nothing of this project.
package gcn3

import "fmt"

// Op is an operation.
type Op uint16

// The operations, by their opcodes. The zero value is none.
const (
	Split Op = 0xbf7f
	Merge Op = 0xbfff
)

// Scalar is a scalar register of 32 bits, as source operands encode it: the number of a
// general one, VCCLo or VCCHi.
type Scalar uint8

// Scalars is the number of general scalar registers, s0 to s101.
const Scalars = 102

// The halves of the vector condition code, into which comparisons write the lanes for which
// they hold.
const (
	VCCLo Scalar = 106
	VCCHi Scalar = 107
)

// valid reports whether the number is that of a register. Others stand for constants, for
// what belongs to traps and the system, and for the execute mask, which the split changes.
func (s Scalar) valid() bool { return s < Scalars || s == VCCLo || s == VCCHi }

// String returns the register's name in assembly.
func (s Scalar) String() string {
	switch s {
	case VCCLo:
		return "vcc_lo"
	case VCCHi:
		return "vcc_hi"
	}
	return fmt.Sprintf("s%d", uint8(s))
}

// Instr is an instruction. A Merge has no registers.
type Instr struct {
	Op        Op
	Low, High Scalar // Split: the lanes that stay, 0 to 31 and 32 to 63
}

// String returns the instruction in assembly.
func (in Instr) String() string {
	switch in.Op {
	case Split:
		return fmt.Sprintf("split %v, %v", in.Low, in.High)
	case Merge:
		return "merge"
	}
	return fmt.Sprintf("unknown opcode 0x%04x", uint16(in.Op))
}

// Encode returns the instruction's 32 bits. It is an error if the operation is unknown, if
// a source of a split is no register, or if a merge has sources.
func (in Instr) Encode() (uint32, error) {
	switch in.Op {
	case Split:
		for _, s := range [...]Scalar{in.Low, in.High} {
			if !s.valid() {
				return 0, fmt.Errorf("source %d of split is no scalar register; want s0 to s%d, %v or %v", uint8(s), Scalars-1, VCCLo, VCCHi)
			}
		}
	case Merge:
		if in.Low != 0 || in.High != 0 {
			return 0, fmt.Errorf("merge has no operands, not %v and %v", in.Low, in.High)
		}
	default:
		return 0, fmt.Errorf("%v is neither split (0x%04x) nor merge (0x%04x)", in, uint16(Split), uint16(Merge))
	}
	return uint32(in.Op)<<16 | uint32(in.High)<<8 | uint32(in.Low), nil
}

// Decode returns the instruction with the given bits. It is an error, and the Instr zero,
// if Encode gives these bits to none.
func Decode(word uint32) (Instr, error) {
	in := Instr{Op: Op(word >> 16), Low: Scalar(word), High: Scalar(word >> 8)}
	if _, err := in.Encode(); err != nil {
		return Instr{}, fmt.Errorf("0x%08x: %w", word, err)
	}
	return in, nil
}

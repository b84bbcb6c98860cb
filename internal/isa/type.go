package isa

// Type is the type of an operation, a register or a variable element.
type Type uint8

// The types, named as PTX names them. Invalid is the zero value.
const (
	Invalid Type = iota
	Pred
	B8
	B16
	B32
	B64
	B128
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	F16x2
	BF16
	BF16x2
	F32
	F64
	U16x2
	S16x2
	E4M3x2 // pairs of 8-bit floats, the first the more significant
	E5M2x2
	F32x2
	U4 // what integers are packed to
	S4
	U2
	S2
	E2M1x2 // pairs of floats of 4 bits, and of 6 bits that take 8 each; they have neither infinities nor NaN
	E2M3x2
	E3M2x2
	UE8M0x2 // pairs of powers of two
	TF32    // a float of 19 bits in the upper bits of 32
	E4M3    // what matrices are made of, besides larger types
	E5M2
	B1
	numTypes
)

// TypeClass groups types by how their bits are read.
type TypeClass uint8

// The classes of types.
const (
	NoClass TypeClass = iota
	Predicate
	Bits
	Unsigned
	Signed
	Float
	Packed // what only the operations made for it understand: pairs of small numbers, tf32
)

var types = [numTypes]struct {
	name  string
	bits  uint8
	class TypeClass
}{
	Pred:    {"pred", 1, Predicate},
	B8:      {"b8", 8, Bits},
	B16:     {"b16", 16, Bits},
	B32:     {"b32", 32, Bits},
	B64:     {"b64", 64, Bits},
	B128:    {"b128", 128, Bits},
	U8:      {"u8", 8, Unsigned},
	U16:     {"u16", 16, Unsigned},
	U32:     {"u32", 32, Unsigned},
	U64:     {"u64", 64, Unsigned},
	S8:      {"s8", 8, Signed},
	S16:     {"s16", 16, Signed},
	S32:     {"s32", 32, Signed},
	S64:     {"s64", 64, Signed},
	F16:     {"f16", 16, Float},
	F16x2:   {"f16x2", 32, Float},
	BF16:    {"bf16", 16, Float},
	BF16x2:  {"bf16x2", 32, Float},
	F32:     {"f32", 32, Float},
	F64:     {"f64", 64, Float},
	U16x2:   {"u16x2", 32, Packed},
	S16x2:   {"s16x2", 32, Packed},
	E4M3x2:  {"e4m3x2", 16, Packed},
	E5M2x2:  {"e5m2x2", 16, Packed},
	F32x2:   {"f32x2", 64, Float},
	U4:      {"u4", 4, Packed},
	S4:      {"s4", 4, Packed},
	U2:      {"u2", 2, Packed},
	S2:      {"s2", 2, Packed},
	E2M1x2:  {"e2m1x2", 8, Packed},
	E2M3x2:  {"e2m3x2", 16, Packed},
	E3M2x2:  {"e3m2x2", 16, Packed},
	UE8M0x2: {"ue8m0x2", 16, Packed},
	TF32:    {"tf32", 32, Packed},
	E4M3:    {"e4m3", 8, Packed},
	E5M2:    {"e5m2", 8, Packed},
	B1:      {"b1", 1, Packed},
}

// TypeByName finds a type by its name, for example "u32".
func TypeByName(name string) (Type, bool) {
	for t := Pred; t < numTypes; t++ {
		if types[t].name == name {
			return t, true
		}
	}
	return Invalid, false
}

// String returns the name of the type as PTX writes it, without the dot.
func (t Type) String() string {
	if t == Invalid || t >= numTypes {
		return "invalid"
	}
	return types[t].name
}

// Bits returns the width in bits: 1 for predicates.
func (t Type) Bits() int { return int(types[t].bits) }

// Bytes returns the size in memory in bytes: 0 for predicates, which have none.
func (t Type) Bytes() int { return int(types[t].bits) / 8 }

// Class tells how the bits of the type are read.
func (t Type) Class() TypeClass { return types[t].class }

// IsFloat reports whether values of the type are floating-point numbers.
func (t Type) IsFloat() bool { return types[t].class == Float }

// IsSigned reports whether values of the type are signed integers.
func (t Type) IsSigned() bool { return types[t].class == Signed }

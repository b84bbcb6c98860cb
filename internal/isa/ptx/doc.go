// Package ptx reads NVIDIA PTX, the textual instruction set that clang and nvcc
// emit: Parse makes a syntax tree of a module, Lower makes an isa.Program of the
// tree, and Print writes the tree as text again.
//
// The parser knows the shape of declarations and statements but no instruction:
// an instruction is a guard, a dotted mnemonic and operands. What instructions
// there are, with which modifiers, types and operands, stands in one table in the
// notation of the PTX manual (see forms.go); a further instruction is a further
// row. An instruction that no row matches lowers to isa.Opaque, isa.OpaqueAccess or
// isa.Unknown and a warning, by what is known of its family (see refused.go), so that
// the kernel or the module around it can still be looked at.
//
// A statement that is wrong refuses the kernels that need it and no other: see
// lower_refuse.go. An error of the module is what leaves nothing to look at: no .version or
// .target, no end of a block, text that no directive begins.
//
// # Parameters and calls
//
// The parameters of an entry function are read from isa.ParamVar. A device
// function and its callers follow the convention of isa.Func: a scalar parameter
// is a register, and ld.param and st.param on it become moves or conversions; an
// aggregate is a Local variable of the caller, whose address is passed.
//
// Registers of 128 bits and vectors of registers are several registers for isa.
// An element array[%r] is computed before the instruction that uses it.
// Access to a part of a scalar parameter becomes a shift or an insertion. The
// carry flag of extended precision is a predicate register.
//
// The address of a function is an operand, isa.KindFunc. A call by address lists
// the functions that its .calltargets name or its .callprototype fits.
//
// # Immediates
//
// An integer immediate has the width of the operand, in two's complement: 4294967295 and -1
// are the same 32 bits. One that does not fit is an error; those among initial values lose
// their upper bits. A floating-point immediate is converted to the operand's type, to
// nearest even; where the operand is untyped bits (.b32, .b64) it becomes the
// bits of the float of that width. An integer where a float is wanted, or the
// reverse, is an error but for 0, which is the same number and the same bits.
//
// # Limits
//
// Hostile input is refused with an error rather than with exhaustion: sources
// beyond 256 MiB, constructs nested deeper than 200, expressions of more than
// 1000 operators, register ranges beyond 2^24, variables beyond 1 GiB, and
// initialisers that fill more than 64 MiB.
//
// ptx imports internal/isa and internal/diag, and nothing else of this project.
package ptx

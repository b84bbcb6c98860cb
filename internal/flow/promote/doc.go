// Package promote makes registers of local memory, for analyses that know the values of
// registers only. Compilers that do not optimise keep every variable of a function in
// local memory; analyses of loops, branches and addresses would know nothing of such code.
//
//	mov.u64   %SPL, __local_depot0
//	cvta.local.u64 %SP, %SPL
//	st.u32    [%SP+56], %r10           mov.b32 __local_depot0+56, %r10
//	ld.s32    %rd17, [%SP+56]          cvt.s64.s32 %rd17, __local_depot0+56
//
// What is promoted is a slot: bytes of a variable that accesses always take as a whole, or
// in equal parts. The kernel that results has the same instructions at the same places, of
// which some are moves, so that what is found out about it holds of the original, by block
// and by instruction. It is never executed in place of the original, nor timed.
//
// A slot is promoted if all accesses to it are known:
//
//   - The address of a local variable is only moved, converted between local and generic,
//     added to, selected, and kept in slots that are as wide as an address. If it is used
//     otherwise, for example stored elsewhere, compared or passed to the runtime, nothing is
//     promoted.
//   - An access at a constant distance from a variable is inside of it.
//   - An access at another distance keeps away from the slot. That is assumed at first of
//     all of these accesses. Then the values of the kernel that results are analysed, the
//     slots that an access may touch are given up, and all is done again until the assumption
//     is confirmed: each access stays in the bytes that it was assumed to touch.
//   - No thread reads it before it has written it.
//
// That the last assumption is confirmed by an analysis which rests on it is no circle. Take an
// execution of the original and one of the result, side by side. As long as every access
// has kept to its bytes, both have the same values in all registers, slots included; so the
// analysis, which holds of every beginning of an execution, holds of the next access in the
// original too, and that keeps to its bytes.
//
// It is taken for granted that only an address that is computed from the address of a local
// variable leads to local memory. Another one that did would lead out of the memory that it
// is the address of.
//
// promote imports cfg, constraint, isa, flow/launchfacts and flow/value, and nothing that executes.
package promote

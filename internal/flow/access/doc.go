// Package access says of the loads, stores and atomic operations of a kernel which addresses they
// access, from a solution for the values of registers (package fixpoint).
//
// pattern.go counts how the addresses that the lanes of a warp access together divide memory:
// strides, segments, banks (FindPatterns). A new pattern is a case of describePattern; it rests on
// what lanes agree on (package agreement): an address is a part of which a lane's thread index
// determines how it differs from lane to lane, and one that all lanes have in common.
//
// address.go gives the address of each access as a sum of terms (FindAddresses), with the
// conditions under which a thread comes to it. term.go says how terms differ between threads,
// expand.go replaces counters of loops by what they begin with and numbers of iterations;
// control.go finds on which branches it depends whether control comes to a block, condition.go what
// their conditions say of a thread's indices. touch.go finds in which buffer of the launch an
// access lies: what is loaded from those that the kernel does not write (FindLoads), and which it
// may write (FindWriters). offset.go has offsets from a variable.
//
// A run that fails, by a trap, an assertion or an access outside of memory, is not covered. An
// access at an address that is no multiple of its size is one that fails.
package access

// Package symexec executes one thread of a kernel symbolically (King, "Symbolic execution
// and program testing", CACM 19(7), 1976): registers and memory hold terms over the launch's
// inputs, and each path that the thread can take has a formula that holds for just the inputs
// with which it is taken, and a model: inputs for which the kernel is seen to take it.
//
// Memory is arrays of bytes, one for each buffer, for the parameters, the variables, and
// shared and local memory, at the addresses that the launch gives them. An address is
// resolved to the array that it lies in for the path's model; others are paths of their own. So is
// an access beyond all of them, which ends the path.
//
// A path goes on with the side of a branch that its model takes. The other side waits, and is
// asked a solver about when its turn comes: sides that no path has taken yet first.
//
// What other threads do is not known: barriers are passed, memory that others write is taken to
// be as it was, and operations on several lanes are errors.
//
// symexec imports isa, diag, fold and smt. It must not import emu, a machine, the simulator or a
// method.
package symexec

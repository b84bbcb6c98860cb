// Package symexec executes threads of a kernel symbolically (King, "Symbolic execution
// and program testing", CACM 19(7), 1976): registers and memory hold terms over the launch's
// inputs, and each path that the threads can take has a formula that holds for just the inputs
// with which it is taken, and a model: inputs for which the kernel is seen to take it.
//
// The threads are some of a launch, with their indices and the launch's lengths, and run one at a
// time: CTA after CTA, and in a CTA thread after thread, each until it waits at a barrier or ends
// (the canonical schedule of Li et al., "GKLEE", PPoPP 2012). What follows from the order is exact
// for this one only: threads that race may take other paths in another. So may threads that
// communicate with others of the launch: what those do is not known. Their memory is taken to be as
// it was, and barriers are passed when they would be. Lanes of a warp that come to an operation on
// several of them wait until all that take part have; where one of these does not run the path is
// not followed any further.
//
// Memory is arrays of bytes, one for each buffer, for the parameters, the variables, and
// shared and local memory, at the addresses that the launch gives them. An address is
// resolved to the array that it lies in for the path's model; others are paths of their own. So is
// an access beyond all of them, which ends the path.
//
// A path goes on with the outcome of a branch that its model takes. The other outcome waits, and is
// asked a solver about when its turn comes: outcomes that no path has taken yet first. Prove shows
// that no thread takes an outcome at all, for all threads at once.
//
// symexec imports cfg, contract, graph, isa, diag, semantics and smt. It must not import emu, a machine,
// the simulator or a method.
package symexec

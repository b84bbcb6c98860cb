// Package fixpoint finds what registers can hold at all places of a kernel: it solves the equations
// that the transfer functions (package transfer) make of the flow graph (Cousot and Cousot, POPL
// 1977).
//
// A Solver goes over the blocks until nothing changes (Solve): it joins what comes along the edges
// to a block, executes its instructions, and refines what is known along each edge behind it by the
// condition of the branch. Loops are widened to thresholds and narrowed. Before it is narrowed, the
// solution is checked to be a post-fixpoint. A later pass can narrow it further by what it has
// found out itself (NarrowTo), as the bounds of loops do. A Solution does not change any more
// (Finish): passes read what is known at the beginning of each block and along each edge, and have
// its Machine execute the instructions in between once more.
//
// prepare.go makes a solver: the order of blocks, the thresholds, where registers end. solve.go has
// the rounds: joins, symbols of registers that paths give different values, widening and narrowing.
// guard.go checks the result, solution.go answers what passes ask.
package fixpoint

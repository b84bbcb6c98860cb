// Package absexec executes one warp of a kernel abstractly (Gustafsson, Ermedahl
// and Lisper, "Towards a flow analysis for embedded system C programs", WORDS
// 2005), for a whole range of CTAs and for all inputs at a time: it tells which
// instructions the warp executes in which order, with which lanes and at which
// addresses, as exactly as launch constants, thread indices and CTA indices
// determine them.
//
// A register has for each lane a number or is unknown there. A number may depend
// on the CTA: it holds for the first CTA of a box of CTAs and changes by a constant
// from one CTA to the next along each axis (value.go, linear.go). Where control or
// an address depends on the CTA otherwise, or differently within the box, the box is
// cut and its parts are executed anew (absexec.go); so what comes out are maximal
// boxes of CTAs that behave alike.
//
// The lanes of the warp form a reconvergence stack like that of internal/emu, with
// two masks for each entry: lanes that surely run it and lanes that may (stack.go,
// branch.go). A branch that is not decided for some lanes is followed both ways, each
// path with registers of its own, and where the branch reconverges a lane keeps what they agree
// on. If the branch is known to be uniform, the paths are alternatives.
//
// Kernels whose lanes reconverge at syncs have frames of lanes instead (syncs.go).
//
// What is loaded is unknown, except from parameters, from constant memory and from
// the thread's own local memory, which is followed (local.go). Loops that are left for
// an unknown reason are left by force after their bound (loop.go).
//
// Executions that fail, at a trap, an assertion, an access outside of every
// buffer and so on, are not covered: a run that fails has no execution time.
//
// absexec imports isa, cfg and diag, and semantics for the meaning of single
// instructions. It must not import emu, sim, a machine or a method: it knows no
// timing, and bounds made from it are checked against those that do.
package absexec

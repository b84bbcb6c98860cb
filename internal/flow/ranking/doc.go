// Package ranking bounds loops that counters do not, by ranking functions that a solver of bit-vector formulas proves: a
// register that is halved or doubled in each iteration or in two of them, or a register, or a sum or difference of two, that
// decreases and has a least value (Podelski and Rybalchenko, "A complete method for the synthesis of linear ranking
// functions", VMCAI 2004, on words that wrap around).
//
// One way around the loop is a formula over the registers: branches are merged, what is loaded is any word, and so is what a
// loop inside leaves. What package value knows of the registers where the loop begins is assumed. Besides, ranges
// of registers where control enters the loop, and comparisons of the loop, are tried as invariants: those are kept of which
// the solver shows that they hold in each iteration if all of them did in the one before (Flanagan and Leino, "Houdini", FME 2001).
//
// A bound holds for one thread. Everything that it rests on is an answer "unsat" of the solver.
//
// ranking imports cfg, graph, isa, smt, symexec (for the meaning of instructions) and value. It must not start a solver.
package ranking

// Package divergence finds which values are the same in all threads of a warp, of a
// CTA or of the grid, and so on which branches the lanes of a warp always agree.
//
// It works on kernels in gated form (package gated), in which what a value depends
// on are its operands, control included (Coutinho, Sampaio, Pereira and Meira,
// "Divergence analysis and optimizations", PACT 2011; Hirvisalo, WCET 2014, Section
// 3.1). A value is as divergent as the most divergent of its operands, and sources
// of divergence are listed in tables: special registers, what may be in memory, and
// operations across lanes. Two things are no data flow and are looked for in the
// flow graph: lanes that execute a block one after another, in between which memory
// changes, and lanes that reconverge in different iterations of a loop. docs/methods/divergence.md
// has the argument.
//
// The package imports cfg, constraint, flow/gated and isa and nothing else of this project.
package divergence

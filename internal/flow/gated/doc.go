// Package gated brings kernels into gated single-assignment form.
//
// Every write of a register makes a new value, as in static single assignment,
// but where control flow joins, the value says how it is chosen and not just from
// what (Ottenstein, Ballance and MacCabe, "The program dependence web", PLDI 1990;
// Tu and Padua, "Efficient building and placing of gating functions", PLDI 1995):
//
//	gamma(p, a, b)  is a if the predicate p holds, else b; with several cases, the
//	                one that an index names
//	mu(a, b)        at the header of a loop: a in its first iteration, and later b
//	                of the iteration before
//	eta(p, a)       behind a loop: a of the iteration in which the loop was left,
//	                the first in which p holds
//
// So control dependence has become data dependence, and an analysis follows
// operands alone. A write under a guard is a gamma of what it writes and what the
// register held. For
//
//	      mov     s, 0             s.1 = 0
//	loop:                          s.2 = mu(s.1, s.4)
//	 @p   add     s, s, x          s.3 = s.2 + x;  s.4 = gamma(p, s.3, s.2)
//	      setp.lt q, s, n          q.1 = s.4 < n
//	 @q   bra     loop
//	      st      [a], s           s.5 = eta(gamma(q.1, false, true), s.4)
//
// A form describes one thread, and complete runs only: paths on which every run
// ends with an error are left out, as in the flow graph of package cfg.
//
// The package imports cfg, diag, graph and isa and nothing else of this project.
package gated

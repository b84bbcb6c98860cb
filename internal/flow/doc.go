// Package flow holds the data-flow analyses of kernels: what values can reach a
// place and what holds them. Each is a plain function over a control-flow graph
// that returns a new result. At present there are the number of registers that a
// thread needs and the registers that it may read before it writes them; liveness itself, which the simulator needs too, is in internal/cfg.
//
// flow imports internal/cfg, internal/diag and internal/isa and nothing else of this project.
// It knows no timing and no machine.
package flow

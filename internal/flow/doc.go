// Package flow holds the data-flow analyses of kernels: what values can reach a
// place and where they are still needed. Each is a plain function over a
// control-flow graph that returns a new result. At present there is liveness.
//
// flow imports internal/cfg, internal/graph and internal/isa and nothing else of this project.
// It knows no timing and no machine.
package flow

// Package isatest has what tests ask of the table of operations.
//
// isatest is imported by tests alone. It imports isa and nothing else of this project.
package isatest

import "warpbound/internal/isa"

// Ops returns all known operations, for tests that visit every row of the table.
func Ops() []isa.Op {
	var all []isa.Op
	for o := isa.Unknown + 1; o.Info() != isa.Unknown.Info(); o++ {
		all = append(all, o)
	}
	return all
}

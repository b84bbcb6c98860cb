// Package isatest has what tests ask of the table of operations, and links programs for them.
//
// isatest is imported by tests alone. It imports isa and nothing else of this project.
package isatest

import "warpbound/internal/isa"

// Ops returns all operations that are modelled, for tests that visit every row of the table.
func Ops() []isa.Op {
	var all []isa.Op
	for o := isa.Unknown + 1; o.Info() != isa.Unknown.Info(); o++ {
		if o.Info().Effect&isa.Unmodelled == 0 {
			all = append(all, o)
		}
	}
	return all
}

// Link links a kernel as isa.Link does. The error may also be that the program or the kernel
// breaks an invariant.
func Link(p *isa.Program, name string) (*isa.Kernel, error) {
	if err := isa.VerifyProgram(p); err != nil {
		return nil, err
	}
	k, err := isa.Link(p, name)
	if err != nil {
		return nil, err
	}
	if err := isa.Verify(k); err != nil {
		return nil, err
	}
	return k, nil
}

package method

import (
	"errors"
	"fmt"

	"warpbound/diag"
	"warpbound/internal/absexec"
)

// Warnings says where the analyses gave up on which the problem rests, with position and reason: a
// bound may be greater than it need be for that.
func (p *Problem) Warnings() []diag.Warning {
	var all []diag.Warning
	if p.Uniform == nil {
		all = append(all, p.GaveUp("no-verdicts", "every branch is taken for one at which lanes of a warp may go different ways", p.NoUniform))
	}
	all = append(all, p.LimitedUniform...)
	if p.Values != nil {
		all = append(all, p.Values.Limited()...)
	}
	return all
}

// Summarised is the warning of a method for which an executor summarises loops; none if it does not.
func (p *Problem) Summarised(x *absexec.Executor) []diag.Warning {
	if !x.Summarises() {
		return nil
	}
	return []diag.Warning{p.GaveUp("loops-summarised", fmt.Sprintf(
		"warps execute more than %d instructions, so that iterations of loops, or ways of lanes that part, are added up instead of followed one by one: the bound may be greater than it need be; a greater --effort follows more", p.MaxSteps()), nil)}
}

// GaveUp is the warning of a method that goes on without something. what says without what, why is
// the reason; its position is that of the warning if it has one, else the kernel's.
func (p *Problem) GaveUp(id, what string, why error) diag.Warning {
	w := diag.Warning{Pos: p.Graph.Kernel.Pos, ID: id, Text: what}
	if at := (*diag.Error)(nil); errors.As(why, &at) && at.Pos.Known() {
		w.Pos, why = at.Pos, at.Err
	}
	if why != nil {
		w.Text += ": " + why.Error()
	}
	return w
}

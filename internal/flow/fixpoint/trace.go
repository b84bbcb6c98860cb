package fixpoint

import (
	"fmt"

	"warpbound/internal/constraint"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
)

// SetTrace has a solver trace what registers hold where ways join, and the words of symbols, until
// they are narrowed.
func (s *Solver) SetTrace(trace constraint.Trace) { s.trace = trace }

// nothing is what a register or a symbol holds before control is found to come there.
const nothing = "{}"

// traceRegister traces what a register holds at the beginning of a block, unless sets are narrowed.
func (s *Solver) traceRegister(b int, r isa.Reg, old, v *transfer.Value) {
	if s.trace == nil || s.Machine.Narrow {
		return
	}
	block := &s.Graph.Blocks[b]
	name := fmt.Sprintf("%v: %s at %s", block.Source(), s.Graph.Kernel.Regs[r].Name, block.Name)
	s.trace(constraint.Step{Iteration: s.pass + 1, Name: name, Before: s.formatValue(old), After: s.formatValue(v)})
}

// formatValue renders a value: its words, and the form that they are.
func (s *Solver) formatValue(v *transfer.Value) string {
	if v == nil {
		return nothing
	}
	return fmt.Sprintf("%v = %s", v.Set, s.Machine.Syms.Format(v.Form))
}

// traceSymbol traces the words of a symbol, unless sets are narrowed. before begins with those that
// it had before the round; it is empty if there was no such symbol.
func (s *Solver) traceSymbol(y affine.Symbol, before []strided.Interval) {
	if s.trace == nil || s.Machine.Narrow {
		return
	}
	step := constraint.Step{Iteration: s.pass + 1, Name: s.DescribeSymbol(y), Before: nothing}
	if len(before) > 0 {
		step.Before = before[0].String()
	}
	step.After = s.Machine.Syms.Symbols[y].Set.String()
	s.trace(step)
}

// DescribeSymbol returns the name of a symbol, and where it is assigned.
func (r *Solution) DescribeSymbol(s affine.Symbol) string {
	y := &r.Machine.Syms.Symbols[s]
	switch y.Origin {
	case affine.Merged:
		return fmt.Sprintf("%v: symbol %s at %s", r.Graph.Blocks[y.Block].Source(), y.Name, r.Graph.Name(y.Block))
	case affine.Defined:
		return fmt.Sprintf("%v: symbol %s", r.Graph.Kernel.Instrs[y.PC%len(r.Graph.Kernel.Instrs)].Pos, y.Name)
	}
	return "symbol " + y.Name
}

package cta

import (
	"context"

	"warpbound/internal/absexec"
	"warpbound/internal/flow/access"
	"warpbound/internal/flow/value"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/method/cost"
)

// ranges tells what the values of registers say of the requests of accesses: lanes whose addresses are not known may still
// have them in a small range.
type ranges struct {
	ctx     context.Context
	values  *value.Result // nil if nothing is known
	machine *machine.Machine
	maximum map[int]int64 // requests by instruction; nil before they are asked for
}

func newRanges(ctx context.Context, p *method.Problem) *ranges {
	return &ranges{ctx: ctx, values: p.Values, machine: p.Machine}
}

// narrow returns the requests of a step as far as these values bound them.
func (r *ranges) narrow(made cost.Between, s *absexec.Step) cost.Between {
	if made.Certain() || r.values == nil {
		return made
	}
	if r.maximum == nil {
		r.maximum = r.requests()
	}
	if maximum, ok := r.maximum[s.PC]; ok && maximum < made.Max {
		return cost.Between{Min: min(made.Min, maximum), Max: maximum}
	}
	return made
}

// requests returns the most requests of accesses to memory that is divided into segments or banks: of none if the context
// ends, and with it what asks.
func (r *ranges) requests() map[int]int64 {
	all := make(map[int]int64)
	m := r.machine
	memory := access.Memory{Segment: int(m.Memory.Segment.Value), Banks: int(m.Shared.Banks.Value), BankWidth: int(m.Shared.BankBytes.Value)}
	accesses, err := r.values.Accesses(r.ctx, memory)
	if err != nil {
		return all
	}
	for _, a := range accesses {
		in := &r.values.Graph.Kernel.Instrs[a.Instr]
		atomic := in.Op == isa.Atom || in.Op == isa.Red
		if in.Space == isa.Shared || in.Space == isa.Global && !atomic {
			all[a.Instr] = int64(max(a.Max, 1))
		}
	}
	return all
}

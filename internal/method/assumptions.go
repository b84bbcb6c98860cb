package method

import (
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/premise"
)

// Assumptions are what the estimate of every static method rests on, what its problem takes for granted
// of fixed buffers included.
func (p *Problem) Assumptions() []string {
	list := []string{
		premise.Timing,
		premise.Alone,
		premise.NoHost,
		premise.Aligned,
		premise.Terminates,
	}
	for _, b := range p.Fixed {
		switch {
		case !b.Assumed:
			list = append(list, premise.Contents(b.Name, premise.Unwritten))
		case !slices.Contains(p.Trusted, b.Name):
			list = append(list, premise.Contents(b.Name, premise.ReadOnly))
		}
	}
	for _, name := range p.Trusted {
		list = append(list, premise.Contents(name, premise.ReadOnly))
	}
	for _, s := range p.Solved {
		list = append(list, premise.Solved(p.By, p.Graph.Name(s.Header), s.Max, s.Function))
	}
	return list
}

// Asked returns the solver on which the estimates of a problem rest; nil if there is none.
func (p *Problem) Asked() *estimate.Solver {
	if p.Solved == nil {
		return nil
	}
	name, version, _ := strings.Cut(p.By, " ")
	out := &estimate.Solver{Name: name, Version: version}
	for _, s := range p.Solved {
		out.Loops = append(out.Loops, estimate.SolvedLoop{Name: p.Graph.Name(s.Header), Pos: p.Graph.Blocks[s.Header].Source().String(), Iterations: s.Max, Ranking: s.Function})
	}
	return out
}

// Evidence is the strongest that an estimate can have for what its problem takes for granted of fixed buffers.
func (p *Problem) Evidence() estimate.Evidence {
	if slices.ContainsFunc(p.Fixed, func(b absexec.Buffer) bool { return b.Assumed }) {
		return estimate.Annotated
	}
	return estimate.Proven
}

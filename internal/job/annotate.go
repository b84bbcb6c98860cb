package job

import (
	"strings"

	"warpbound/internal/diag"
)

// annotations finds the places of the loop bounds and facts.
func (m *binder) annotations() {
	for _, l := range m.Job.Loops {
		m.Loops = append(m.Loops, BoundLoop{Instrs: m.instrs(l.Place, l.Pos), Bound: l.Bound, Pos: l.Pos})
	}
	for _, f := range m.Job.Facts {
		bound := BoundFact{Min: f.Min, Max: f.Max, Pos: f.Pos}
		for _, t := range f.Sum {
			for _, instr := range m.instrs(t.Place, t.Pos) {
				bound.Sum = append(bound.Sum, BoundTerm{Instr: instr, Coef: t.Coef})
			}
		}
		m.Facts = append(m.Facts, bound)
	}
}

func (m *binder) instrs(p Place, pos diag.Pos) []int {
	at := p.Instrs(m.Kernel)
	switch {
	case at == nil && p.Line > 0:
		m.errorf(pos, "no instruction of kernel %s stands at %q; give a line of %s that holds one", m.Kernel.Name, p, m.Kernel.File)
	case at == nil:
		m.errorf(pos, "kernel %s has no label %q; it has %s", m.Kernel.Name, p, m.labels())
	}
	return at
}

// labels lists some labels of the kernel, for messages.
func (m *binder) labels() string {
	const most = 8
	var names []string
	for _, l := range m.Kernel.Labels {
		if len(names) == most {
			names = append(names, "...")
			break
		}
		names = append(names, l.Name)
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

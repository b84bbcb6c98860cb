package job

import (
	"slices"

	"warpbound/internal/isa"
)

// bindAnnotations finds the places of the loop bounds and facts, each in one of the kernels at least.
func bindAnnotations(kernels []*binder) {
	first := kernels[0]
	for _, l := range first.Job.Loops {
		found := false
		for _, m := range kernels {
			if at := l.Place.Instrs(m.Kernel); at != nil {
				m.Loops = append(m.Loops, BoundLoop{Instrs: at, Bound: l.Bound, Pos: l.Pos})
				found = true
			} else if fromSource(m.Kernel, l.Place) {
				m.Loops = append(m.Loops, BoundLoop{Source: l.Place, Bound: l.Bound, Pos: l.Pos})
				found = true
			}
		}
		if !found {
			first.noPlace(l.Place, l.Pos, loops(first.Kernel))
		}
	}
	for i := range first.Job.Facts {
		f := &first.Job.Facts[i]
		found := false
		for _, m := range kernels {
			found = m.fact(f) || found
		}
		if !found {
			for _, t := range f.Sum {
				if t.Place.Instrs(first.Kernel) == nil {
					first.noPlace(t.Place, t.Pos, labels(first.Kernel))
				}
			}
		}
	}
}

// fact reports whether the kernel has all places of a fact.
func (m *binder) fact(f *Fact) bool {
	bound := BoundFact{Min: f.Min, Max: f.Max, Pos: f.Pos}
	for _, t := range f.Sum {
		at := t.Place.Instrs(m.Kernel)
		if at == nil && !fromSource(m.Kernel, t.Place) {
			return false
		}
		if at == nil {
			bound.Sum = append(bound.Sum, BoundTerm{Source: t.Place, Coef: t.Coef})
		}
		for _, instr := range at {
			bound.Sum = append(bound.Sum, BoundTerm{Instr: instr, Coef: t.Coef})
		}
	}
	m.Facts = append(m.Facts, bound)
	return true
}

// bindBranches finds the branches that split, each in one of the kernels at least.
func bindBranches(kernels []*binder) {
	first := kernels[0]
	for _, p := range first.Job.Split.Branches {
		found := false
		for _, m := range kernels {
			if at := p.Instrs(m.Kernel); at != nil {
				m.Branches = append(m.Branches, BoundBranch{Place: p, Instrs: at})
				found = true
			}
		}
		if !found {
			first.noPlace(p, first.Job.Split.Pos.Branches, labels(first.Kernel))
		}
	}
}

// Moved returns what becomes of the annotations when the kernel is rewritten: instruction i
// of b.Kernel is instruction to[i] of k, whose parameters and variables are the same. What
// places mean stays as it was, whatever stands between.
func (b *Bound) Moved(k *isa.Kernel, to []int) *Bound {
	moved := func(instrs []int) []int {
		out := make([]int, len(instrs))
		for i, at := range instrs {
			out[i] = to[at]
		}
		return out
	}
	out := *b
	out.Kernel, out.Loops, out.Facts, out.Branches = k, slices.Clone(b.Loops), slices.Clone(b.Facts), slices.Clone(b.Branches)
	for i := range out.Loops {
		out.Loops[i].Instrs = moved(out.Loops[i].Instrs)
	}
	for i := range out.Facts {
		f := &out.Facts[i]
		f.Sum = slices.Clone(f.Sum)
		for j := range f.Sum {
			if f.Sum[j].Source.Line == 0 {
				f.Sum[j].Instr = to[f.Sum[j].Instr]
			}
		}
	}
	for i := range out.Branches {
		out.Branches[i].Instrs = moved(out.Branches[i].Instrs)
	}
	return &out
}

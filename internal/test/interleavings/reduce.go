package interleavings

import "slices"

// Reduce returns a program without what can be left out one by one, so that something still holds
// of it. It must hold of p.
func Reduce(p *Program, holds func(*Program) bool) *Program {
	for again := true; again; {
		again = false
		for i := 0; i < len(p.smaller()); {
			if less := p.smaller()[i]; holds(less) {
				p, again = less, true
			} else {
				i++
			}
		}
	}
	return p
}

// smaller returns the program with a warp or a lane less, and without one of its instructions but
// the last, without its guard, or with an immediate in place of a source.
func (p *Program) smaller() []*Program {
	var list []*Program
	if p.Warps > 1 {
		list = append(list, &Program{p.Warps - 1, p.Lanes, p.Instrs})
	}
	if p.Lanes > 1 {
		list = append(list, &Program{p.Warps, p.Lanes - 1, p.Instrs})
	}
	for i := range len(p.Instrs) - 1 {
		instrs := slices.Delete(slices.Clone(p.Instrs), i, i+1)
		for k := range instrs {
			if instrs[k].Target > i {
				instrs[k].Target--
			}
		}
		list = append(list, &Program{p.Warps, p.Lanes, instrs})
	}
	for i := range p.Instrs {
		if p.Instrs[i].Guard.Set {
			instrs := slices.Clone(p.Instrs)
			instrs[i].Guard = Guard{}
			list = append(list, &Program{p.Warps, p.Lanes, instrs})
		}
		if p.Instrs[i].A.Kind == Register {
			instrs := slices.Clone(p.Instrs)
			instrs[i].A = Imm(1)
			list = append(list, &Program{p.Warps, p.Lanes, instrs})
		}
	}
	return list
}

package value

import "warpbound/internal/isa"

// maxForms limits the forms with which a register comes back to the header of a loop, and the joins that are taken apart for
// each of them.
const maxForms = 8

// each is next, but where paths through the loop join, it has one form for each of them that does not leave the loop, unless
// these are too many.
func (l *counting) each(reg isa.Reg) []Form {
	whole := l.next(reg)
	var all []Form
	for _, f := range whole {
		all = append(all, l.separate(f, maxForms)...)
	}
	if len(all) == 0 || len(all) > maxForms {
		return whole
	}
	return all
}

// separate returns what a form at the end of an iteration is on each of the paths that join in the loop: the form itself if there
// is no such join.
func (l *counting) separate(f Form, joins int) []Form {
	if joins == 0 {
		return []Form{f}
	}
	for _, t := range f.terms {
		if !l.splits(t.sym) {
			continue
		}
		y := &l.machine().syms.all[t.sym]
		var all []Form
		for _, e := range l.paths.into[y.block] {
			if l.leaves(e.block, e.index) {
				continue
			}
			v := l.machine().register(l.r.along[e.block][e.index], y.reg)
			rest := f.add(Form{bits: f.bits, terms: []term{t}}, ^uint64(0))
			one := rest.add(l.machine().read(v, f.bits).form, t.coef)
			if !one.known() || len(all) > maxForms {
				return []Form{f}
			}
			all = append(all, l.separate(one, joins-1)...)
		}
		return all
	}
	return []Form{f}
}

// splits reports whether a symbol is of a block in the loop where paths join, and what its register holds on each of them still
// is what it was there, wherever the symbol is known: its symbols get new values only before the block, in every iteration.
func (l *counting) splits(s Symbol) bool {
	y := &l.machine().syms.all[s]
	if y.origin != merged || y.block == l.loop.Header || !l.loop.Contains(y.block) {
		return false
	}
	for _, e := range l.paths.into[y.block] {
		if !l.paths.isBefore(l.machine().register(l.r.along[e.block][e.index], y.reg).form, y.block) {
			return false
		}
	}
	return true
}

package value

import (
	"warpbound/internal/flow/affine"
	"warpbound/internal/isa"
)

// maxForms limits the forms with which a register comes back to the header of a loop, and the joins that are taken apart for
// each of them.
const maxForms = 8

// each is next, but where paths through the loop join, it has one form for each of them that does not leave the loop, unless
// these are too many.
func (l *counting) each(reg isa.Reg) []affine.Form {
	whole := l.next(reg)
	var all []affine.Form
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
func (l *counting) separate(f affine.Form, joins int) []affine.Form {
	if joins == 0 {
		return []affine.Form{f}
	}
	for _, t := range f.Terms {
		if !l.splits(t.Symbol) {
			continue
		}
		y := &l.machine().Syms.Symbols[t.Symbol]
		var all []affine.Form
		for _, e := range l.paths.into[y.Block] {
			if l.leaves(e.Block, e.Index) {
				continue
			}
			v := l.machine().ReadRegister(l.r.Along[e.Block][e.Index], y.Reg)
			rest := f.AddMultiple(affine.Form{Bits: f.Bits, Terms: []affine.Term{t}}, ^uint64(0))
			one := rest.AddMultiple(l.machine().ResizeValue(v, f.Bits).Form, t.Coefficient)
			if !one.IsKnown() || len(all) > maxForms {
				return []affine.Form{f}
			}
			all = append(all, l.separate(one, joins-1)...)
		}
		return all
	}
	return []affine.Form{f}
}

// splits reports whether a symbol is of a block in the loop where paths join, and what its register holds on each of them still
// is what it was there, wherever the symbol is known: its symbols get new values only before the block, in every iteration.
func (l *counting) splits(s affine.Symbol) bool {
	y := &l.machine().Syms.Symbols[s]
	if y.Origin != affine.Merged || y.Block == l.loop.Header || !l.loop.Contains(y.Block) {
		return false
	}
	for _, e := range l.paths.into[y.Block] {
		if !l.paths.isBefore(l.machine().ReadRegister(l.r.Along[e.Block][e.Index], y.Reg).Form, y.Block) {
			return false
		}
	}
	return true
}

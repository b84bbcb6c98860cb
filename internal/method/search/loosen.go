package search

import (
	"context"
	"maps"
	"slices"

	"warpbound/internal/method/search/genetic"
	"warpbound/internal/smt"
	"warpbound/internal/symexec"
)

// trials is how many draws of an input must take a path for the input to be left open, and
// maxFilled the most bytes of an array of which all are sampled for that.
const (
	trials    = 24
	maxFilled = 1 << 15
)

// input is an element that an atom fixes.
type input struct {
	param, element int
	bits           uint64
	isFixed        bool // it is Fixed[i] of the atom; else Values[i]
	i              int
}

// loosen returns an atom of a path without the inputs that do not matter much: one after the other
// is left out if the formula still holds for random values of it and of those left out before. A
// path through memory that data lead to mentions the data on its way, and so would fix them to
// what happened to be found. Such elements are tried first. It is an error if ctx ends.
func (l *layout) loosen(ctx context.Context, p *symexec.Path, a Atom, numbers []int) (Atom, error) {
	data := l.dataOf(p)
	var all []input
	for i, f := range a.Fixed {
		all = append(all, input{f.Param, f.Element, f.Bits, true, i})
	}
	slices.SortStableFunc(all, func(x, y input) int {
		switch {
		case data[x.param] == data[y.param]:
			return 0
		case data[x.param]:
			return -1
		}
		return 1
	})
	for i, v := range a.Values {
		view := l.plan.Views[v.View]
		all = append(all, input{view.Param, int(view.Elements[numbers[v.Thread]]), v.Bits, false, i})
	}
	open := make([]bool, len(all))
	for i := range all {
		if err := ctx.Err(); err != nil {
			return Atom{}, err
		}
		open[i] = true
		open[i] = l.takes(p, data, all, open)
	}
	loose := a
	loose.Values, loose.Fixed = []Value{}, []Fixed{}
	kept := make([]input, 0, len(all))
	for i, in := range all {
		if !open[i] {
			kept = append(kept, in)
		}
	}
	slices.SortFunc(kept, func(x, y input) int { return x.i - y.i })
	for _, in := range kept {
		if in.isFixed {
			loose.Fixed = append(loose.Fixed, a.Fixed[in.i])
		} else {
			loose.Values = append(loose.Values, a.Values[in.i])
		}
	}
	return loose, nil
}

// dataOf returns the parameters of which a path reads elements that data lead to.
func (l *layout) dataOf(p *symexec.Path) map[int]bool {
	data := make(map[int]bool)
	for _, r := range p.Reads {
		if param, _, ok := l.space.param(r.Array, r.At); ok && l.kindOf(r.Offset) == ofData {
			data[param] = true
		}
	}
	return data
}

// takes reports whether a path is taken for all of some draws of the inputs that are open.
func (l *layout) takes(p *symexec.Path, data map[int]bool, all []input, open []bool) bool {
	for k := range trials {
		m := &smt.Model{Numbers: p.Model.Numbers, Cells: make(map[string]map[uint64]uint64)}
		for param := range data {
			l.fill(m, k, param)
		}
		for i, in := range all {
			bits := in.bits
			if open[i] {
				bits = l.sampled(k, in.param, in.element)
			}
			l.space.set(m, in.param, in.element, bits)
		}
		if !smt.NewEvaluator(m).Holds(p.Formula) {
			return false
		}
	}
	return true
}

// sampled returns an element in a trial.
func (l *layout) sampled(trial, param, element int) uint64 {
	return Draw(l.space.Params[param].Element, genetic.Mix(uint64(trial), uint64(param))|2, uint64(element)) // not a special seed
}

// fill gives a model all elements of a parameter in a trial, unless they are too many.
func (l *layout) fill(m *smt.Model, trial, param int) {
	x := l.space.Params[param]
	if x.Count*x.Element.Bytes > maxFilled {
		return
	}
	at := filling{trial, param}
	if l.filled[at] == nil {
		whole := smt.NewModel()
		for e := range x.Count {
			l.space.set(whole, param, e, l.sampled(trial, param, e))
		}
		l.filled[at] = whole.Cells[x.Array]
	}
	if m.Cells[x.Array] == nil {
		m.Cells[x.Array] = maps.Clone(l.filled[at])
	} else { // parameters share an array
		maps.Copy(m.Cells[x.Array], l.filled[at])
	}
}

// filling is a parameter in a trial.
type filling struct{ trial, param int }

// set gives an element to a model.
func (s *Space) set(m *smt.Model, param, element int, bits uint64) {
	x := s.Params[param]
	for i := range x.Element.Bytes {
		m.SetCell(x.Array, uint64(x.Offset+element*x.Element.Bytes+i), bits>>(8*i)&0xff)
	}
}

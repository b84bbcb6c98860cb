package search

import (
	"slices"

	"warpbound/internal/smt"
	"warpbound/internal/symexec"
)

// cell is a byte of an array.
type cell struct {
	array string
	at    uint64
}

// support returns the bytes of arrays that conditions of a path depend on under its model, without
// those that only say what inputs may be.
func support(p *symexec.Path) map[cell]bool {
	cells, seen, eval := make(map[cell]bool), make(map[*smt.Term]bool), smt.NewEvaluator(p.Model)
	var visit func(t *smt.Term)
	visit = func(t *smt.Term) {
		if seen[t] {
			return
		}
		seen[t] = true
		if t.Op() == smt.Select {
			if name := arrayOf(t.Args()[0]); name != "" {
				cells[cell{name, eval.Eval(t.Args()[1])}] = true
			}
		}
		for _, a := range t.Args() {
			visit(a)
		}
	}
	for _, c := range constraints(p) {
		visit(c)
	}
	return cells
}

// arrayOf returns the name of the variable that an array is made of, empty if there is none.
func arrayOf(t *smt.Term) string {
	for t.Op() != smt.Var {
		args := t.Args()
		switch t.Op() {
		case smt.Store:
			t = args[0]
		case smt.Ite: // all arrays that are chosen from began as one
			t = args[2]
		default:
			return ""
		}
	}
	return t.Name()
}

// constraints returns the conditions of a path without those that only say what inputs may be.
func constraints(p *symexec.Path) []*smt.Term {
	var all []*smt.Term
	for i, c := range p.Formula {
		if !slices.Contains(p.Ranges, i) {
			all = append(all, c)
		}
	}
	return all
}

// atom makes an atom of a path of threads, by their numbers: the inputs that its formula
// mentions, as its model has them. Of a path of one thread that may be any one, terms tell
// which of them depend on the thread; of others, the elements that these threads have.
func (l *layout) atom(p *symexec.Path, numbers []int, anyOne bool) Atom {
	total, intervals := divergence(p.Threads)
	a := Atom{Threads: len(numbers), Values: []Value{}, Fixed: []Fixed{}, Divergence: total, Intervals: intervals}
	for _, t := range p.Threads {
		a.Instructions += t.Instructions
	}
	cells := support(p)
	for _, r := range p.Reads {
		param, element, ok := l.space.param(r.Array, r.At)
		if !ok {
			continue
		}
		value, mentioned := uint64(0), false
		for i := range l.space.Params[param].Element.Bytes {
			at := r.At + uint64(i)
			mentioned = mentioned || cells[cell{r.Array, at}]
			value |= p.Model.Cells[r.Array][at] & 0xff << (8 * i)
		}
		if !mentioned {
			continue
		}
		view, known := l.views[place{r.Array, r.Offset}]
		if !known || !anyOne {
			view = l.view(numbers[r.Thread], param, element)
		}
		if view >= 0 {
			a.Values = append(a.Values, Value{r.Thread, view, value})
		} else if f := (Fixed{param, element, value}); !slices.Contains(a.Fixed, f) {
			a.Fixed = append(a.Fixed, f)
		}
	}
	return a
}

// inputs returns an atom's inputs as a model, for threads of which the first is given, with what it
// leaves open of their elements, and of the elements that data lead to, as it is in a trial. It is
// false if a thread has no such element.
func (l *layout) inputs(a *Atom, first, trial int, data map[int]bool) (*smt.Model, bool) {
	m := smt.NewModel()
	for param := range data {
		l.fill(m, trial, param)
	}
	for _, view := range l.plan.Views {
		for t := range a.Threads {
			if e := view.Elements[first+t]; e != None {
				l.space.set(m, view.Param, int(e), l.sampled(trial, view.Param, int(e)))
			}
		}
	}
	for _, f := range a.Fixed {
		l.space.set(m, f.Param, f.Element, f.Bits)
	}
	for _, v := range a.Values {
		view := l.plan.Views[v.View]
		e := view.Elements[first+v.Thread]
		if e == None {
			return nil, false
		}
		l.space.set(m, view.Param, int(e), v.Bits)
	}
	return m, true
}

// divergence returns brdiv of a path of some threads in percent: on the average and in each
// barrier interval. Of X threads that take D different ways through an interval it is
// (D-1)/(X-1) (Horga et al., Section IV.A, where D stands for D-1); a single thread has none.
// Threads that have ended before an interval take none of its ways.
func divergence(threads []symexec.ThreadPath) (total float64, intervals []float64) {
	n := 0
	for _, t := range threads {
		n = max(n, len(t.Barriers)+1)
	}
	for i := range n {
		var ways [][]symexec.BranchOutcome
		for _, t := range threads {
			if i > len(t.Barriers) {
				continue
			}
			from, to := 0, len(t.Outcomes)
			if i > 0 {
				from = t.Barriers[i-1]
			}
			if i < len(t.Barriers) {
				to = t.Barriers[i]
			}
			way := t.Outcomes[from:to]
			if !slices.ContainsFunc(ways, func(w []symexec.BranchOutcome) bool { return slices.Equal(w, way) }) {
				ways = append(ways, way)
			}
		}
		share := 0.0
		if len(threads) > 1 {
			share = 100 * float64(len(ways)-1) / float64(len(threads)-1)
		}
		intervals = append(intervals, share)
		total += share
	}
	return total / float64(n), intervals
}

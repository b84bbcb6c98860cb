package search

import (
	"warpbound/internal/smt"
	"warpbound/internal/symexec"
)

// place is an element that threads read, by the term of its offset.
type place struct {
	array  string
	offset *smt.Term
}

// layout finds out which elements threads read.
type layout struct {
	space   *Space
	threads *threads
	plan    *Plan
	views   map[place]int // in the plan; negative for places that are no views
	kinds   map[*smt.Term]kind

	// Places that are not scaled, by parameter: because they depend on data, or because there
	// are too many.
	data, tooMany map[int]bool

	filled map[filling]map[uint64]uint64 // see fill
}

// kind is what a term depends on.
type kind uint8

const (
	constant kind = iota
	ofThread      // indices of the thread
	ofData
)

// maxTables is the most elements of all views together.
const maxTables = 1 << 24

// kindOf returns what a term depends on.
func (l *layout) kindOf(t *smt.Term) kind {
	if k, known := l.kinds[t]; known {
		return k
	}
	k := constant
	if t.Op() == smt.Var {
		k = ofData
		for _, i := range l.threads.indices {
			if t.Name() == i.Name() {
				k = ofThread
			}
		}
	}
	for _, a := range t.Args() {
		k = max(k, l.kindOf(a))
	}
	l.kinds[t] = k
	return k
}

// param returns the parameter of which an element is at an offset of an array, and its
// number; false if there is none.
func (s *Space) param(array string, offset uint64) (param, element int, ok bool) {
	for i, p := range s.Params {
		if p.Count == 0 || p.Array != array {
			continue
		}
		at, size := offset-uint64(p.Offset), uint64(p.Element.Bytes)
		if at/size < uint64(p.Count) && at%size == 0 {
			return i, int(at / size), true
		}
	}
	return 0, 0, false
}

// look makes views of what one thread with symbolic indices reads on some paths.
func (l *layout) look(paths []symexec.Path) {
	var places []place
	var params []int
	for i := range paths {
		for _, r := range paths[i].Reads {
			at := place{r.Array, r.Offset}
			if _, known := l.views[at]; known {
				continue
			}
			l.views[at] = -1
			param, _, ok := l.space.param(r.Array, r.At)
			switch k := l.kindOf(r.Offset); {
			case !ok || k == constant:
			case k == ofData:
				l.data[param] = true
			case (len(l.plan.Views)+len(places)+1)*l.threads.n() > maxTables:
				l.tooMany[param] = true
			default:
				l.views[at] = len(l.plan.Views) + len(places)
				places, params = append(places, at), append(params, param)
			}
		}
	}
	tables := make([][]int32, len(places))
	for t := range l.threads.n() {
		e := smt.NewEvaluator(l.threads.model(t))
		for i, at := range places {
			element := None
			if p, n, ok := l.space.param(at.array, e.Eval(at.offset)); ok && p == params[i] {
				element = int32(n)
			}
			tables[i] = append(tables[i], element)
		}
	}
	for i, table := range tables {
		v := View{Param: params[i], Elements: table}
		v.Own = l.own(v)
		l.plan.Views = append(l.plan.Views, v)
	}
}

// own reports whether no two threads have one element of a view, nor a thread one of a view
// before it.
func (l *layout) own(v View) bool {
	claimed := make([]bool, l.space.Params[v.Param].Count)
	all := []View{v}
	for _, other := range l.plan.Views {
		if other.Own && other.Param == v.Param {
			all = append(all, other)
		}
	}
	for i := len(all) - 1; i >= 0; i-- { // v is last
		for _, e := range all[i].Elements {
			if e == None {
				continue
			}
			if claimed[e] {
				return false
			}
			claimed[e] = true
		}
	}
	return true
}

// view returns the view in which a thread reads an element: best one of its own; -1 if
// there is none.
func (l *layout) view(thread, param, element int) int {
	found := -1
	for i, v := range l.plan.Views {
		if v.Param == param && v.Elements[thread] == int32(element) && (v.Own || found < 0) {
			found = i
			if v.Own {
				break
			}
		}
	}
	return found
}

package guided

import "warpbound/internal/method/search"

// layout knows which elements belong to whom.
type layout struct {
	plan    *search.Plan
	params  []int // that vary
	first   []int // number of the first element of each of params, of all elements
	count   int   // of all elements
	threads int
	owned   [][]search.View // by parameter: the views that hold all of its elements, each of one thread; nil where there are none
}

func newLayout(p *search.Plan, threads int) *layout {
	l := &layout{plan: p, threads: threads, owned: make([][]search.View, len(p.Space.Params))}
	left := make([]int, len(p.Space.Params)) // elements that are nobody's
	for i, x := range p.Space.Params {
		if x.Count > 0 {
			l.params, l.first = append(l.params, i), append(l.first, l.count)
			l.count += x.Count
		}
		left[i] = x.Count
	}
	for _, v := range p.Views {
		if !v.Own {
			continue
		}
		l.owned[v.Param] = append(l.owned[v.Param], v)
		for _, e := range v.Elements {
			if e != search.None {
				left[v.Param]--
			}
		}
	}
	for i, n := range left {
		if n > 0 || p.Threads != threads {
			l.owned[i] = nil
		}
	}
	return l
}

// move is threads whose elements are copied to others.
type move struct {
	from, to, n int

	// strided says that of parameters without views, element i of a thread is as many elements behind element i-1 as there
	// are threads; otherwise it is the next one.
	strided bool
}

// copy copies the elements of threads from some inputs to others, which may be the same. Parameters whose elements cannot be
// divided by the number of threads are cut at the same share of their length.
func (l *layout) copy(to, from search.Inputs, m move) {
	for _, p := range l.params {
		x := l.plan.Space.Params[p]
		switch each := x.Count / l.threads; {
		case l.owned[p] != nil:
			for _, v := range l.owned[p] {
				for i := range m.n {
					if a, b := v.Elements[m.from+i], v.Elements[m.to+i]; a != search.None && b != search.None {
						l.run(to, from, p, int(b), int(a), 1)
					}
				}
			}
		case x.Count%l.threads > 0 || !m.strided:
			share := func(thread int) int { return int(int64(thread) * int64(x.Count) / int64(l.threads)) }
			a, b := share(m.from), share(m.to)
			l.run(to, from, p, b, a, min(share(m.from+m.n)-a, share(m.to+m.n)-b))
		default:
			for i := range each {
				l.run(to, from, p, i*l.threads+m.to, i*l.threads+m.from, m.n)
			}
		}
	}
}

// run copies n elements of a parameter.
func (l *layout) run(to, from search.Inputs, param, at, source, n int) {
	size := l.plan.Space.Params[param].Element.Bytes
	copy(to[param][at*size:(at+n)*size], from[param][source*size:(source+n)*size])
}

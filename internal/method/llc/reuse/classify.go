package reuse

import (
	"cmp"
	"slices"
	"sort"
)

// sweep goes through the uses of a set in the order of the ends of their windows and counts
// the lines that may have been used since an earlier unit.
type sweep struct {
	*set
	ends   []int64 // the ends of windows, in order
	tree   []int32 // Fenwick tree over ends, from 1: lines by the last end of their uses so far
	lastly []int32 // by line: the place of its last end in tree; 0 is none
	seen   []int   // by line: the query that has counted it
	query  int
}

// classify returns what is known of each use.
func (s *set) classify() []Outcome {
	sweep := newSweep(s)
	byBegin := s.sorted(func(u *use) int64 { return u.From })
	outcomes := make([]Outcome, len(s.uses))
	added := 0
	for _, i := range s.sorted(func(u *use) int64 { return u.To }) {
		a := &s.uses[i]
		for ; added < len(byBegin) && s.uses[byBegin[added]].From <= a.To; added++ {
			sweep.add(&s.uses[byBegin[added]])
		}
		outcomes[i] = sweep.classify(int(i), outcomes)
	}
	return outcomes
}

// sorted returns the uses by a key, equal ones by core and place.
func (s *set) sorted(key func(*use) int64) []int32 {
	order := make([]int32, len(s.uses))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(key(&s.uses[i]), key(&s.uses[j])) })
	return order
}

func newSweep(s *set) *sweep {
	w := &sweep{set: s, lastly: make([]int32, s.lines), seen: make([]int, s.lines)}
	for i := range s.uses {
		w.ends = append(w.ends, s.uses[i].To)
	}
	slices.Sort(w.ends)
	w.ends = slices.Compact(w.ends)
	w.tree = make([]int32, len(w.ends)+1)
	return w
}

// add takes a use into account, except those of cores whose rate limits them.
func (w *sweep) add(u *use) {
	end := int32(sort.Search(len(w.ends), func(i int) bool { return w.ends[i] >= u.To })) + 1
	last := &w.lastly[u.line]
	if w.rated(u.core) || *last >= end {
		return
	}
	if *last > 0 {
		add(w.tree, *last, -1)
	}
	add(w.tree, end, 1)
	*last = end
}

// others returns the lines other than the given one that may have been used since a unit began.
func (w *sweep) others(from int64, line int) int64 {
	earlier := int32(sort.Search(len(w.ends), func(i int) bool { return w.ends[i] >= from }))
	n := sum(w.tree, int32(len(w.ends))) - sum(w.tree, earlier)
	if w.lastly[line] > earlier {
		n--
	}
	return int64(n)
}

// classify returns what is known of a use, from the earlier ones of its line: of each core
// the last one that surely is before, and the last one whose fill is surely over.
func (w *sweep) classify(i int, outcomes []Outcome) Outcome {
	a := &w.uses[i]
	if w.held[a.line] {
		return Outcome{Class: Hit, Filled: true}
	}
	var outcome Outcome
	try := func(earlier int32) {
		p := &w.uses[earlier]
		filled := outcomes[earlier].Filled || w.settle < a.From-p.To
		if outcome.Filled || outcome.Class == Hit && !filled || !w.stays(p, a, i) {
			return
		}
		outcome.Class, outcome.Filled = Hit, filled
		outcome.Own = outcome.Own || p.core == a.core
	}
	for c := range w.cores {
		c = (a.core + c) % len(w.cores) // its own core first
		uses := w.must.of(a.line, c)
		before := sort.Search(len(uses), func(k int) bool {
			u := &w.uses[uses[k]]
			return c == a.core && u.at >= a.at || c != a.core && u.To >= a.From
		})
		if before == 0 {
			continue
		}
		try(uses[before-1])
		if over := sort.Search(before, func(k int) bool { return w.settle >= a.From-w.uses[uses[k]].To }); over > 0 && over < before {
			try(uses[over-1])
		}
	}
	if outcome.Class != Hit && !w.cache.Warm && w.first(a) {
		outcome.Class = First
	}
	return outcome
}

// first reports whether no access to the line may be earlier than a use of it.
func (w *sweep) first(a *use) bool {
	for c := range w.cores {
		before := func(at int) bool {
			return c == a.core && at < a.at || c != a.core && w.cores[c].Windows[at].From <= a.To
		}
		if uses := w.all.of(a.line, c); len(uses) > 0 && before(w.uses[uses[0]].at) {
			return false
		}
		if open := w.open[c].at; len(open) > 0 && before(open[0]) {
			return false
		}
	}
	return true
}

// stays reports whether a line surely stays in the cache from one use to a later one, of
// the given index: whether fewer lines than the cache has ways may be used between.
func (w *sweep) stays(p, a *use, i int) bool {
	left := w.ways - w.betweenUses(p, a, i)
	if left <= 0 {
		return false
	}
	others := w.others(p.From, a.line)
	return others < left || w.fewer(left, others, p, a, i)
}

// betweenUses returns how many lines the cores with a rate and the accesses to unknown lines may
// use between two uses of a line.
func (w *sweep) betweenUses(p, a *use, i int) int64 {
	lines := int64(0)
	var spans []Span
	for c := range w.cores {
		switch {
		case w.rated(c) && (c != a.core || c != p.core):
			lines += w.runs[c].maximum(w.cores[c].Rate.within(p.From, a.To))
			continue
		case w.rated(c):
			lines += w.own[i]
		}
		if len(w.open[c].at) > 0 {
			if spans == nil {
				spans = Between(w.cores, Ref{p.core, p.at}, Ref{a.core, a.at})
			}
			lines += w.open[c].within(spans[c])
		}
	}
	return lines
}

// fewer reports whether the cores without a rate use fewer lines than so many between
// two uses of a line, of which that of the given index is the later one. In the units from the one to the
// other they use others lines.
func (w *sweep) fewer(lines, others int64, p, a *use, i int) bool {
	excluded := 0
	if !w.rated(p.core) {
		earlier := w.of(p.core)
		k := sort.Search(len(earlier), func(k int) bool { return earlier[k].at >= p.at })
		excluded += k - sort.Search(k, func(k int) bool { return earlier[k].To >= p.From })
	}
	if !w.rated(a.core) {
		later := w.uses[i+1 : w.begin[a.core+1]]
		excluded += sort.Search(len(later), func(k int) bool { return later[k].From > a.To })
	}
	if others-int64(excluded) >= lines {
		return false
	}
	w.query++
	for c := range w.cores {
		if w.rated(c) {
			continue
		}
		uses := w.of(c)
		for k := sort.Search(len(uses), func(k int) bool { return uses[k].To >= p.From && (c != p.core || uses[k].at > p.at) }); k < len(uses); k++ {
			u := &uses[k]
			if u.From > a.To || c == a.core && u.at >= a.at {
				break
			}
			if u.line == a.line || w.seen[u.line] == w.query {
				continue
			}
			w.seen[u.line] = w.query
			if lines--; lines <= 0 {
				return false
			}
		}
	}
	return true
}

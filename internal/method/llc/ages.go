package llc

import (
	"slices"

	"warpbound/internal/machine"
)

// ages are what is known of an L1 with least recently used replacement. The age of a line that is there is
// how many lines of its set were used since; from as many as there are ways on, a line is gone. Each line has
// bounds of its age. Where all accesses are known the two are equal, and this is the L1.
type ages struct {
	sets []ageSet
	ways int32
}

type ageSet struct {
	lines []aged // that may be there
	other aged   // any other lines that may be there: bounds for all of them
}

// aged is a line with bounds of its age. One that may be gone has so many ways as old, one that is gone as
// young.
type aged struct {
	line       uint64
	young, old int32
	fetch      int32 // the last access to the shared cache that may have fetched it
}

func newAges(m *machine.Machine) *ages {
	a := &ages{sets: make([]ageSet, m.L1.Sets.Value), ways: int32(m.L1.Ways.Value)}
	for i := range a.sets {
		a.sets[i].other = aged{young: a.ways, old: a.ways}
	}
	return a
}

func (a *ages) set(line uint64) *ageSet { return &a.sets[line%uint64(len(a.sets))] }

// find returns what is known of a line.
func (s *ageSet) find(line uint64) aged {
	for i := range s.lines {
		if s.lines[i].line == line {
			return s.lines[i]
		}
	}
	return aged{line: line, young: s.other.young, old: s.other.old, fetch: s.other.fetch}
}

// there tells of a line whether it surely is there, and whether it may be.
func (a *ages) there(line uint64) (x aged, surely, perhaps bool) {
	x = a.set(line).find(line)
	return x, x.old < a.ways, x.young < a.ways
}

// put replaces what is known of a line.
func (a *ages) put(s *ageSet, x aged) {
	s.lines = slices.DeleteFunc(s.lines, func(l aged) bool { return l.line == x.line })
	if x.young < a.ways {
		s.lines = append(s.lines, x)
	}
	if len(s.lines) > 8*int(a.ways) { // of so many nothing is sure of most
		s.lines = slices.DeleteFunc(s.lines, func(l aged) bool {
			forget := l.old == a.ways
			if forget {
				s.other.young, s.other.fetch = min(s.other.young, l.young), max(s.other.fetch, l.fetch)
			}
			return forget
		})
	}
}

// grow makes other lines of the set older, as a line of an age between those of x becomes the one used last.
func (a *ages) grow(s *ageSet, x aged) {
	older := func(l *aged) {
		if l.old < x.old {
			l.old++
		}
		if l.young <= x.young && l.young < a.ways {
			l.young++
		}
	}
	older(&s.other)
	for i := range s.lines {
		if s.lines[i].line != x.line {
			older(&s.lines[i])
		}
	}
	s.lines = slices.DeleteFunc(s.lines, func(l aged) bool { return l.young >= a.ways })
}

// mayGrow makes lines of the set older, as another one of an age of at most oldest perhaps becomes the one
// used last.
func (s *ageSet) mayGrow(oldest int32) {
	for i := range s.lines {
		if l := &s.lines[i]; l.old < oldest {
			l.old++
		}
	}
}

// read makes a line the one used last. If it may not be there, access number fetch fetches it.
func (a *ages) read(line uint64, fetch int32, optional bool) {
	s := a.set(line)
	x, surely, perhaps := a.there(line)
	switch {
	case !surely && perhaps:
		x.fetch = max(x.fetch, fetch)
	case !surely:
		x.fetch = fetch
	}
	if optional {
		s.mayGrow(x.old)
		x.young = 0
	} else {
		a.grow(s, x)
		x.young, x.old = 0, 0
	}
	a.put(s, x)
}

// write makes a line the one used last if it is there.
func (a *ages) write(line uint64, optional bool) {
	s := a.set(line)
	x, surely, perhaps := a.there(line)
	switch {
	case !perhaps:
		return
	case surely && !optional:
		a.grow(s, x)
		x.young, x.old = 0, 0
	default:
		s.mayGrow(min(x.old, a.ways-1))
		x.young = 0
	}
	a.put(s, x)
}

// drop takes a line out if it is there.
func (a *ages) drop(line uint64, optional bool) {
	s := a.set(line)
	x, surely, perhaps := a.there(line)
	if !perhaps {
		return
	}
	for i := range s.lines {
		l := &s.lines[i]
		if l.line == line {
			continue
		}
		if l.young > x.young {
			l.young--
		}
		if surely && !optional && l.old >= x.old && l.old < a.ways {
			l.old--
		}
	}
	if s.other.young > x.young && s.other.young < a.ways {
		s.other.young--
	}
	x.old = a.ways
	if !optional {
		x.young = a.ways
	}
	a.put(s, x)
}

// unknown does with any one line what an access of a sort does.
func (a *ages) unknown(sort sort, fetch int32) {
	for i := range a.sets {
		s := &a.sets[i]
		switch sort {
		case read:
			s.mayGrow(a.ways)
			s.other.young, s.other.fetch = 0, fetch
		case write:
			s.mayGrow(a.ways - 1)
			if s.other.young < a.ways {
				s.other.young = 0
			}
		case atomic:
			if s.other.young < a.ways {
				s.other.young = max(0, s.other.young-1)
			}
		case passing:
			return
		}
		for k := range s.lines {
			l := &s.lines[k]
			switch sort {
			case atomic:
				l.young, l.old = max(0, l.young-1), a.ways
			default:
				l.young = 0
			}
			if sort == read {
				l.fetch = max(l.fetch, fetch)
			}
		}
	}
}

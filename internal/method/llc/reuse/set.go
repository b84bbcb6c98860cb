package reuse

import (
	"slices"
)

// use is an access to a known line of a set.
type use struct {
	Window
	line             int // its number in the set
	core, at         int // whose access it is
	minimum, maximum int64
}

// set is what the cores access in one set of the cache.
type set struct {
	*analysis
	lines int
	held  []bool  // by line: it surely is there and stays
	uses  []use   // by core, in order
	begin []int   // by core: its first use; one more for the end
	all   table   // uses by line and core
	must  table   // those that surely happen
	open  []tally // by core: the accesses to unknown lines that may touch the set
	runs  []runs  // by core, for those with a rate
	own   []int64 // by use, for those of cores with a rate: different other lines of the core since the last use of the line, or as many
	// as the cache has ways if there is none that surely happens
}

// newSet returns the set whose known accesses, by core and place, are given.
func newSet(a *analysis, refs []Ref, open []tally) *set {
	cores := a.cores
	s := &set{analysis: a, open: open, uses: make([]use, len(refs)), begin: make([]int, len(cores)+1)}
	numbers := make(map[uint64]int)
	for i, ref := range refs {
		access := &cores[ref.Core].Accesses[ref.At]
		number, ok := numbers[access.First]
		if !ok {
			number = len(numbers)
			numbers[access.First] = number
			s.held = append(s.held, a.cache.Held != nil && a.cache.Held(access.First))
		}
		s.uses[i] = use{cores[ref.Core].Windows[ref.At], number, ref.Core, ref.At, access.Min, access.Max}
		s.begin[ref.Core+1]++
	}
	for c := range cores {
		s.begin[c+1] += s.begin[c]
	}
	s.lines = len(numbers)
	s.all = newTable(s, func(*use) bool { return true })
	s.must = newTable(s, func(u *use) bool { return u.minimum > 0 })
	s.runs = make([]runs, len(cores))
	s.own = make([]int64, len(s.uses))
	for c := range cores {
		if s.rated(c) {
			s.runs[c] = newRuns(s, c)
			s.distances(c)
		}
	}
	return s
}

// of returns the uses of a core.
func (s *set) of(core int) []use { return s.uses[s.begin[core]:s.begin[core+1]] }

// distances fills in own for a core's uses.
func (s *set) distances(core int) {
	stack := NewStack(1)
	must := make([]bool, s.lines) // the last use of the line surely happens
	for i, u := range s.of(core) {
		distance := stack.Access(uint64(u.line))
		if !must[u.line] {
			distance = s.ways
		}
		s.own[s.begin[core]+i] = distance
		must[u.line] = u.minimum > 0
	}
}

// table holds uses by line and core, in order.
type table struct {
	cores int
	begin []int32 // by line*cores+core; one more for the end
	uses  []int32
}

func newTable(s *set, keep func(*use) bool) table {
	t := table{cores: len(s.cores), begin: make([]int32, s.lines*len(s.cores)+1)}
	for i := range s.uses {
		if u := &s.uses[i]; keep(u) {
			t.begin[u.line*t.cores+u.core+1]++
		}
	}
	for i := 1; i < len(t.begin); i++ {
		t.begin[i] += t.begin[i-1]
	}
	t.uses = make([]int32, t.begin[len(t.begin)-1])
	next := slices.Clone(t.begin)
	for i := range s.uses {
		if u := &s.uses[i]; keep(u) {
			at := &next[u.line*t.cores+u.core]
			t.uses[*at] = int32(i)
			*at++
		}
	}
	return t
}

// of returns the uses of a line by a core.
func (t *table) of(line, core int) []int32 {
	at := line*t.cores + core
	return t.uses[t.begin[at]:t.begin[at+1]]
}

// any reports whether any core uses the line.
func (t *table) any(line int) bool {
	return t.begin[line*t.cores] < t.begin[(line+1)*t.cores]
}

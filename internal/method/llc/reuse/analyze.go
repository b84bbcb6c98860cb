package reuse

import (
	"context"
	"fmt"
	"math"
	"sort"
)

// Cache is a cache with least-recently-used replacement. Line l is in set l % Sets. All accesses allocate.
type Cache struct {
	Sets, Ways int
	// Warm says that the cache may hold any lines at first; else it is empty. Of a line Held, unless nil, reports whether
	// it surely is there at first, filled, and stays whatever the cores do.
	Warm bool
	Held func(line uint64) bool
}

// maxWays limits the ways of a cache.
const maxWays = 1 << 16

// Class is what is certain of an access.
type Class uint8

const (
	Unclassified Class = iota
	Hit                // always hits
	First              // is the first one to its line by any core in a cache that is empty at first, so that it misses
)

// Outcome is what is known of an access.
type Outcome struct {
	Class Class
	// Filled tells of a hit that the fill of its line is certainly over.
	Filled bool
	// Own tells of a hit that the line surely stays from the last use by the same core that surely happens.
	Own bool
}

// Misses are upper bounds. Those of the cores may add up to more than that of all, if it is not
// known which core misses.
type Misses struct {
	Total int64 // of all cores
	Main  int64 // of all cores that are not aside
	Cores []int64
}

// Result is what is known of the accesses of all cores to the cache that they share.
type Result struct {
	Cores [][]Outcome // of each access of each core
	// Counted are the accesses that are not hits.
	Counted Misses
	// Grouped bounds the misses of the accesses to one line together where this is less.
	Grouped Misses
	// Lines are the different lines that are surely accessed: each misses at least once if the cache is empty at first.
	Lines int64
}

// Analyze predicts the accesses of cores that share a cache. Settle is after how many units from
// the end of the window of an access the fill that it began is over.
//
// It needs about n log n steps and memory for n accesses if windows are short. If ctx ends, the error is
// that of ctx.
func Analyze(ctx context.Context, cache Cache, settle int64, cores []Core) (*Result, error) {
	if cache.Sets < 1 || cache.Ways < 1 || cache.Ways > maxWays || settle < 0 {
		return nil, fmt.Errorf("a cache of %d sets and %d ways, filled within %d units", cache.Sets, cache.Ways, settle)
	}
	a := &analysis{
		cache: cache, ways: int64(cache.Ways), settle: settle,
		cores: cores, open: make([][]int, len(cores)), elapsed: make([][]int64, len(cores)),
		result: &Result{
			Cores:   make([][]Outcome, len(cores)),
			Counted: Misses{Cores: make([]int64, len(cores))},
			Grouped: Misses{Cores: make([]int64, len(cores))},
		},
	}
	bySet := make([][]Ref, cache.Sets)
	for c, core := range cores {
		if err := core.check(); err != nil {
			return nil, fmt.Errorf("core %d: %w", c, err)
		}
		a.result.Cores[c] = make([]Outcome, len(core.Accesses))
		if a.rated(c) {
			a.elapsed[c] = elapsed(core.Accesses)
		}
		for i := range core.Accesses {
			if access := &core.Accesses[i]; access.known() {
				s := access.First % uint64(cache.Sets)
				bySet[s] = append(bySet[s], Ref{c, i})
			} else {
				a.open[c] = append(a.open[c], i)
				a.count(&a.result.Counted, c, access.Max)
				a.count(&a.result.Grouped, c, access.Max)
			}
		}
	}
	for s, refs := range bySet {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a.add(newSet(a, refs, a.touching(uint64(s), uint64(cache.Sets))))
	}
	return a.result, nil
}

type analysis struct {
	cache        Cache
	ways, settle int64
	cores        []Core
	open         [][]int   // by core: places of the accesses of which it is not known to which line
	elapsed      [][]int64 // by core, for those with a rate: accesses that surely happen before each
	result       *Result
}

func (a *analysis) rated(core int) bool { return a.cores[core].Rate != Rate{} }

// elapsed returns how many accesses surely happen before each of a sequence, and before its end.
func elapsed(accesses []Access) []int64 {
	must := make([]int64, len(accesses)+1)
	for i, a := range accesses {
		must[i+1] = must[i] + a.Min
	}
	return must
}

// count adds misses of a core.
func (a *analysis) count(m *Misses, core int, n int64) {
	m.Total += n
	m.Cores[core] += n
	if !a.cores[core].Aside {
		m.Main += n
	}
}

// touching returns for each core the accesses to unknown lines that may touch the set.
func (a *analysis) touching(set, sets uint64) []tally {
	open := make([]tally, len(a.open))
	for c, places := range a.open {
		for _, i := range places {
			if access := &a.cores[c].Accesses[i]; access.touches(set, sets) {
				open[c].append(i, access.Max)
			}
		}
	}
	return open
}

// add adds what is known of the accesses to the lines of one set.
func (a *analysis) add(s *set) {
	outcomes := s.classify()
	for i, u := range s.uses {
		a.result.Cores[u.core][u.at] = outcomes[i]
		if outcomes[i].Class != Hit {
			a.count(&a.result.Counted, u.core, u.maximum)
		}
	}
	for line := range s.lines {
		if s.must.any(line) {
			a.result.Lines++
		}
	}
	s.group(outcomes)
}

// tally is a list of places of a sequence with numbers that add up.
type tally struct {
	at  []int
	sum []int64
}

func (t *tally) append(at int, n int64) {
	t.sum = append(t.sum, t.all()+n)
	t.at = append(t.at, at)
}

func (t *tally) all() int64 { return t.before(math.MaxInt) }

// before returns the sum of the numbers at places before at.
func (t *tally) before(at int) int64 {
	i := sort.SearchInts(t.at, at)
	if i == 0 {
		return 0
	}
	return t.sum[i-1]
}

// within returns the sum of the numbers at places of a span.
func (t *tally) within(s Span) int64 {
	if len(t.at) == 0 || s.From >= s.To {
		return 0
	}
	return t.before(s.To) - t.before(s.From)
}

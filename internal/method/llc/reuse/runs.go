package reuse

import "sort"

// runs tells how many different lines of a set a core can access within a number of
// consecutive accesses. Known lines beyond as many as the cache has ways are not counted.
type runs struct {
	shortest []int64 // by lines - 1: the fewest accesses among which are so many different known lines
	open     int64   // accesses that may touch any line
}

func newRuns(s *set, core int) runs {
	uses := s.of(core)
	r := runs{open: s.open[core].all()}
	for lines := 1; lines <= int(s.ways); lines++ {
		shortest, found := s.shortestRun(uses, lines)
		if !found {
			break
		}
		r.shortest = append(r.shortest, shortest)
	}
	return r
}

// shortestRun returns the fewest accesses of a core among which are uses of so many different
// lines.
func (s *set) shortestRun(uses []use, lines int) (shortest int64, found bool) {
	times := make([]int, s.lines)
	different, first := 0, 0
	for last, u := range uses {
		if times[u.line]++; times[u.line] == 1 {
			different++
		}
		for ; different == lines; first++ {
			f := uses[first]
			n := int64(1)
			if first < last {
				n = 2 + s.elapsed[u.core][u.at] - s.elapsed[u.core][f.at+1]
			}
			if n = max(n, int64(lines)); !found || n < shortest {
				shortest, found = n, true
			}
			if times[f.line]--; times[f.line] == 0 {
				different--
			}
		}
	}
	return shortest, found
}

// maximum returns the most different lines among so many consecutive accesses.
func (r *runs) maximum(accesses int64) int64 {
	known := sort.Search(len(r.shortest), func(i int) bool { return r.shortest[i] > accesses })
	return min(accesses, int64(known)+min(accesses, r.open))
}

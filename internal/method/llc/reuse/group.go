package reuse

import (
	"cmp"
	"slices"
	"sort"
)

// group adds the misses of the set's uses to those of the result, grouped: uses of a line
// by cores without a rate whose windows overlap, one after the other, are taken together, and all by one core
// with a rate. Between two misses of such a group as many other lines were used as the cache has ways.
func (s *set) group(outcomes []Outcome) {
	order := s.sorted(func(u *use) int64 { return u.From })
	slices.SortStableFunc(order, func(i, j int32) int {
		u, v := &s.uses[i], &s.uses[j]
		return cmp.Or(cmp.Compare(s.kind(u), s.kind(v)), cmp.Compare(u.line, v.line))
	})
	counts := &counts{set: s, times: make([]int64, s.lines), span: Window{From: -1}}
	missing := make([]int64, len(s.cores))
	for len(order) > 0 {
		first := &s.uses[order[0]]
		span, n, total, main := first.Window, 0, int64(0), int64(0)
		if s.rated(first.core) {
			span = Window{To: Forever}
		}
		for ; n < len(order); n++ {
			u := &s.uses[order[n]]
			if u.line != first.line || s.kind(u) != s.kind(first) || u.From > span.To {
				break
			}
			span.To = max(span.To, u.To)
			if outcomes[order[n]].Class != Hit {
				missing[u.core] += u.maximum
				total += u.maximum
				if !s.cores[u.core].Aside {
					main += u.maximum
				}
			}
		}
		order = order[n:]
		if total > 1 {
			counts.take(span, s.kind(first))
			total = 1 + counts.evictions(first.line, total-1)
		}
		s.result.Grouped.Total += total
		s.result.Grouped.Main += min(main, total)
		for c := range missing {
			s.result.Grouped.Cores[c] += min(missing[c], total)
			missing[c] = 0
		}
	}
}

// kind tells the uses by each core with a rate from all others, for which it is 0.
func (s *set) kind(u *use) int {
	if s.rated(u.core) {
		return u.core + 1
	}
	return 0
}

// counts are how often the lines of a set may be used in a span of units: by line for the
// cores without a rate and the one whose kind is given, all together for the others.
type counts struct {
	*set
	span    Window
	kind    int
	touched []int   // lines
	times   []int64 // by line: its uses
	sorted  []int64 // the uses of the lines touched, in order
	sums    []int64 // of the first ones in sorted; one more for all
	unknown int64   // accesses of the same cores to unknown lines
	rest    int64   // uses by the other cores
	each    int64   // the most different lines among those
}

// take counts the uses in a span.
func (c *counts) take(span Window, kind int) {
	if span == c.span && kind == c.kind {
		return
	}
	for _, line := range c.touched {
		c.times[line] = 0
	}
	*c = counts{set: c.set, span: span, kind: kind, touched: c.touched[:0], times: c.times, sorted: c.sorted[:0], sums: append(c.sums[:0], 0)}
	for core := range c.cores {
		uses := c.of(core)
		if c.rated(core) && core+1 != kind {
			within := c.cores[core].Rate.within(span.From, span.To)
			all := c.open[core].all()
			for i := range uses {
				all += uses[i].maximum
			}
			c.rest += min(within, all)
			c.each += c.runs[core].maximum(within)
			continue
		}
		c.unknown += c.open[core].within(overlapping(c.cores[core].Windows, span.From, span.To))
		for k := sort.Search(len(uses), func(k int) bool { return uses[k].To >= span.From }); k < len(uses) && uses[k].From <= span.To; k++ {
			u := &uses[k]
			if c.times[u.line] == 0 {
				c.touched = append(c.touched, u.line)
			}
			c.times[u.line] += u.maximum
		}
	}
	for _, line := range c.touched {
		c.sorted = append(c.sorted, c.times[line])
	}
	slices.Sort(c.sorted)
	for _, n := range c.sorted {
		c.sums = append(c.sums, c.sums[len(c.sums)-1]+n)
	}
}

// evictions returns how often a line can be evicted between two of its uses in the span, or
// the limit if it is less: the most periods in each of which as many other lines are used as the
// cache has ways. A line is used in at most as many periods as it has uses.
func (c *counts) evictions(line int, limit int64) int64 {
	possible := func(periods int64) bool {
		uses := c.unknown + c.rest
		if c.each <= c.rest/periods {
			uses = c.unknown + c.each*periods
		}
		fewer, _ := slices.BinarySearch(c.sorted, periods)
		uses += c.sums[fewer] + periods*int64(len(c.sorted)-fewer) - min(c.times[line], periods)
		return uses >= periods*c.ways
	}
	if possible(limit) {
		return limit
	}
	return int64(sort.Search(int(limit), func(n int) bool { return !possible(int64(n) + 1) }))
}

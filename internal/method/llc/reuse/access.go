package reuse

import (
	"fmt"
	"math"
	"sort"
)

// Access is an element of a core's sequence of accesses to the shared cache.
type Access struct {
	First, Last uint64 // the lines that it may touch, both included; equal if it is known which
	Min, Max    int64  // how often it happens, one after the other; Most is at least 1
}

// Line returns an access that happens once, to a known line.
func Line(line uint64) Access { return Access{First: line, Last: line, Min: 1, Max: 1} }

func (a *Access) known() bool { return a.First == a.Last }

// touches reports whether the access may touch a line of the set.
func (a *Access) touches(set, sets uint64) bool {
	if a.Last-a.First >= sets {
		return true
	}
	return (set+sets-a.First%sets)%sets <= a.Last-a.First
}

// Forever is the end of the windows of accesses that may happen at any later time.
const Forever = math.MaxInt64

// Window tells when an access happens: in the units From to To, both included. A unit is
// whatever separates accesses surely: an access in one unit is served before all accesses in later units.
type Window struct{ From, To int64 }

// Rate limits the accesses of a core: any k consecutive units hold at most
// k*Accesses/Units of them, rounded up. The zero Rate sets no limit.
type Rate struct{ Accesses, Units int64 }

// within returns the most accesses in the units from to to.
func (r Rate) within(from, to int64) int64 {
	units := uint64(to-from) + 1 // below 2^63 + 1 since from >= 0
	if r == (Rate{}) || units > math.MaxInt64/uint64(r.Accesses) {
		return math.MaxInt64
	}
	return int64((units*uint64(r.Accesses) + uint64(r.Units) - 1) / uint64(r.Units))
}

// Core is a core's sequence of accesses, in the order in which the cache serves them.
type Core struct {
	Accesses []Access
	Windows  []Window // of each access that happens; from one to the next, From and To never fall
	// Rate, if it is not zero, is to be used instead of the windows' ends to limit what a core
	// accesses while others reuse a line.
	Rate Rate
	// Aside tells that the core's misses are of no interest, and count only in those of all cores.
	Aside bool
}

// Unordered returns a core of whose accesses only their order is known, nothing of their
// times.
func Unordered(accesses []Access) Core {
	return Core{Accesses: accesses, Windows: make([]Window, len(accesses))}
}

// Regulated returns a core that makes quota accesses, at least 1, in each access interval, except
// for its last one. Units are intervals.
func Regulated(accesses []Access, quota int64) Core {
	windows := make([]Window, len(accesses))
	minimum, maximum := int64(0), int64(0)
	for i, a := range accesses {
		minimum, maximum = minimum+a.Min, maximum+a.Max
		windows[i] = Window{From: (minimum - a.Min) / quota, To: (maximum - 1) / quota}
	}
	return Core{Accesses: accesses, Windows: windows}
}

// Limited returns a core that makes at most quota accesses, at least 1, in each access
// interval, and is aside. Units are intervals.
func Limited(accesses []Access, quota int64) Core {
	windows := make([]Window, len(accesses))
	minimum := int64(0)
	for i, a := range accesses {
		windows[i] = Window{From: minimum / quota, To: Forever}
		minimum += a.Min
	}
	return Core{Accesses: accesses, Windows: windows, Rate: Rate{Accesses: quota, Units: 1}, Aside: true}
}

// maxAccesses limits the accesses of a core.
const maxAccesses = 1 << 40

// check returns an error if the core is none.
func (c *Core) check() error {
	if len(c.Windows) != len(c.Accesses) {
		return fmt.Errorf("%d accesses with %d windows", len(c.Accesses), len(c.Windows))
	}
	if c.Rate != (Rate{}) && (c.Rate.Accesses < 1 || c.Rate.Units < 1) {
		return fmt.Errorf("a rate of %d accesses in %d units: both must be positive", c.Rate.Accesses, c.Rate.Units)
	}
	left := int64(maxAccesses)
	last := Window{}
	for i, w := range c.Windows {
		a := c.Accesses[i]
		if a.First > a.Last || a.Min < 0 || a.Min > a.Max || a.Max < 1 || a.Max > left {
			return fmt.Errorf("access %d: lines %d to %d, %d to %d times, of at most %d accesses of a core", i, a.First, a.Last, a.Min, a.Max, int64(maxAccesses))
		}
		if w.From > w.To || w.From < last.From || w.To < last.To {
			return fmt.Errorf("access %d: units %d to %d after an access in units %d to %d", i, w.From, w.To, last.From, last.To)
		}
		left -= a.Max
		last = w
	}
	return nil
}

// Ref names an access: its core and its place in the core's sequence.
type Ref struct{ Core, At int }

// Span is a range of places of a core's sequence, without To.
type Span struct{ From, To int }

// Between returns for each core the accesses that may be served from the access before to
// the access after, both included, of which the former surely is the earlier one: the grey
// areas of Figs. 1, 3 and 4 of the paper. They are those whose windows overlap the time from
// the begin of before's to the end of after's, except what before's core accessed
// earlier and what after's core will access later.
func Between(cores []Core, before, after Ref) []Span {
	from, to := cores[before.Core].Windows[before.At].From, cores[after.Core].Windows[after.At].To
	spans := make([]Span, len(cores))
	for c := range cores {
		spans[c] = overlapping(cores[c].Windows, from, to)
	}
	spans[before.Core].From = max(spans[before.Core].From, before.At)
	spans[after.Core].To = min(spans[after.Core].To, after.At+1)
	return spans
}

// overlapping returns the windows that have a unit in common with those from from to to.
func overlapping(windows []Window, from, to int64) Span {
	first := sort.Search(len(windows), func(i int) bool { return windows[i].To >= from })
	return Span{From: first, To: max(first, sort.Search(len(windows), func(i int) bool { return windows[i].From > to }))}
}

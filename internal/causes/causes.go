// Package causes keeps which event of a run made which other possible, and finds the chain of
// causes that leads to the end of the run: its critical path.
//
//	cycle 0 ──dispatch──> first issue ──alu──> issue ──memory──> ... ──drain──> last retirement
//
// Each event has one cause: of all that it had to wait for, what was over last. So the chain
// from an event back to the beginning of the run tiles the time before the event, without gaps.
//
// causes knows no simulator: what the kinds of waits are, and what sites mean, is for those who
// report events to say.
package causes

import (
	"cmp"
	"slices"
)

// ID is the number of an event of a log. 0 is the beginning of the run, in cycle 0.
type ID int32

// Kind says what an event waited for.
type Kind uint8

// Other is the kind of time that no wait explains.
const Other Kind = 255

// Site is where an event happens. What it does not concern is negative.
type Site struct {
	CTA, PC  int32
	SM, Warp int16
}

// Nowhere is the site of what concerns no SM.
var Nowhere = Site{-1, -1, -1, -1}

// Since says from which cycle on something is possible because of an event, and what the time between both
// is spent on.
type Since struct {
	At    int64
	Cause ID
	Kind  Kind
}

// Later returns which of two conditions is fulfilled later, the first one if both are at a time.
func Later(a, b Since) Since {
	if b.At > a.At {
		return b
	}
	return a
}

// As returns the same condition with another kind.
func (s Since) As(kind Kind) Since { return Since{s.At, s.Cause, kind} }

// event has 32 bytes.
type event struct {
	at    int64
	cause ID
	site  Site
	kind  Kind
}

// DefaultLimit is how many events a log holds before it is compacted, unless it says otherwise.
const DefaultLimit = 1 << 20

// Log is the events of a run. A cause comes before what it makes possible, in the log and in time.
type Log struct {
	Limit  int        // of events, before it is compacted; 0 for DefaultLimit
	Told   func(Kind) // hears of each instruction what it waited for last (Issue); may be nil
	events []event
	full   int // events from which on it is full
}

// Reset makes it the log of a run that begins.
func (l *Log) Reset() {
	l.events = append(l.events[:0], event{site: Nowhere})
	l.full = cmp.Or(l.Limit, DefaultLimit)
}

// Add notes an event that happens at a site in a cycle in which it was possible since s. If that was before,
// what is between is of the kind Other.
func (l *Log) Add(at int64, s Since, site Site) ID {
	switch {
	case s.At > at:
		s.Kind = Other
	case s.At < at && l.events[s.Cause].at < s.At:
		s = Since{at, l.push(s.At, s.Cause, s.Kind, l.events[s.Cause].site), Other}
	case s.At < at:
		s.Kind = Other
	}
	return l.push(at, s.Cause, s.Kind, site)
}

// Issue is Add for the issue of an instruction, of which Told hears what it waited for.
func (l *Log) Issue(at int64, s Since, site Site) ID {
	if l.Told != nil {
		l.Told(s.Kind)
	}
	return l.Add(at, s, site)
}

// Follow is Add at the site of another event.
func (l *Log) Follow(at int64, s Since, other ID) ID { return l.Add(at, s, l.events[other].site) }

func (l *Log) push(at int64, cause ID, kind Kind, site Site) ID {
	l.events = append(l.events, event{at, cause, site, kind})
	return ID(len(l.events) - 1)
}

// At returns when an event happens.
func (l *Log) At(id ID) int64 { return l.events[id].at }

// Before returns the last event of the chain that leads to an event which does not happen after a cycle.
func (l *Log) Before(id ID, at int64) ID {
	for l.events[id].at > at {
		id = l.events[id].cause
	}
	return id
}

// Full reports whether it is time to compact the log.
func (l *Log) Full() bool { return len(l.events) > l.full }

// Compact forgets the events that lead to none which others may still name as their cause. each hands all names of
// such events to the function that it is given.
func (l *Log) Compact(each func(name func(*ID))) {
	kept := make([]bool, len(l.events))
	kept[0] = true
	each(func(id *ID) { kept[*id] = true })
	for id := len(kept) - 1; id > 0; id-- {
		if kept[id] {
			kept[l.events[id].cause] = true
		}
	}
	names := make([]ID, len(l.events))
	n := 0
	for id, e := range l.events {
		if kept[id] {
			e.cause = names[e.cause]
			l.events[n], names[id] = e, ID(n)
			n++
		}
	}
	l.events = l.events[:n]
	each(func(id *ID) { *id = names[*id] })
	l.full = max(l.full, 2*n)
}

// Segment is a part of a chain, from the cycle From until before To, in which the event at its site led to the next one.
type Segment struct {
	From, To int64
	Site     Site
	Kind     Kind
}

// Chain returns the chain of causes of an event, from the beginning of the run. What follows at one site on something of the same
// kind is one segment with it.
func (l *Log) Chain(id ID) []Segment {
	var chain []Segment
	for id != 0 {
		e := &l.events[id]
		cause := &l.events[e.cause]
		id = e.cause
		if cause.at == e.at {
			continue
		}
		if n := len(chain); n > 0 && chain[n-1].Site == cause.site && chain[n-1].Kind == e.kind {
			chain[n-1].From = cause.at
			continue
		}
		chain = append(chain, Segment{cause.at, e.at, cause.site, e.kind})
	}
	slices.Reverse(chain)
	return chain
}

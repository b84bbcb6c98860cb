package hybrid

import (
	"fmt"

	"warpbound/internal/trace"
)

// Learn merges another profile into p, and reports whether it shows anything that an estimate of p may rest on and
// that no run of p has: an edge, or more of what an estimate takes the largest of.
func (p *Profile) Learn(from trace.Sink) (news bool, err error) {
	q, ok := from.(*Profile)
	if !ok {
		return false, fmt.Errorf("%T is no profile", from)
	}
	news = p.lacks(q)
	return news, p.Merge(q)
}

// lacks reports whether q shows an edge that p does not, or something larger.
func (p *Profile) lacks(q *Profile) bool {
	if p.runs == 0 || q.longest > p.longest {
		return q.runs > 0
	}
	for i := range q.seen {
		theirs := &q.seen[i]
		edge := q.edgeOf(theirs.edge)
		e, ok := p.find(edge)
		if !ok {
			return true
		}
		ours := p.edge(e)
		if ours == nil || theirs.worst.above(ours.worst) || theirs.maximum > ours.maximum {
			return true
		}
	}
	for i := range q.loops {
		if q.loops[i].above(p.loops[i]) {
			return true
		}
	}
	for i := range q.facts {
		if q.facts[i].maximum.above(p.facts[i].maximum) || q.facts[i].minimum.above(p.facts[i].minimum) {
			return true
		}
	}
	ours, theirs := p.largest(), q.largest()
	both := ours
	both.merge(&theirs)
	return both != ours || p.slots.lacks(&q.slots)
}

// largest returns the largest figures of any multiprocessor.
func (p *Profile) largest() smProfile {
	var all smProfile
	for _, sm := range p.sms {
		all.merge(sm)
	}
	return all
}

// find returns the number that p has for an edge, false if it has none.
func (p *Profile) find(edge Edge) (int, bool) {
	if e, ok := p.ipg.Edge(edge.From, edge.To); ok {
		return e, true
	}
	for i, u := range p.unknown {
		if u == edge {
			return p.known() + i, true
		}
	}
	return 0, false
}

// above reports whether a peak is larger than another one, or the first.
func (p peak) above(q peak) bool { return p.known && (!q.known || p.value > q.value) }

package greedy

import "warpbound/internal/saturating"

// link is a part of the chain of a CTA: the way of a warp to a barrier or to its end, and what follows until others go on.
type link struct {
	before [lengths]*link
	to     [lengths]*stop // nil if no instruction is on it
	behind saturating.Int // cycles, of the barrier of the stop
	each   saturating.Int // cycles for each barrier on the way, which the way does not have
}

// course is how far the chain of a CTA has come.
type course struct {
	point
	via [lengths]*link
}

// max returns the later of two courses, by measure.
func (c course) max(d course) course {
	for i, x := range d.point {
		if x > c.point[i] {
			c.point[i] = x
			if i < lengths {
				c.via[i] = d.via[i]
			}
		}
	}
	return c
}

// appendLink returns a course that is longer by so much.
func (c course) appendLink(took point, by *link) course {
	by.before = c.via
	return course{c.point.plus(took), [lengths]*link{by, by, by}}
}

// latest are the last of some stops, by measure.
type latest struct {
	point
	of [lengths]*stop
}

func (l *latest) addStop(s *stop) {
	for i, x := range s.point {
		if x > l.point[i] {
			l.point[i] = x
			if i < lengths {
				l.of[i] = s
			}
		}
	}
}

// findChain returns how long a CTA takes alone, from its dispatch on.
func (a *analysis) findChain(warps []*path) course {
	barrier := saturating.Of(a.SM.Barrier.Value)
	begin := course{}.appendLink(alone(saturating.Of(a.SM.Dispatch.Value)), &link{})
	partial := false
	for _, p := range warps {
		partial = partial || p.partial || a.unordered(p) && p.barriers > 0
	}
	if partial {
		// Each instruction of each warp is on the chain at most once, and a barrier lets each warp go as often as it comes to one.
		for _, p := range warps {
			s := a.inAnyOrder(p)
			begin = begin.appendLink(s.point.after(p.barriers.Mul(barrier)), &link{to: [lengths]*stop{s, s, s}, each: barrier})
		}
		return begin
	}
	over := course{}
	for k := 0; ; k++ {
		phase, more := latest{}, false
		for _, p := range warps {
			switch {
			case k < len(p.arrivals):
				phase.addStop(&p.arrivals[k])
				more = true
			case k == len(p.arrivals):
				ends, leaves := &p.ends, &p.leaves
				if a.unordered(p) {
					ends = a.inAnyOrder(p)
					leaves = ends
				}
				phase.addStop(leaves)
				over = over.max(begin.appendLink(ends.point, &link{to: [lengths]*stop{ends, ends, ends}}))
			}
		}
		if !more {
			return over
		}
		begin = begin.appendLink(phase.after(barrier), &link{to: phase.of, behind: barrier})
	}
}

// inAnyOrder is the end of a path of which it is not known in which order the warp executes it.
func (a *analysis) inAnyOrder(p *path) *stop {
	return &stop{point: p.all, way: p.needs, column: a.lengthAt(0), pc: none}
}

// chargeChain tells what the chain to a link has, in a measure, that instructions take.
func (a *analysis) chargeChain(l *link, measure int, visit func(pc int, cycles saturating.Int)) {
	for ; l != nil; l = l.before[measure] {
		s := l.to[measure]
		if s == nil {
			continue
		}
		if s.pc != none {
			visit(s.pc, l.behind)
		}
		s.way.each(func(pc, column int, n saturating.Int) {
			switch column {
			case s.column + measure:
				visit(pc, n)
			case a.lengthAt(lengths):
				visit(pc, n.Mul(l.each))
			}
		})
	}
}

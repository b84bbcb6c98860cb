package greedy

import (
	"warpbound/internal/saturating"
)

// lengths is how many of the measures of a point are cycles: far, near and inner.
const lengths = 3

// hop is an instruction on a chain of causes, behind another one. Chains of the three lengths may come from different ones.
type hop struct {
	before [lengths]*hop
	cycles [lengths]saturating.Int // that the chain is longer with it
	pc     int
	loop   *iteration // of which the hop is several; nil of an instruction
}

// iteration is one that stands for several: so many cycles up to its end.
type iteration struct {
	end    [lengths]*hop
	cycles [lengths]saturating.Int
}

// maxHops limits the hops that are kept of a path. Behind as many it is not known what is on a chain.
const maxHops = 1 << 22

// moment is a point with the chains that come to it.
type moment struct {
	point
	via [lengths]*hop
}

// max returns the later of two moments, by measure.
func (m moment) max(n moment) moment {
	for i, x := range n.point {
		if x > m.point[i] {
			m.point[i] = x
			if i < lengths {
				m.via[i] = n.via[i]
			}
		}
	}
	return m
}

// minus is what is left of m behind n, if m comes later.
func (m moment) minus(n moment) moment { return moment{m.point.minus(n.point), m.via} }

// then returns a moment that is later by what an instruction takes.
func (r *recorder) then(m moment, pc int, took point) moment {
	return r.hop(m, hop{pc: pc}, took)
}

// repeat returns a moment that is later than m by so many iterations, each of which comes from m to end.
func (r *recorder) repeat(m, end moment, times saturating.Int) moment {
	one := end.point.minus(m.point)
	loop := &iteration{end: end.via}
	copy(loop.cycles[:], one[:lengths])
	return r.hop(m, hop{loop: loop}, one.times(times))
}

func (r *recorder) hop(m moment, h hop, took point) moment {
	later := moment{point: m.point.plus(took)}
	if r.hops++; r.hops > maxHops {
		return later
	}
	h.before = m.via
	copy(h.cycles[:], took[:lengths])
	later.via = [lengths]*hop{&h, &h, &h}
	return later
}

// trail charges the last cycles of a chain of a measure, so many times, to what is on it: it goes back from its end.
func (h *hop) trail(measure int, cycles, times saturating.Int, charge func(pc int, cycles saturating.Int)) {
	for ; h != nil && cycles > 0; h = h.before[measure] {
		own := min(h.cycles[measure], cycles)
		if own == 0 {
			continue
		}
		cycles = cycles.Sub(own)
		if h.loop == nil {
			charge(h.pc, own.Mul(times))
			continue
		}
		each, end := h.loop.cycles[measure], h.loop.end[measure]
		whole := own.Div(each)
		end.trail(measure, each, whole.Mul(times), charge)
		end.trail(measure, own.Sub(each.Mul(whole)), times, charge)
	}
}

// stop is where a warp comes to, with what is charged for the way there.
type stop struct {
	point
	way    account
	column int // of the way, of the first length
	pc     int // of the barrier at which it is, or none
}

// none is no instruction.
const none = -1

// stop makes one of a moment.
func (r *recorder) stop(m moment, pc int) stop {
	way := make(needs)
	for measure := range lengths {
		m.via[measure].trail(measure, m.point[measure], 1, func(pc int, cycles saturating.Int) {
			row := way.row(pc, lengths)
			row[measure] = row[measure].Add(cycles)
		})
	}
	return stop{point: m.point, way: r.shorten(way), pc: pc}
}

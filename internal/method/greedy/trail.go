package greedy

import (
	"warpbound/internal/saturating"
)

// lengths is how many of the measures of a point are cycles: far, near and inner.
const lengths = 3

// hop is an instruction on a chain of causes, behind another one. Chains of the three lengths may come from different ones. There may be
// millions of them, so that they hold numbers instead of pointers.
type hop struct {
	before [lengths]hopID
	took   int32 // by how much the chain is longer with it, of hops.lengths
	pc     int32 // or, if it is negative, -1 - the number of an iteration, of which it is several
}

// hopID is the number of a hop; 0 is none.
type hopID int32

// iteration is one that stands for several: so many cycles up to its end.
type iteration struct {
	end    [lengths]hopID
	cycles [lengths]saturating.Int
}

// maxHops limits the hops that are kept of a path. Behind as many it is not known what is on a chain.
const maxHops = 1 << 22

// chunk is how many hops are kept together.
const chunk = 1 << 12

// hops are those of a path.
type hops struct {
	n       int32
	chunks  [][]hop
	loops   []iteration
	lengths [][lengths]saturating.Int // that are different
	numbers map[[lengths]saturating.Int]int32
}

// moment is a point with the chains that come to it.
type moment struct {
	point
	via [lengths]hopID
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

// appendHop returns a moment that is later by what an instruction takes.
func (h *hops) appendHop(m moment, pc int, took point) moment { return h.addHop(m, int32(pc), took) }

// appendIterations returns a moment that is later than m by so many iterations, each of which comes from m to end.
func (h *hops) appendIterations(m, end moment, times saturating.Int) moment {
	one := end.point.minus(m.point)
	h.loops = append(h.loops, iteration{end.via, [lengths]saturating.Int(one[:lengths])})
	return h.addHop(m, -int32(len(h.loops)), one.times(times))
}

func (h *hops) addHop(m moment, pc int32, took point) moment {
	later := moment{point: m.point.plus(took)}
	if h.n == maxHops {
		return later
	}
	if h.n%chunk == 0 {
		h.chunks = append(h.chunks, make([]hop, 0, chunk))
	}
	last := &h.chunks[len(h.chunks)-1]
	*last = append(*last, hop{m.via, h.numberLengths([lengths]saturating.Int(took[:lengths])), pc})
	h.n++
	later.via = [lengths]hopID{hopID(h.n), hopID(h.n), hopID(h.n)}
	return later
}

// numberLengths returns the numberLengths of some lengths.
func (h *hops) numberLengths(of [lengths]saturating.Int) int32 {
	if n := len(h.lengths); n > 0 && h.lengths[0] == of { // those of most hops: a cycle
		return 0
	}
	n, ok := h.numbers[of]
	if !ok {
		if h.numbers == nil {
			h.numbers = make(map[[lengths]saturating.Int]int32)
		}
		n = int32(len(h.lengths))
		h.lengths = append(h.lengths, of)
		h.numbers[of] = n
	}
	return n
}

// chargeTrail charges the last cycles of a chain of a measure, so many times, to what is on it: it goes back from its end.
func (h *hops) chargeTrail(end hopID, measure int, cycles, times saturating.Int, charge func(pc int, cycles saturating.Int)) {
	for at := end; at != 0 && cycles > 0; {
		of := &h.chunks[(at-1)/chunk][(at-1)%chunk]
		at = of.before[measure]
		own := min(h.lengths[of.took][measure], cycles)
		if own == 0 {
			continue
		}
		cycles = cycles.Sub(own)
		if of.pc >= 0 {
			charge(int(of.pc), own.Mul(times))
			continue
		}
		loop := &h.loops[-1-of.pc]
		each := loop.cycles[measure]
		whole := own.Div(each)
		h.chargeTrail(loop.end[measure], measure, each, whole.Mul(times), charge)
		h.chargeTrail(loop.end[measure], measure, own.Sub(each.Mul(whole)), times, charge)
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

// makeStop makes one of a moment.
func (r *recorder) makeStop(m moment, pc int) stop {
	way := make(needs)
	for measure := range lengths {
		r.hops.chargeTrail(m.via[measure], measure, m.point[measure], 1, func(pc int, cycles saturating.Int) {
			row := way.row(pc, lengths)
			row[measure] = row[measure].Add(cycles)
		})
	}
	return stop{point: m.point, way: r.shorten(way), pc: pc}
}

package race

import (
	"slices"

	"warpbound/internal/isa"
)

// clock holds, for each warp of a CTA, the time up to which its accesses are ordered before
// something. It does not change once it was shared.
type clock []uint32

// join makes the clock at least another.
func (c clock) join(other clock) {
	for i, t := range other {
		c[i] = max(c[i], t)
	}
}

// warp is what is ordered before the next event of a warp.
type warp struct {
	now   uint32   // events so far
	group uint64   // lanes that were together in the last event
	rows  []uint32 // for each lane a row of the times up to which the lanes' accesses are ordered before it
	clock clock    // for other warps of the CTA
	at    int      // the barrier at which the warp waits

	passed []*snapshot // by sequentially consistent fences of threads before a barrier of the CTA
	lanes  *[64]lane   // of lanes that synchronise with fences; nil if none did
	copies [3]copies   // for which nobody has waited, by Until
}

// lane is how a lane synchronises with fences.
type lane struct {
	released [3]*snapshot // by its last fences that release, by strength; none is older than one of more strength
	seen     *knowledge   // what its strong reads have seen that a fence may acquire
	carried  *knowledge   // what others' strong reads had seen before a barrier of the CTA
	acquired *knowledge
}

// row returns that of a lane.
func (w *warp) row(width, lane int) []uint32 { return w.rows[lane*width:][:width] }

// unknown returns the lanes of the warp that a record is of and whose access is not ordered before what a lane does.
func (w *warp) unknown(width, lane int, r *record) uint64 {
	row, unknown := w.row(width, lane), uint64(0)
	for k := r.lanes; k != 0; k &= k - 1 {
		if row[first(k)] < r.time {
			unknown |= k & -k
		}
	}
	return unknown
}

// together notes that lanes of a warp do something together, and returns the warp.
func (c *CTA) together(index int, active uint64) *warp {
	w := &c.warps[index]
	if c.d.lockStep && active != w.group {
		w.stamp(c.d.width)
		if active&^w.group != 0 {
			c.unite(w, active)
		}
		w.group = active
	}
	return w
}

// stamp notes in the rows of the lanes that are together that they were until now.
func (w *warp) stamp(width int) {
	for l := w.group; l != 0; l &= l - 1 {
		row := w.row(width, first(l))
		for k := w.group; k != 0; k &= k - 1 {
			row[first(k)] = w.now
		}
	}
}

// unite makes lanes know what each of them knows and has done.
func (c *CTA) unite(w *warp, lanes uint64) {
	width, joint := c.d.width, c.d.joint
	clear(joint)
	for l := lanes; l != 0; l &= l - 1 {
		for k, t := range w.row(width, first(l)) {
			joint[k] = max(joint[k], t)
		}
		joint[first(l)] = w.now
	}
	for l := lanes; l != 0; l &= l - 1 {
		copy(w.row(width, first(l)), joint)
	}
	if w.lanes != nil {
		w.share(lanes)
	}
}

// WarpSync notes that lanes executed bar.warp.sync, which names members.
func (c *CTA) WarpSync(index int, active, members uint64) {
	w := c.together(index, active)
	w.now++
	c.unite(w, members&active)
}

// arrivals are those at a barrier since it last let warps go.
type arrivals struct {
	clock    clock
	carried  *knowledge
	acquired *knowledge
	passed   []*snapshot
}

// ClusterBarrier is the first of two numbers that stand for the barrier of the cluster, which is one CTA, by
// turns: a warp that arrives does not wait there, and others may wait later.
const ClusterBarrier = 16

// Arrive notes that a warp arrives at a barrier of the CTA; if it waits there, Release follows.
func (c *CTA) Arrive(index int, active uint64, barrier int) {
	w := c.together(index, active)
	w.now++
	w.at = barrier
	b := c.barriers[barrier]
	if b == nil {
		b = &arrivals{clock: make(clock, len(c.warps))}
		c.barriers[barrier] = b
	}
	b.clock.join(w.clock)
	b.clock[index] = w.now
	if w.lanes != nil {
		for l := range w.lanes {
			b.acquired = b.acquired.join(w.lanes[l].acquired)
			b.carried = b.carried.join(w.lanes[l].carried).join(w.lanes[l].seen.through())
			if s := w.lanes[l].released[sequential]; s != nil && !slices.Contains(b.passed, s) {
				b.passed = append(b.passed, s)
			}
		}
	}
	for _, s := range w.passed {
		if !slices.ContainsFunc(b.passed, s.superseded) {
			b.passed = append(b.passed, s)
		}
	}
}

// Release notes that the warps of a set, which waited at barriers, go on.
func (c *CTA) Release(warps uint64) {
	over := map[int]clock{}
	for m := warps; m != 0; m &= m - 1 {
		w := &c.warps[first(m)]
		b := c.barriers[w.at]
		if over[w.at] == nil {
			over[w.at] = slices.Clone(b.clock)
		}
		w.clock = over[w.at]
		w.passed = b.passed
		if b.acquired != nil || b.carried != nil {
			lanes := w.fenced()
			for l := range lanes {
				lanes[l].acquired = lanes[l].acquired.join(b.acquired)
				lanes[l].carried = lanes[l].carried.join(b.carried)
			}
		}
		// The lanes of the warp have arrived together, too.
		all := ^uint64(0) >> (64 - c.d.width)
		if !c.d.lockStep {
			c.unite(w, all)
		}
	}
	for id := range over {
		if id < ClusterBarrier {
			delete(c.barriers, id)
		}
	}
}

// fenced returns the lanes of a warp that synchronises with fences.
func (w *warp) fenced() *[64]lane {
	if w.lanes == nil {
		w.lanes = new([64]lane)
	}
	return w.lanes
}

// The strengths of fences, the greatest first.
const (
	sequential = iota // of wide scope and sequentially consistent
	distant           // of wide scope
	local
)

// Fence notes a fence of lanes.
func (c *CTA) Fence(index int, active, lanes uint64, order isa.Order, scope isa.Scope) {
	w := c.together(index, active)
	w.now++
	strength := distant
	switch {
	case !wide(scope):
		strength = local
	case order == isa.OrderSC:
		strength = sequential
	}
	if order.Acquires() {
		c.acquire(w, lanes, scope, strength)
	}
	if order.Releases() {
		c.release(w, index, lanes, scope, strength)
	}
}

// acquire orders what the lanes' strong reads have seen before what follows. In lock-step that is so for all lanes that
// are together.
func (c *CTA) acquire(w *warp, lanes uint64, scope isa.Scope, strength int) {
	if w.lanes == nil {
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		l := &w.lanes[first(m)]
		l.acquired = l.acquired.join(l.seen.within(scope))
		l.seen = l.seen.beyond(scope)
		if strength == sequential {
			l.acquired, l.carried = l.acquired.join(l.carried), nil
		}
	}
	if c.d.lockStep {
		w.share(w.group)
	}
}

// share makes lanes know what each of them has acquired.
func (w *warp) share(lanes uint64) {
	var joint *knowledge
	for l := lanes; l != 0; l &= l - 1 {
		joint = joint.join(w.lanes[first(l)].acquired)
	}
	for l := lanes; l != 0; l &= l - 1 {
		w.lanes[first(l)].acquired = joint
	}
}

// release keeps what is ordered before a fence for those who will see strong writes of the lanes.
func (c *CTA) release(w *warp, index int, lanes uint64, scope isa.Scope, strength int) {
	state := w.fenced()
	var same *snapshot
	for m := lanes; m != 0; m &= m - 1 {
		i := first(m)
		if same == nil || !c.d.lockStep {
			same = c.snapshot(w, index, i, scope, w.now)
			same.passes = strength == sequential
		}
		clear(state[i].released[strength:])
		state[i].released[strength] = same
	}
}

// snapshot is what is ordered before something that a lane does now: what it has done itself until now, and what lanes
// that are together with it have done, too, until then.
func (c *CTA) snapshot(w *warp, index, lane int, scope isa.Scope, then uint32) *snapshot {
	row := slices.Clone(w.row(c.d.width, lane))
	if c.d.lockStep {
		for k := w.group; k != 0; k &= k - 1 {
			row[first(k)] = then
		}
	}
	row[lane] = w.now
	s := &snapshot{cta: int32(c.index), warp: uint8(index), row: row, clock: w.clock, scope: scope}
	if w.lanes != nil {
		s.acquired = w.lanes[lane].acquired
	}
	return s
}

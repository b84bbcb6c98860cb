package emu

import "warpbound/internal/isa"

// warpWide is an operation in which the lanes of a warp take part together.
type warpWide struct {
	members slot // mask of the lanes that must take part, if named
	named   bool
}

// check returns an error if a lane is named that is not among those that execute the
// instruction: on a machine with one stack per warp it never arrives. Lanes that have
// exited do not count, nor do those on their way to the exit: that wait where no
// instruction is ahead which names members, and no barrier.
func (op *warpWide) check(w *Warp, mask uint64, eff *Effect) error {
	if !op.named {
		return nil
	}
	members, err := w.uniform(op.members, mask, int32(eff.PC), "member mask")
	if err != nil {
		return err
	}
	if lanes := w.apart(members & w.whole().alive); lanes != 0 {
		return w.faultf(int32(eff.PC), lanes, "the thread is named in the member mask 0x%x and runs apart from the others of its warp, "+
			"which has split", members)
	}
	if lanes, entry := w.missing(members&w.alive&^mask, w.code.joins); lanes != 0 {
		return w.faultf(int32(eff.PC), lanes, "the thread is named in the member mask 0x%x and does not take part: %s. "+
			"Name only those that do, let them come together, or let the others exit before", members, w.pending(lanes, entry, "instruction"))
	}
	if others := mask &^ members; others != 0 {
		return w.faultf(int32(eff.PC), others, "the thread takes part and is not named in the member mask 0x%x", members)
	}
	return nil
}

// barWarp is a barrier of the lanes of a warp.
type barWarp struct{ warpWide }

func (op *barWarp) exec(w *Warp, mask uint64, eff *Effect) error { return op.check(w, mask, eff) }

// vote joins the predicates of the lanes.
type vote struct {
	warpWide
	mode isa.LaneOp
	a    predicate
	d    slot     // of a ballot
	p    maskSlot // of any other
}

func (op *vote) exec(w *Warp, mask uint64, eff *Effect) error {
	if err := op.check(w, mask, eff); err != nil {
		return err
	}
	yes := w.mask(op.a) & mask
	switch op.mode {
	case isa.VoteAll:
		w.setMask(op.p, spread(yes == mask), mask)
	case isa.VoteAny:
		w.setMask(op.p, spread(yes != 0), mask)
	case isa.VoteUni:
		w.setMask(op.p, spread(yes == mask || yes == 0), mask)
	case isa.VoteBallot:
		w.broadcast(op.d, yes, mask)
	}
	return nil
}

// activemask gives the lanes that execute it.
type activemask struct{ d slot }

func (op *activemask) exec(w *Warp, mask uint64, _ *Effect) error {
	w.broadcast(op.d, mask, mask)
	return nil
}

// shfl moves values between lanes. A lane that reads one that is out of range or
// does not take part gets its own value.
type shfl struct {
	warpWide
	mode    isa.LaneOp
	d       slot
	p       maskSlot // the source lane was in range
	a, b, c slot
}

func (op *shfl) exec(w *Warp, mask uint64, eff *Effect) error {
	if err := op.check(w, mask, eff); err != nil {
		return err
	}
	v := w.vecs[0]
	a, b, c := *v[op.a], v[op.b], v[op.c]
	result := &w.cta.grid.scratch
	var inRange uint64
	for m := mask; m != 0; m &= m - 1 {
		lane := first(m)
		from, ok := op.source(lane, int(b[lane]&31), int(c[lane]&31), int(c[lane]>>8&31))
		if ok {
			inRange |= 1 << lane
		}
		if !ok || mask>>from&1 == 0 {
			from = lane
		}
		result[lane] = a[from] & lowBits(32)
	}
	v[op.d].Merge(result, uint32(mask))
	w.setMask(op.p, inRange, mask)
	return nil
}

// source returns the lane that lane reads, and whether it is in range. The lanes
// that agree in the bits of segment form a group; clamp bounds the lanes in it.
func (op *shfl) source(lane, b, clamp, segment int) (int, bool) {
	least := lane & segment
	bound := least | clamp&^segment
	switch op.mode {
	case isa.ShflUp:
		return lane - b, lane-b >= bound
	case isa.ShflDown:
		return lane + b, lane+b <= bound
	case isa.ShflBfly:
		return lane ^ b, lane^b <= bound
	}
	from := least | b&^segment
	return from, from <= bound
}

// crossLane decodes the operations of a whole warp.
func (d *decoder) crossLane() operation {
	in := d.in
	switch in.Op {
	case isa.BarWarp:
		return &barWarp{d.members(0)}
	case isa.Activemask:
		d.code.wordMasks = int32(d.pc)
		return &activemask{d: d.dest(0, 32)}
	case isa.Vote:
		return d.vote()
	case isa.Match:
		return d.match()
	case isa.Redux:
		return d.redux()
	case isa.Elect:
		return &elect{warpWide: d.members(0), d: d.dest(0, 32), p: d.secondMask()}
	}
	d.code.wordMasks = int32(d.pc)
	op := &shfl{warpWide: d.members(3), mode: in.Lane, d: d.dest(0, 32), p: d.secondMask(), a: d.source(0), b: d.source(1), c: d.source(2)}
	if in.Lane < isa.ShflUp || in.Type.Bits() != 32 {
		d.unsupported()
	}
	return op
}

func (d *decoder) vote() operation {
	in := d.in
	op := &vote{warpWide: d.members(1), mode: in.Lane, a: d.test(in.Src[0]), p: maskSink}
	switch in.Lane {
	case isa.VoteBallot:
		d.code.wordMasks = int32(d.pc)
		op.d = d.dest(0, 32)
	case isa.VoteAll, isa.VoteAny, isa.VoteUni:
		op.p = d.maskDest(0)
	default:
		d.unsupported()
	}
	return op
}

// secondMask returns the mask of the predicate that is the second result, which
// may be missing.
func (d *decoder) secondMask() maskSlot {
	if len(d.in.Dst) > 1 {
		return d.maskDest(1)
	}
	return maskSink
}

// members decodes the member mask, source i, if there is one.
func (d *decoder) members(i int) warpWide {
	if i >= len(d.in.Src) {
		return warpWide{}
	}
	d.code.wordMasks = int32(d.pc)
	d.joining = append(d.joining, d.pc)
	return warpWide{members: d.source(i), named: true}
}

// half returns the bits of mask for the k-th vector of a register.
func half(mask uint64, k int) uint32 { return uint32(mask >> (lanes * k)) }

package alu

import (
	"fmt"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// Collective is an operation in which the lanes of a warp take part together.
type Collective interface {
	Operation

	// Members returns the slot of the mask that names the lanes which must take part, and
	// false if the instruction names none. The lanes of a warp must agree in it.
	Members() (Slot, bool)

	// Aligned reports whether all lanes of a warp must take part.
	Aligned() bool
}

// Gathering is a Collective in which lanes may take part at several instructions, which have
// operands of their own.
type Gathering interface {
	Collective

	// Gather notes what lanes give to the operation, and Deliver writes their results when all of a
	// set have given theirs. One after the other, for all at once, they do what Exec does.
	Gather(r *Registers, lanes uint64, into *Gathered)
	Deliver(r *Registers, lanes, all uint64, from *Gathered)
}

// Gathered is what lanes give to an operation in which they take part together.
type Gathered struct {
	low, high Words  // values
	yes       uint64 // lanes whose predicate is true
}

// gather notes the values that lanes have in a register.
func (g *Gathered) gather(r *Registers, a Slot, lanes uint64) {
	for m := lanes; m != 0; m &= m - 1 {
		lane := First(m)
		x := r.At(a, lane)
		g.low[lane%len(g.low)], g.high[lane%len(g.high)] = uint32(x), uint32(x>>32)
	}
}

// collective is what all of them have in common.
type collective struct {
	members Slot // mask of the lanes that must take part, if named
	named   bool
}

// Members implements Collective.
func (c collective) Members() (Slot, bool) { return c.members, c.named }

// Aligned implements Collective.
func (collective) Aligned() bool { return false }

// Gather implements Gathering: nothing is given.
func (collective) Gather(*Registers, uint64, *Gathered) {}

// LaneError is an error in one lane of a warp.
type LaneError struct {
	Lane int
	Err  error
}

// Error names the lane.
func (e *LaneError) Error() string { return fmt.Sprintf("lane %d: %v", e.Lane, e.Err) }

// Unwrap returns the error without the lane.
func (e *LaneError) Unwrap() error { return e.Err }

// CheckNamed returns a *LaneError if one of the lanes of mask, which take part in a
// collective operation, is not among the members that it names. It is for the user to find
// members that do not take part.
func CheckNamed(members, mask uint64) error {
	if others := mask &^ members; others != 0 {
		return &LaneError{First(others), fmt.Errorf("the thread takes part and is not named in the member mask 0x%x", members)}
	}
	return nil
}

// checkMembers returns a *LaneError if lanes of mask disagree in the member mask of an
// operation, or one is not named in it, or if an operation is for a whole warp and mask is less.
func checkMembers(c Collective, r *Registers, mask uint64) error {
	if c.Aligned() {
		return CheckAligned(mask)
	}
	slot, named := c.Members()
	if !named {
		return nil
	}
	members, other := r.Uniform(slot, mask)
	if other >= 0 {
		return &LaneError{other, fmt.Errorf("member mask %d, which is %d in lane %d of the same warp", r.At(slot, other), members, First(mask))}
	}
	return CheckNamed(members, mask)
}

// barWarp is a barrier of the lanes of a warp: there is nothing to compute.
type barWarp struct{ collective }

func (op *barWarp) Exec(*Registers, uint64) {}

// Deliver implements Gathering.
func (op *barWarp) Deliver(*Registers, uint64, uint64, *Gathered) {}

// vote joins the predicates of the lanes.
type vote struct {
	collective
	mode isa.LaneOp
	a    Predicate
	d    Slot     // of a ballot
	p    MaskSlot // of any other
}

func (op *vote) Exec(r *Registers, mask uint64) { op.writeVote(r, mask, mask, r.Mask(op.a)&mask) }

// Gather implements Gathering.
func (op *vote) Gather(r *Registers, lanes uint64, into *Gathered) {
	into.yes |= r.Mask(op.a) & lanes
}

// Deliver implements Gathering.
func (op *vote) Deliver(r *Registers, lanes, all uint64, from *Gathered) {
	op.writeVote(r, lanes, all, from.yes&all)
}

// writeVote writes the result in some lanes, where yes of all voted so.
func (op *vote) writeVote(r *Registers, lanes, all, yes uint64) {
	switch op.mode {
	case isa.VoteAll:
		r.SetMask(op.p, Spread(yes == all), lanes)
	case isa.VoteAny:
		r.SetMask(op.p, Spread(yes != 0), lanes)
	case isa.VoteUni:
		r.SetMask(op.p, Spread(yes == all || yes == 0), lanes)
	case isa.VoteBallot:
		r.Broadcast(op.d, yes, lanes)
	}
}

// activemask gives the lanes that execute it.
type activemask struct {
	collective
	d Slot
}

func (op *activemask) Exec(r *Registers, mask uint64) { r.Broadcast(op.d, mask, mask) }

// shfl moves values between lanes. A lane that reads one that is out of range or
// does not take part gets its own value.
type shfl struct {
	collective
	mode    isa.LaneOp
	d       Slot
	p       MaskSlot // the source lane was in range
	a, b, c Slot
	fast    vec.ShuffleFunc // nil if the processor has none, or an operand is wide
}

func (op *shfl) Exec(r *Registers, mask uint64) {
	if op.fast != nil {
		w, d := r.Words[0], &r.Scratch.word
		if mask == r.Full {
			d = w[op.d]
		}
		inRange := op.fast(d, w[op.a], w[op.b], w[op.c], uint32(mask))
		if mask != r.Full {
			vec.SelectWords(w[op.d], d, w[op.d], uint32(mask))
		}
		r.SetMask(op.p, uint64(inRange), mask)
		return
	}
	a := *r.Narrow(op.a, 0)
	op.move(r, &a, mask, mask)
}

// Gather implements Gathering.
func (op *shfl) Gather(r *Registers, lanes uint64, into *Gathered) { into.gather(r, op.a, lanes) }

// Deliver implements Gathering.
func (op *shfl) Deliver(r *Registers, lanes, all uint64, from *Gathered) {
	op.move(r, &from.low, lanes, all)
}

// move writes the results of some lanes, where a is what all give.
func (op *shfl) move(r *Registers, a *Words, lanes, all uint64) {
	b := *r.Narrow(op.b, 0)
	c := *r.Narrow(op.c, 0)
	var result Words
	inRange := op.each(&result, a, &b, &c, uint32(all))
	r.AssignWords(op.d, 0, &result, lanes)
	r.SetMask(op.p, uint64(inRange), lanes)
}

// each is a vec.ShuffleFunc, but d must not be a source.
func (op *shfl) each(d, a, b, c *Words, mask uint32) (inRange uint32) {
	for i := range lanes {
		from, ok := op.source(uint32(i), b[i]&31, c[i]&31, c[i]>>8&31)
		inRange |= bit(ok) << i
		if !ok || mask>>(from%lanes)&1 == 0 {
			from = uint32(i)
		}
		d[i] = a[from%lanes]
	}
	return inRange
}

// source returns the lane that lane reads, and whether it is in range. The lanes
// that agree in the bits of segment form a group; clamp bounds the lanes in it.
func (op *shfl) source(lane, b, clamp, segment uint32) (uint32, bool) {
	minimum := lane & segment
	bound := minimum | clamp&^segment
	switch op.mode {
	case isa.ShflUp:
		return lane - b, int32(lane-b) >= int32(bound)
	case isa.ShflDown:
		return lane + b, lane+b <= bound
	case isa.ShflBfly:
		return lane ^ b, lane^b <= bound
	}
	from := minimum | b&^segment
	return from, from <= bound
}

// crossLane decodes the operations of a whole warp.
func (d *decoder) crossLane() Operation {
	in := d.in
	switch in.Op {
	case isa.BarWarp:
		return &barWarp{d.members(0)}
	case isa.Activemask:
		return &activemask{d: d.dest(0, 32)}
	case isa.Vote:
		return d.vote()
	case isa.Match:
		return d.match()
	case isa.Redux:
		return d.redux()
	case isa.Elect:
		return &elect{collective: d.members(0), d: d.dest(0, 32), p: d.secondMask()}
	}
	op := &shfl{collective: d.members(3), mode: in.Lane, d: d.dest(0, 32), p: d.secondMask(), a: d.source(0, false), b: d.source(1, false), c: d.source(2, false)}
	if in.Lane < isa.ShflUp || in.Type.Bits() != 32 {
		d.unsupported()
		return op
	}
	if !op.d.Wide() && !op.a.Wide() && !op.b.Wide() && !op.c.Wide() {
		op.fast = vec.Shuffle(map[isa.LaneOp]vec.ShuffleMode{
			isa.ShflUp: vec.ShuffleUp, isa.ShflDown: vec.ShuffleDown, isa.ShflBfly: vec.ShuffleButterfly, isa.ShflIdx: vec.ShuffleIndex,
		}[in.Lane])
	}
	return op
}

func (d *decoder) vote() Operation {
	in := d.in
	op := &vote{collective: d.members(1), mode: in.Lane, a: d.test(0), p: MaskSink}
	switch in.Lane {
	case isa.VoteBallot:
		op.d = d.dest(0, 32)
	case isa.VoteAll, isa.VoteAny, isa.VoteUni:
		op.p = d.maskDest(0)
	default:
		d.unsupported()
	}
	return op
}

// members decodes the member mask, source i, if there is one.
func (d *decoder) members(i int) collective {
	if i >= len(d.in.Src) {
		return collective{}
	}
	return collective{members: d.source(i, false), named: true}
}

// HasLaneMask reports whether an instruction reads or writes a mask of the lanes of its
// warp, which has 32 bits.
func HasLaneMask(in *isa.Instr) bool {
	switch in.Op {
	case isa.Activemask, isa.Shfl:
		return true
	case isa.Vote:
		return in.Lane == isa.VoteBallot || len(in.Src) > 1
	case isa.BarWarp, isa.Elect:
		return len(in.Src) > 0
	case isa.Match, isa.Redux:
		return len(in.Src) > 1
	}
	return false
}

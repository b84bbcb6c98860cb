package absexec

import (
	"errors"
	"math/bits"
	"slices"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// This file summarises loops that iterate too often to follow each iteration. What is known at the
// header of a loop is supposed to change by a constant from one iteration to the next, as it did
// between the last two. Then one iteration is executed for N iterations at a time: they are one more axis
// of the box. The supposition is an invariant if the iteration leaves at its end what is supposed at
// the beginning of the next one; what it does not is given up, and the iteration executed anew. A
// branch that goes one way in the first iterations and another way later cuts the axis: N is what
// is left of it. A branch that changes its mind too often is one of which it is not known how it goes.
//
// The acceleration of counters by a constant is that of B. Boigelot ("Symbolic methods for
// exploring infinite state spaces", 1998), over the abstract values of this package.

// The iterations that are tried at first, and the fewest that are worth a summary, since what comes of one is known
// less exactly.
const (
	allIterations = 1 << 40
	fewIterations = 16
)

// summaries says which loops are summarised: the first that makes warps short enough.
type summaries int

const (
	noSummaries     summaries = iota
	exactSummaries            // those whose iterations go the same way
	coarseSummaries           // others, too
)

// arrival is what was known when control came to the header of a loop.
type arrival struct {
	must, may uint64
	depth     int // of the stack
	state     *state
}

// iteration is one that is executed for many.
type iteration struct {
	loop        int // in the flow graph's forest
	header      int // instruction
	alternative int
	arrived     bool // control is back at the header
	outside     int  // where lanes wait for those that are back at the header, behind the loop; or none
}

// errAbandoned is the error of an iteration that stands for no others: lanes exit, for example.
var errAbandoned = errors.New("the iteration is not like others")

// silent is told of executions that do not count.
type silent struct{}

func (silent) Step(*Step)   {}
func (silent) Fork(int)     {}
func (silent) Alternative() {}
func (silent) Join()        {}
func (silent) Repeat(int)   {}
func (silent) Repeated()    {}

// summarise executes many iterations of the innermost loop at once if control has come to its header and it
// is known what changes from one iteration to the next. It is tried after 1, 2, 4, ... iterations.
func (x *execution) summarise(top *entry, pc int) error {
	if x.summaries == noSummaries || x.kernel.Reconvergence == isa.AtSyncs || x.level == nesting || len(top.loops) == 0 || top.may == 0 {
		return nil
	}
	c := &top.loops[len(top.loops)-1]
	block := x.graph.BlockOf(pc)
	if x.graph.Loops().Loops[c.loop].Header != block {
		return nil
	}
	n := c.n - c.summarised
	seen := c.seen
	c.seen = nil
	if seen != nil && seen.must == top.must && seen.may == top.may && seen.depth == len(x.stack) {
		if err := x.accelerate(top, c, seen.state); err != nil {
			return err
		}
		n = c.n - c.summarised
	}
	if n&(n+1) == 0 {
		c.seen = &arrival{top.must, top.may, len(x.stack), top.state.clone()}
	}
	return nil
}

// accelerate executes as many iterations of a loop at once as do the same. before is what was known an
// iteration ago. Nothing happens if there are too few of them.
func (x *execution) accelerate(top *entry, c *loopCount, before *state) error {
	axis := ctaAxes + x.level
	for _, coarse := range []bool{false, true} {
		if coarse && x.summaries != coarseSummaries {
			break
		}
		y := x.inner(top, c, coarse)
		at := y.suppose(before, top.state, top.may, axis)
		must, n, open := top.must, allIterations, c.open
		for n >= x.few {
			z := *y
			z.box.Iterations[x.level] = n
			err := z.iterate(at, must, open)
			x.steps, y.steps = z.steps, z.steps
			var cutting *cutError
			switch {
			case errors.As(err, &cutting) && cutting.axis == axis:
				n = cutting.at
				continue
			case errors.Is(err, errAbandoned) && coarse && z.body.outside != none:
				top, c = x.await(z.body.outside)
				y = x.inner(top, c, coarse)
				continue
			case errors.Is(err, errAbandoned):
				n = 0
				continue
			case err != nil:
				return err
			}
			end := z.top()
			if z.body.leaves(end) {
				open = true
				bound, ok := 0, false
				if x.config.Bound != nil {
					bound, ok = x.config.Bound(x.graph.BlockOf(z.body.header))
				}
				if !ok {
					n = 0
					continue
				}
				n = min(n, bound-c.n)
			}
			if z.weakens(at, end, &must) || z.box.Iterations[x.level] != n {
				continue
			}
			if n == allIterations {
				break // nothing ends the loop
			}
			if x.config.Useless[x.graph.BlockOf(z.body.header)] != "" && must == 0 {
				return x.unbounded(c.loop)
			}
			return x.jump(top, c, y, at, must, open, n)
		}
	}
	return nil
}

// inner returns an execution of iterations of a loop, without the lanes that are elsewhere.
func (x *execution) inner(top *entry, c *loopCount, coarse bool) *execution {
	y := *x
	for i := range x.stack {
		y.beyond |= x.stack[i].may
	}
	y.level++
	y.coarse[x.level] = coarse
	y.visitor = silent{}
	y.body = &iteration{loop: c.loop, header: x.graph.Blocks[x.graph.Loops().Loops[c.loop].Header].Start, alternative: x.alternative, outside: none}
	y.stack = []entry{*top}
	return &y
}

// await makes the lanes of the running entry wait for themselves at a reconvergence point behind a loop, as if some of
// them left it. It returns the entry that runs instead, and its count of the loop.
func (x *execution) await(r int) (*entry, *loopCount) {
	from := x.part(r, choice{mixed: true})
	from.loops = slices.Clone(from.loops)
	x.stack = append(x.stack, from)
	return x.top(), &x.top().loops[len(from.loops)-1]
}

// iterate executes an iteration whose lanes know what is supposed at the header, and ends at the header.
func (x *execution) iterate(at *state, must uint64, open bool) error {
	body := *x.body
	x.body = &body
	x.facts = slices.Clone(x.facts)
	x.undecided = slices.Clone(x.undecided)
	top := x.stack[0]
	top.must, top.state, top.loops = must, at.clone(), slices.Clone(top.loops)
	for i := range top.loops {
		top.loops[i].seen = nil
	}
	top.loops[len(top.loops)-1].open = open
	top.pc = body.header
	if top.to != nil {
		top.to = &junction{}
	}
	x.stack = []entry{top}
	for !body.arrived {
		if len(x.stack) == 0 {
			return errAbandoned
		}
		if x.top().waits != nil {
			x.resume()
		}
		if x.top().may == 0 {
			x.pop()
			continue
		}
		if err := x.next(); err != nil {
			return err
		}
	}
	return nil
}

// turns is asked when control goes to an instruction: it ends the iteration at the header.
func (b *iteration) turns(x *execution, pc int) (bool, error) {
	top := x.top()
	switch {
	case b == nil:
		return false, nil
	case pc == b.header && len(x.stack) == 1 && x.alternative == b.alternative:
		b.arrived = true
		top.pc = pc
		return true, nil
	case pc == b.header:
		if len(x.stack) == 2 && x.stack[0].waits != nil {
			b.outside = x.stack[0].pc
		}
		return false, errAbandoned
	case pc != top.rpc && !x.graph.Loops().Loops[b.loop].Contains(x.graph.BlockOf(pc)):
		return false, errAbandoned
	}
	return false, nil
}

// leaves reports whether a lane may have left the loop in the iteration, or not.
func (b *iteration) leaves(end *entry) bool {
	return slices.ContainsFunc(end.loops, func(c loopCount) bool { return c.loop == b.loop && c.open })
}

// suppose returns what lanes know at the header in every iteration along an axis, if it changes as it did from
// before to now.
func (x *execution) suppose(before, now *state, lanes uint64, axis int) *state {
	s := &state{regs: make([]*value, len(now.regs)), local: make(map[uint64][]place)}
	for r := range s.regs {
		s.regs[r] = extrapolate(before.regs[r], now.regs[r], lanes, axis, x.kernel.Regs[r].Type.Bits())
	}
	for g, places := range now.local {
		for _, p := range places {
			if v := extrapolate(find(before.local[g], p.at, p.bytes), p.v, lanes, axis, 8*p.bytes); v.known|v.nonAffine != 0 {
				s.local[g] = append(s.local[g], place{p.at, p.bytes, v})
			}
		}
	}
	return s
}

// extrapolate returns a value that is w in the first iteration along an axis, and changes from one to the next
// as it did from v to w.
func extrapolate(v, w *value, lanes uint64, axis, width int) *value {
	if v == w && !w.moves() || w.known == 0 {
		return w
	}
	u := *w
	u.known &= v.known & lanes
	if w.base == nil {
		u.known &^= v.bits ^ w.bits
		return &u
	}
	for m := u.known; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		a, b := v.lane(lane), w.lane(lane)
		if a.step != b.step || width > 64 {
			u.known &^= 1 << lane
			continue
		}
		if d := (b.base - a.base) & (^uint64(0) >> (64 - width)); d != 0 {
			if u.step[axis] == nil {
				u.step[axis] = make([]alu.Vector, len(u.base))
			}
			set(u.step[axis], lane, d)
		}
	}
	return &u
}

// weakens takes out of what is supposed at the header, and out of the lanes that surely are there, what is not so
// at the end of an iteration. It is false if nothing is.
func (x *execution) weakens(at *state, end *entry, must *uint64) bool {
	axis := ctaAxes + x.level - 1
	changed := *must&^end.must != 0
	*must &= end.must
	check := func(v, w *value, width int) *value {
		if wrong := v.known & end.may &^ v.follows(w, end.may, axis, width); wrong != 0 {
			changed = true
			return v.forget(wrong)
		}
		return v
	}
	for r, v := range at.regs {
		at.regs[r] = check(v, end.state.regs[r], x.kernel.Regs[r].Type.Bits())
	}
	for g, places := range at.local {
		kept := make([]place, 0, len(places))
		for _, p := range places {
			if p.v = check(p.v, find(end.state.local[g], p.at, p.bytes), 8*p.bytes); p.v.known|p.v.nonAffine != 0 {
				kept = append(kept, p)
			}
		}
		at.local[g] = kept
	}
	return changed
}

// follows returns the known lanes in which w is what v is in the next iteration along an axis.
func (v *value) follows(w *value, lanes uint64, axis, width int) uint64 {
	if v == w && v.step[axis] == nil {
		return lanes
	}
	same := uint64(0)
	for m := v.known & w.known & lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if v.base == nil || w.base == nil {
			same |= ^(v.bits ^ w.bits) & (1 << lane)
			continue
		}
		if width > 64 {
			continue
		}
		a, b := v.lane(lane), w.lane(lane)
		if (a.base+a.step[axis]-b.base)&(^uint64(0)>>(64-width)) == 0 && a.step == b.step {
			same |= 1 << lane
		}
	}
	return same
}

// jump executes n iterations at once, with what is known in all of them.
func (x *execution) jump(top *entry, c *loopCount, y *execution, at *state, must uint64, open bool, n int) error {
	y.visitor = x.visitor
	y.box.Iterations[x.level] = n
	x.visitor.Repeat(n)
	if err := y.iterate(at, must, open); err != nil {
		return err
	}
	x.visitor.Repeated()
	x.steps, x.undecided = y.steps, y.undecided
	for i, f := range y.facts {
		x.facts[i].Iterations = max(x.facts[i].Iterations, f.Iterations)
		x.facts[i].Forced = x.facts[i].Forced || f.Forced
	}
	axis := ctaAxes + x.level
	end := y.top()
	if from := y.stack[0].to; from != nil && from.arrived != 0 {
		left := &state{regs: make([]*value, len(from.state.regs)), local: make(map[uint64][]place)}
		for r, v := range from.state.regs {
			left.regs[r] = v.whenever(axis)
		}
		for g, places := range from.state.local {
			for _, p := range places {
				left.local[g] = append(left.local[g], place{p.at, p.bytes, p.v.whenever(axis)})
			}
		}
		top.to.join(left, from.loops, from.arrived)
	}
	top.must, top.may = must&end.must, end.may
	top.state = x.after(top.state, at, top.may, axis, n)
	c.n += n
	c.summarised = c.n
	c.open = open
	x.facts[c.loop].Iterations = max(x.facts[c.loop].Iterations, c.n)
	return nil
}

// whenever returns what is known of a value in an iteration along an axis, whichever it is.
func (v *value) whenever(axis int) *value {
	if v.step[axis] == nil {
		return v
	}
	moves := uint64(0)
	for m := v.known; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros64(m); at(v.step[axis], lane) != 0 {
			moves |= 1 << lane
		}
	}
	u := *v.forget(moves)
	u.step[axis] = nil
	return &u
}

// after returns what is known after n iterations of what is supposed at their beginning. Lanes that are elsewhere
// know what they did.
func (x *execution) after(s, at *state, lanes uint64, axis, n int) *state {
	next := s.clone()
	for r, v := range at.regs {
		next.regs[r] = mix(s.regs[r], v.advanced(axis, n, x.kernel.Regs[r].Type.Bits()), lanes)
	}
	next.forgetLocal(lanes)
	for _, places := range at.local {
		for _, p := range places {
			next.store(p.at, p.bytes, p.v.advanced(axis, n, 8*p.bytes), lanes, lanes, ^uint64(0))
		}
	}
	return next
}

// advanced returns a value after n iterations along an axis.
func (v *value) advanced(axis, n, width int) *value {
	if v.step[axis] == nil {
		return v
	}
	u := *v
	u.base = slices.Clone(v.base)
	for m := v.known; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		set(u.base, lane, (at(v.base, lane)+uint64(n)*at(v.step[axis], lane))&(^uint64(0)>>(64-width)))
	}
	u.step[axis] = nil
	return &u
}

// exits reports whether an instruction retires lanes.
func exits(in *isa.Instr) bool { return in.Op == isa.Ret || in.Op == isa.Exit }

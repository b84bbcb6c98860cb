package absexec

import (
	"math/bits"
	"slices"

	"warpbound/diag"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// guard returns the lanes of the running entry whose guard surely holds, and those
// whose guard may.
func (x *execution) guard(in *isa.Instr) (must, may uint64, err error) {
	mask := x.top().may
	if !in.Guard.Set {
		return mask, mask, nil
	}
	p := x.top().state.regs[in.Guard.Reg]
	if err := x.need(p, mask, forControl); err != nil {
		return 0, 0, err
	}
	holds, known := p.bits, p.known
	if x.kernel.Regs[in.Guard.Reg].Type != isa.Pred {
		if holds, known, err = x.nonzero(p, mask); err != nil {
			return 0, 0, err
		}
	}
	if in.Guard.Not {
		holds = ^holds
	}
	return mask & known & holds, mask & (holds | ^known), nil
}

// nonzero returns the lanes of mask in which a number is not zero, of those in which that is
// known: a guard of kernels whose lanes reconverge at syncs may be a number.
func (x *execution) nonzero(v *value, mask uint64) (holds, known uint64, err error) {
	for m := mask & v.known; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		l := v.lane(lane)
		if l.moves() {
			if c := x.box.halve(l.depends()); x.mayCut(c, forControl) {
				return 0, 0, &cutError{c}
			}
			continue
		}
		known |= 1 << lane
		if l.base != 0 {
			holds |= 1 << lane
		}
	}
	return holds, known, nil
}

// branch executes a direct or indexed branch that the lanes of may take, for certain those of
// must.
func (x *execution) branch(in *isa.Instr, must, may uint64) error {
	top := x.top()
	next := successor{pc: top.pc + 1, may: top.may &^ must}
	var successors []successor
	if in.Op == isa.Bra {
		successors = []successor{{pc: in.Target, may: may}}
	} else {
		index := x.source(top.pc, 0)
		if err := x.need(index, may, forControl); err != nil {
			return err
		}
		if index.moves() {
			if c := x.box.halve(index.depends()); x.mayCut(c, forControl) {
				return &cutError{c}
			}
			index = unknown
		}
		successors = indexed(in.Targets, index, may)
	}
	if in.Guard.Set {
		if i := slices.IndexFunc(successors, func(s successor) bool { return s.pc == next.pc }); i >= 0 {
			successors[i].may |= next.may
		} else {
			successors = append(successors, next)
		}
	}
	return x.follow(successors)
}

// indexed returns the paths of an indexed branch.
func indexed(targets []int, index *value, may uint64) []successor {
	var successors []successor
	for i, t := range targets {
		to := may &^ index.known
		for m := may & index.known; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros64(m); at(index.base, lane) == uint64(i) {
				to |= 1 << lane
			}
		}
		if k := slices.IndexFunc(successors, func(s successor) bool { return s.pc == t }); k >= 0 {
			successors[k].may |= to
		} else {
			successors = append(successors, successor{pc: t, may: to})
		}
	}
	return successors
}

// follow makes the lanes of the running entry go their ways.
func (x *execution) follow(successors []successor) error {
	top := x.top()
	pc := top.pc
	block := x.graph.BlockOf(pc)
	by := x.chosen(x.instr(pc))
	successors = slices.DeleteFunc(successors, func(s successor) bool { return s.may == 0 || x.fails(block, s.pc) })
	successors, err := x.deleteInfeasible(block, successors)
	if err != nil {
		return err
	}
	var all, overlap uint64
	for _, s := range successors {
		overlap |= all & s.may
		all |= s.may
	}
	if err := x.vanish(top.may &^ all); err != nil {
		return err
	}
	for i := range successors {
		successors[i].must = top.must & successors[i].may &^ overlap
	}
	uniform := overlap != 0 && x.config.Uniform != nil && x.config.Uniform(block)
	if uniform {
		successors = slices.DeleteFunc(successors, func(s successor) bool { return top.must&^s.may != 0 })
		for i := range successors {
			successors[i].must = top.must
		}
		by = choice{}
	}
	switch len(successors) {
	case 0:
		return x.vanish(top.may)
	case 1:
		top.must, top.may = successors[0].must, successors[0].may
		return x.transfer(successors[0].pc)
	}
	if overlap != 0 {
		x.open(top, successors)
		if successors = x.unspent(top, successors); len(successors) == 1 {
			top.may = successors[0].may
			return x.transfer(successors[0].pc)
		}
	}
	r := x.reconvergencePoint(block)
	if overlap != 0 && !uniform {
		if w := x.wayFrom(block); w != nil {
			if x.parted = true; x.crowds {
				return x.crowd(w, r)
			}
		}
	}
	x.order(successors)
	waits := func(s successor) bool { return s.pc == r }
	if uniform && !slices.ContainsFunc(successors, waits) {
		return x.alternatives(pc, r, successors)
	}
	from := x.part(r, by)
	for _, s := range successors {
		st := from.state
		if overlap != 0 {
			st = st.clone()
		}
		if uniform {
			s.must = 0
		}
		if err := x.push(from, s, st); err != nil {
			return err
		}
	}
	return nil
}

// fails reports whether every execution that goes from a block to the instruction pc
// fails: the flow graph does not have the edge.
func (x *execution) fails(block, pc int) bool {
	return !slices.Contains(x.graph.Succ(block), x.graph.BlockOf(pc))
}

// deleteInfeasible takes away the paths that no thread goes. If it is certain here that one does, one of the two analyses
// is wrong.
func (x *execution) deleteInfeasible(block int, successors []successor) ([]successor, error) {
	top := x.top()
	var never, feasible uint64
	possible := slices.DeleteFunc(slices.Clone(successors), func(s successor) bool {
		if !x.config.Infeasible[graph.Edge{From: block, To: x.graph.BlockOf(s.pc)}] {
			feasible |= s.may
			return false
		}
		never |= s.may
		return true
	})
	if wrong := never &^ feasible; top.must&wrong != 0 && x.alternative == 0 {
		in := x.instr(top.pc)
		return nil, diag.Errorf(in.Pos, "internal error: kernel %s: warp %d of the CTAs %s surely goes a way behind %s that no thread goes",
			x.kernel.Readable(), x.warp, x.box, x.kernel.Format(in))
	}
	return possible, nil
}

// vanish takes lanes out of the running entry, because an execution in which they are
// there fails. If they surely are there, that is an error.
func (x *execution) vanish(lanes uint64) error {
	top := x.top()
	if top.must&lanes != 0 && x.alternative == 0 {
		in := x.instr(top.pc)
		return diag.Errorf(in.Pos, "kernel %s fails in warp %d of the CTAs %s: %s", x.kernel.Readable(), x.warp, x.box, x.kernel.Format(in))
	}
	top.may &^= lanes
	top.must &^= lanes
	return nil
}

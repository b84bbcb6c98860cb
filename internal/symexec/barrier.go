package symexec

import (
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// barrier is a barrier of the CTA that runs, at which threads have arrived.
type barrier struct {
	id      uint64
	expect  int  // threads that it takes; 0 for all that have not ended
	atMost  bool // it takes no more than those that have not ended
	arrived int
	waiting []int       // threads
	votes   []*smt.Term // of a reduction
}

// arrive executes an arrival at a barrier: the sources are its number, the number of threads if
// it is given, and the predicate of a reduction.
func (s *state) arrive(in *isa.Instr) error {
	const barriers = 16 // of a CTA
	remaining := in.Src
	reduces := in.Barrier == isa.BarrierRedPopc || in.Barrier == isa.BarrierRedAnd || in.Barrier == isa.BarrierRedOr
	var vote *smt.Term
	if reduces && len(remaining) > 1 {
		v, err := s.operand(in, remaining[len(remaining)-1])
		if err != nil {
			return err
		}
		vote, remaining = s.x.boolean(v), remaining[:len(remaining)-1]
	}
	if !reduces && in.Barrier != isa.BarrierSync && in.Barrier != isa.BarrierArrive || len(remaining) == 0 || len(remaining) > 2 {
		return s.x.unsupported(in)
	}
	var numbers [2]uint64
	for i, o := range remaining {
		v, err := s.operand(in, o)
		if err != nil {
			return err
		}
		numbers[i] = s.pin(v)
	}
	id, expect := numbers[0], numbers[1]
	first, end := s.members()
	at := slices.IndexFunc(s.barriers, func(b barrier) bool { return b.id == id })
	switch {
	case id >= barriers:
		s.fault = diag.Errorf(in.Pos, "%s is at barrier %d, and those of a CTA are 0 to %d", s.x.text(in), id, barriers-1)
		return nil
	case len(remaining) == 2 && (expect == 0 || expect > uint64(s.x.launch.Warps()*s.x.launch.Width())):
		s.fault = diag.Errorf(in.Pos, "%s is for %d threads, which no CTA of the launch has", s.x.text(in), expect)
		return nil
	}
	// Of a barrier for some threads, those that do not run here have arrived.
	count := int(min(expect, uint64(end-first)))
	if at < 0 {
		at = len(s.barriers)
		s.barriers = append(slices.Clip(s.barriers), barrier{id: id, expect: count, atMost: s.x.launch.Kernel().Reconvergence == isa.AtSyncs})
	} else if s.barriers[at].expect != count {
		s.fault = diag.Errorf(in.Pos, "%s is for another number of threads than that with which others arrived", s.x.text(in))
		return nil
	}
	b, t := &s.barriers[at], s.now()
	b.arrived++
	t.barriers = t.barriers.with(t.outcomes.len())
	t.pc++
	if in.Barrier != isa.BarrierArrive {
		b.waiting = append(slices.Clip(b.waiting), s.at)
		t.waits = in
	}
	if vote != nil {
		b.votes = append(slices.Clip(b.votes), vote)
	}
	s.settle(at)
	if s.now().waits != nil {
		s.pass()
	}
	return nil
}

// settle lets the threads at a barrier go if it has what it takes.
func (s *state) settle(at int) {
	b := &s.barriers[at]
	first, end := s.members()
	live := 0
	for i := first; i < end; i++ {
		if !s.threads[i].ended {
			live++
		}
	}
	expect := b.expect
	switch {
	case expect == 0:
		expect = live
	case b.atMost:
		expect = min(expect, live)
	}
	if b.arrived >= expect {
		s.release(at)
	}
}

// release lets the threads at a barrier go.
func (s *state) release(at int) {
	b := s.barriers[at]
	s.barriers = slices.Delete(slices.Clone(s.barriers), at, at+1)
	for _, i := range b.waiting {
		t := &s.threads[i]
		in := t.waits
		t.waits = nil
		if len(in.Dst) > 0 && in.Dst[0].Kind == isa.KindReg {
			s.talks = s.talks || len(b.votes) > 1
			t.regs = slices.Clone(t.regs)
			t.regs[in.Dst[0].Reg] = s.reduced(in, b.votes)
		}
	}
}

// reduced returns what a reduction makes of votes.
func (s *state) reduced(in *isa.Instr, votes []*smt.Term) *smt.Term {
	b := s.x.b
	all, any := b.Truth(true), b.Truth(false)
	const wide = 32
	count := b.Number(wide, 0)
	for _, v := range votes {
		all, any = b.And(all, v), b.Or(any, v)
		count = b.Add(count, b.ZeroExt(b.Ite(v, b.Number(1, 1), b.Number(1, 0)), wide))
	}
	switch in.Barrier {
	case isa.BarrierRedAnd:
		return all
	case isa.BarrierRedOr:
		return any
	}
	return fit(b, count, s.x.launch.Kernel().Regs[in.Dst[0].Reg].Type.Bits())
}

package symexec

import (
	"math/bits"
	"slices"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// Exchanges reports whether lanes of a warp wait for each other in a kernel, or get what others of
// their warp have, by an operation on several lanes that is followed: then paths are known only of
// all lanes of a warp together.
func Exchanges(k *isa.Kernel) bool {
	return slices.ContainsFunc(k.Instrs, func(in isa.Instr) bool { return ofLanes(in.Op) })
}

// ofLanes reports whether an operation on several lanes is followed.
func ofLanes(op isa.Op) bool {
	switch op {
	case isa.Shfl, isa.Vote, isa.Match, isa.Redux, isa.Elect, isa.Activemask, isa.BarWarp:
		return true
	}
	return false
}

// memberSource returns which source of an operation on several lanes is the mask of those that take
// part, if the instruction has as many.
func memberSource(op isa.Op) int {
	switch op {
	case isa.Shfl:
		return 3
	case isa.Elect, isa.BarWarp:
		return 0
	}
	return 1
}

// collective is an operation on several lanes for which a thread waits. Threads with the same one
// execute it together.
type collective struct {
	in      *isa.Instr
	members uint64 // lanes that take part unless they have ended
	named   bool   // by the instruction; if not, those take part that come to it together
	open    int    // see openOutcomes
}

// unnamed reports whether it is an operation that names no lanes.
func (c collective) unnamed() bool { return c.in != nil && !c.named }

// openOutcomes numbers in which outcomes of branches a thread is: those that it took and behind
// which it has not come to where the branch reconverges. Lanes of a warp that come to an
// instruction are there together, as in the emulator, if they are in the same ones. Zero stands for
// none.
type openOutcomes struct {
	reconverge []int // where the branch at an instruction does; negative if it does not
	all        []openOutcome
	numbers    map[openOutcome]int
}

// openOutcome is the innermost of the outcomes in which a thread is.
type openOutcome struct {
	outer int
	BranchOutcome
}

func newOpenOutcomes(k *isa.Kernel) (*openOutcomes, error) {
	g, err := cfg.Build(k)
	if err != nil {
		return nil, err
	}
	o := &openOutcomes{all: make([]openOutcome, 1), numbers: make(map[openOutcome]int)}
	for pc := range k.Instrs {
		at := -1
		if r := g.Reconverge(g.BlockOf(pc)); r != g.Exit() {
			at = g.Blocks[r].Start
		}
		o.reconverge = append(o.reconverge, at)
	}
	return o, nil
}

// with returns the number of some outcomes and one that is taken in them.
func (o *openOutcomes) with(number int, taken BranchOutcome) int {
	inner := openOutcome{number, taken}
	n, known := o.numbers[inner]
	if !known {
		n = len(o.all)
		o.all, o.numbers[inner] = append(o.all, inner), n
	}
	return n
}

// closed returns the number of those outcomes that are left where a thread comes to an instruction.
func (o *openOutcomes) closed(number, pc int) int {
	for number != 0 && o.reconverge[o.all[number].Branch] == pc {
		number = o.all[number].outer
	}
	return number
}

// joinLanes lets the thread that runs wait for the lanes with which it executes an operation. The
// last of them executes it for all.
func (s *state) joinLanes(in *isa.Instr) error {
	if s.x.launch.Width() > indexWidth {
		return s.x.unsupported(in)
	}
	t, at := s.now(), s.x.Threads[s.at]
	if s.x.linear(at) != nil {
		s.unfollowed = diag.Errorf(in.Pos, "%s takes lanes together, and one thread is explored that may be any one",
			s.x.text(in))
		return nil
	}
	c := collective{in: in, members: s.x.launch.Threads(at.Warp), open: t.open}
	var sources []*smt.Term
	for i, o := range in.Src {
		v, err := s.operand(in, o)
		if err != nil {
			return err
		}
		if i == memberSource(in.Op) {
			named := s.pin(fit(s.x.b, v, indexWidth))
			if named>>at.Lane&1 == 0 {
				s.fault = diag.Errorf(in.Pos, "%s: the thread in lane %d takes part and is not named in the "+
					"member mask 0x%x", s.x.text(in), at.Lane, named)
				return nil
			}
			c.members, c.named = c.members&named, true
			continue
		}
		sources = append(sources, v)
	}
	warp := s.x.warps[s.at]
	for lanes := c.members; lanes != 0; lanes &= lanes - 1 {
		if lane := bits.TrailingZeros64(lanes); warp[lane] < 0 {
			s.unfollowed = diag.Errorf(in.Pos, "%s takes lanes together, and lane %d of warp %d is not explored",
				s.x.text(in), lane, at.Warp)
			return nil
		}
	}
	t.pc++
	t.waits, t.together, t.sources = in, c, sources
	s.settleLanes(s.at)
	if t.waits != nil {
		s.pass()
	}
	return nil
}

// settleLanes lets a thread and those that wait with it execute their operation if no other lane
// that takes part is still to come.
func (s *state) settleLanes(i int) {
	present, warp := s.presentLanes(i), s.x.warps[i]
	for lanes := s.threads[i].together.members &^ present; lanes != 0; lanes &= lanes - 1 {
		if !s.threads[warp[bits.TrailingZeros64(lanes)]].ended {
			return
		}
	}
	s.exchange(i, present)
}

// presentLanes returns the lanes that wait to execute what a thread waits to execute, together with
// it.
func (s *state) presentLanes(i int) (lanes uint64) {
	for lane, other := range s.x.warps[i] {
		if other >= 0 && s.threads[other].together == s.threads[i].together {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// exchange executes an operation that a thread waits to execute, for some lanes of its warp.
func (s *state) exchange(i int, lanes uint64) {
	in, warp := s.threads[i].together.in, s.x.warps[i]
	e := &exchange{lifter: lifter{b: s.x.b, in: in, width: in.Type.Bits()}, mask: lanes}
	for lane, other := range warp {
		if lanes>>lane&1 == 1 {
			e.lanes = append(e.lanes, lane)
			e.sources = append(e.sources, s.threads[other].sources)
		}
	}
	s.talks = s.talks || len(e.lanes) > 1 && len(in.Dst) > 0
	result := e.results()
	for n, lane := range e.lanes {
		t := &s.threads[warp[lane]]
		t.waits, t.together, t.sources = nil, collective{}, nil
		t.regs = slices.Clone(t.regs)
		values, doubt := result(n)
		s.doubt(doubt)
		for k, o := range in.Dst {
			if o.Kind == isa.KindReg {
				if values[k].Sort() != smt.Bool {
					values[k] = e.fit(values[k], s.x.launch.Kernel().Regs[o.Reg].Type.Bits())
				}
				t.regs[o.Reg] = values[k]
			}
		}
	}
}

// settleStuck is for threads of a CTA of which none can go on. Those of a warp that wait for an
// operation which names no lanes then execute it without others. It reports whether there are some.
// If they wait for several, it depends on the order in which diverged lanes run who takes part, and
// the path is not followed; nor is it if lanes wait for others that are elsewhere, since on
// machines that schedule threads independently they may execute the operation at several
// instructions.
func (s *state) settleStuck(first, end int) bool {
	for i := first; i < end; i++ {
		c := s.threads[i].together
		if !c.unnamed() {
			continue
		}
		present := s.presentLanes(i)
		for lane, other := range s.x.warps[i] {
			if other >= 0 && present>>lane&1 == 0 && s.threads[other].together.unnamed() {
				s.unfollowed = diag.Errorf(c.in.Pos, "%s names no lanes, and those of the warp have diverged "+
					"and come to several such instructions", s.x.text(c.in))
				return true
			}
		}
		s.exchange(i, present)
		return true
	}
	for i := first; i < end; i++ {
		if c := s.threads[i].together; c.in != nil {
			s.unfollowed = diag.Errorf(c.in.Pos, "%s waits for lanes that have diverged, and the machine decides whether "+
				"they can take part where they are", s.x.text(c.in))
			return true
		}
	}
	return false
}

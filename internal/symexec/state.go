package symexec

import (
	"slices"

	"warpbound/internal/diag"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// state is a path as far as it has been executed.
type state struct {
	x      *explorer
	pc     int
	regs   []*smt.Term
	memory []*smt.Term // by region
	path   []*smt.Term // the path condition
	model  *smt.Model  // for which the path condition holds; nil while it waits
	memo   *smt.Evaluator

	steps    int
	sides    []Side
	barriers []int
	ended    bool
	fault    error

	first Side // of a path that waits: the side that it takes first, if it is one
}

// start returns the state in which the kernel is entered.
func (x *explorer) start() *state {
	s := &state{x: x, memory: slices.Clone(x.initial), model: smt.NewModel()}
	for _, r := range x.launch.Kernel().Regs {
		switch {
		case r.Type == isa.Pred:
			s.regs = append(s.regs, x.b.Truth(false))
		case r.Type.Bits() > smt.MaxWidth:
			s.regs = append(s.regs, nil) // what uses it is not supported
		default:
			s.regs = append(s.regs, x.b.Number(r.Type.Bits(), 0))
		}
	}
	for _, i := range x.Indices {
		s.assume(x.b.Ult(x.index(i), x.b.Number(i.Register.Bits(), i.Below)))
	}
	return s
}

// index returns the variable of a symbolic special register.
func (x *explorer) index(i Index) *smt.Term { return x.b.Var(i.Name(), smt.Bits(i.Register.Bits())) }

// eval returns an evaluator under the state's model.
func (s *state) eval() *smt.Evaluator {
	if s.memo == nil {
		s.memo = smt.NewEvaluator(s.model)
	}
	return s.memo
}

// assume adds what holds for the state's model to its path condition.
func (s *state) assume(c *smt.Term) {
	if _, isConst := c.Const(); !isConst {
		s.path = append(s.path, c)
	}
}

// fork makes a path wait that differs in a condition, and goes on at pc.
func (s *state) fork(c *smt.Term, pc int, first Side) {
	if v, isConst := c.Const(); isConst && v == 0 {
		return
	}
	other := *s
	other.pc, other.first = pc, first
	other.model, other.memo = nil, nil
	other.regs, other.memory = slices.Clone(s.regs), slices.Clone(s.memory)
	other.path = append(slices.Clip(s.path), c)
	other.sides, other.barriers = slices.Clip(s.sides), slices.Clip(s.barriers)
	s.x.waiting = append(s.x.waiting, &other)
}

// retry makes a path wait that executes the instruction anew under another condition.
func (s *state) retry(c *smt.Term) {
	again := *s
	again.steps--
	again.fork(c, s.pc, Side{})
}

// constant returns the value of a source that no instruction assigns.
func (s *state) constant(o isa.Operand) (uint64, bool) {
	t := s.x.thread
	return s.x.launch.Constant(o, t.CTA, t.Warp, t.Lane)
}

// operand returns the value of a source.
func (s *state) operand(in *isa.Instr, o isa.Operand) (*smt.Term, error) {
	b := s.x.b
	switch o.Kind {
	case isa.KindReg:
		v := s.regs[o.Reg]
		if v == nil {
			return nil, s.x.unsupported(in)
		}
		if o.Not {
			return b.Not(v), nil
		}
		return v, nil
	case isa.KindParam:
		p := &s.x.launch.Kernel().Params[o.Var]
		if p.Bytes > 8 {
			return nil, s.x.unsupported(in)
		}
		return s.load(0, b.Number(indexBits, uint64(p.Offset)), p.Bytes), nil
	}
	for _, i := range s.x.Indices {
		if o.Kind == isa.KindSpecial && o.Special == i.Register {
			return s.x.index(i), nil
		}
	}
	value, ok := s.constant(o)
	if !ok {
		return nil, s.x.unsupported(in)
	}
	return b.Number(64, value), nil
}

// guard returns whether an instruction is executed.
func (s *state) guard(in *isa.Instr) *smt.Term {
	b := s.x.b
	if !in.Guard.Set {
		return b.Truth(true)
	}
	g := s.regs[in.Guard.Reg]
	if g.Sort() != smt.Bool {
		g = b.Not(b.Eq(g, b.Number(g.Width(), 0)))
	}
	if in.Guard.Not {
		return b.Not(g)
	}
	return g
}

// step executes one instruction.
func (s *state) step() error {
	in := &s.x.launch.Kernel().Instrs[s.pc]
	for _, o := range in.Dst {
		if o.Kind == isa.KindReg && s.regs[o.Reg] == nil {
			return s.x.unsupported(in)
		}
	}
	s.steps++
	g := s.guard(in)
	switch {
	case in.Op == isa.Bra:
		s.branch(g, in.Target)
		return nil
	case s.x.launch.Pure(s.pc):
		s.pc++
		return s.compute(in, g)
	case !s.decide(g):
		s.take(Side{Branch: s.pc, Target: s.pc + 1})
		s.pc++
		return nil
	}
	err := s.effect(in)
	if s.fault != nil { // the path ends before it
		s.steps--
	}
	return err
}

// branch takes the side of the model, and lets the other wait.
func (s *state) branch(taken *smt.Term, target int) {
	at, next := s.pc, s.pc+1
	if _, isConst := taken.Const(); isConst && target == next {
		s.pc = next
		return
	}
	other := s.x.b.Not(taken)
	if s.eval().Eval(taken) == 1 {
		taken, other, target, next = other, taken, next, target
	}
	// The model takes other, to next.
	s.fork(taken, target, Side{Branch: at, Target: target})
	s.assume(other)
	s.pc = next
	s.take(Side{Branch: at, Target: next})
}

// take notes a side, if it is one of several.
func (s *state) take(side Side) {
	if s.x.sides[side] {
		s.sides = append(s.sides, side)
	}
}

// decide returns whether a condition holds for the model, and lets the paths wait for which
// it does not.
func (s *state) decide(c *smt.Term) bool {
	holds := s.eval().Eval(c) == 1
	if !holds {
		c = s.x.b.Not(c)
	}
	s.retry(s.x.b.Not(c))
	s.assume(c)
	return holds
}

// compute executes an instruction that only writes registers.
func (s *state) compute(in *isa.Instr, guard *smt.Term) error {
	b, regs := s.x.b, s.x.launch.Kernel().Regs
	var src []*smt.Term
	for _, o := range in.Src {
		v, err := s.operand(in, o)
		if err != nil {
			return err
		}
		src = append(src, v)
	}
	widths := make([]int, len(in.Dst))
	for i, o := range in.Dst {
		widths[i] = smt.MaxWidth
		if o.Kind == isa.KindReg {
			widths[i] = regs[o.Reg].Type.Bits()
		}
	}
	results, ok := Lift(b, in, src, widths)
	if !ok {
		return s.x.unsupported(in)
	}
	for i, o := range in.Dst {
		if o.Kind == isa.KindReg {
			s.regs[o.Reg] = b.Ite(guard, results[i], s.regs[o.Reg])
		}
	}
	return nil
}

// effect executes an instruction that does more than write registers.
func (s *state) effect(in *isa.Instr) error {
	switch in.Op {
	case isa.Ret, isa.Exit:
		s.ended = true
	case isa.Trap:
		s.fault = diag.Errorf(in.Pos, "%s ends the run", in)
	case isa.Bar:
		if in.Barrier != isa.BarrierSync {
			return s.x.unsupported(in)
		}
		s.barriers = append(s.barriers, len(s.sides))
		s.pc++
	case isa.Fence, isa.Nop, isa.Prefetch, isa.Reconverge, isa.Split, isa.Merge:
		s.pc++
	case isa.BrxIdx:
		return s.choose(in)
	case isa.Ld, isa.St, isa.Atom, isa.Red:
		if err := s.access(in); err != nil || s.fault != nil {
			return err
		}
		s.pc++
	default:
		return s.x.unsupported(in)
	}
	return nil
}

// choose takes the target of a branch by index that the model takes.
func (s *state) choose(in *isa.Instr) error {
	b := s.x.b
	index, err := s.operand(in, in.Src[0])
	if err != nil {
		return err
	}
	at, n := s.pc, int(s.eval().Eval(index))
	inRange := b.Ult(b.ZeroExt(index, indexBits), b.Number(indexBits, uint64(len(in.Targets))))
	if n >= len(in.Targets) {
		s.retry(inRange)
		s.assume(b.Not(inRange))
		s.fault = diag.Errorf(in.Pos, "%s has no target %d", in, n)
		return nil
	}
	s.retry(b.Not(inRange))
	for _, side := range sidesOf(at, in) {
		if side.Target == in.Targets[n] {
			continue
		}
		leads := b.Truth(false)
		for i, target := range in.Targets {
			if target == side.Target {
				leads = b.Or(leads, b.Eq(index, b.Number(index.Width(), uint64(i))))
			}
		}
		s.fork(leads, side.Target, side)
		s.assume(b.Not(leads))
	}
	s.assume(inRange)
	s.pc = in.Targets[n]
	s.take(Side{Branch: at, Target: s.pc})
	return nil
}

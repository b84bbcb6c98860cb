package symexec

import (
	"cmp"
	"slices"

	"warpbound/diag"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// state is a path as far as it has been executed.
type state struct {
	x        *explorer
	threads  []thread
	at       int // the thread that runs
	barriers []barrier
	memory   []contents // by region
	path     *chain[condition]
	assumed  trie[bool] // by term: what the path condition says
	reads    *chain[Read]
	doubts   *chain[*smt.Term] // conditions under which results on the path are unsettled
	writers  trie[int]         // the thread that last wrote a byte; only if there are several
	talks    bool              // a thread got what another had written
	model    *smt.Model        // for which the path condition holds; while it waits, all but its last part
	memo     *smt.Evaluator

	done              bool // all threads have ended
	fault, unfollowed error

	trunk  *trunk        // the path that is followed; of one that waits, that which it leaves
	forked bool          // the model is not known to satisfy the last part of the path condition
	first  BranchOutcome // of a path that waits: the outcome that it takes first, if it is one
}

// condition is a part of the path condition.
type condition struct {
	term   *smt.Term
	thread int // of which it came; negative if of none
	ranges bool
}

// start returns the state in which the kernel is entered.
func (x *explorer) start() *state {
	s := &state{x: x, at: -1, memory: make([]contents, len(x.regions)), model: cmp.Or(x.first, smt.NewModel())}
	var regs []*smt.Term
	for _, r := range x.launch.Kernel().Regs {
		switch {
		case r.Type == isa.Pred:
			regs = append(regs, x.b.Truth(false))
		case r.Type.Bits() > smt.MaxWidth:
			regs = append(regs, nil) // what uses it is not supported
		default:
			regs = append(regs, x.b.Number(r.Type.Bits(), 0))
		}
	}
	for range x.Threads {
		s.threads = append(s.threads, thread{regs: slices.Clone(regs)})
	}
	for _, i := range x.Indices {
		s.assume(x.b.Ult(x.index(i), x.b.Number(i.Register.Bits(), i.Below)))
	}
	for _, r := range x.Params {
		for at := 0; r.Element != (Element{}) && at < r.Bytes; at += r.Element.Bytes {
			s.restrict(parameters, x.b.Number(indexBits, uint64(r.Offset+at)), r.Element)
		}
	}
	s.relate()
	s.at = 0
	return s
}

// found returns the path that was executed to its end.
func (s *state) found() Path {
	p := Path{
		Model: s.model, Fault: s.fault, Unfollowed: s.unfollowed, Communicates: s.talks, Threads: make([]ThreadPath, len(s.threads)),
		doubts: s.doubts.list(),
	}
	for i := range s.threads {
		t := &s.threads[i]
		p.Threads[i] = ThreadPath{Instructions: t.steps, Outcomes: t.outcomes.list(), Barriers: t.barriers.list()}
	}
	for i, c := range s.path.list() {
		p.Formula = append(p.Formula, c.term)
		if c.ranges {
			p.Ranges = append(p.Ranges, i)
		}
		if c.thread >= 0 {
			t := &p.Threads[c.thread]
			t.Conditions = append(t.Conditions, i)
		}
	}
	seen := make(map[Read]bool)
	for _, r := range s.reads.list() {
		if !seen[r] {
			seen[r] = true
			r.At = s.eval().Eval(r.Offset)
			p.Reads = append(p.Reads, r)
		}
	}
	return p
}

// conditions returns the path condition.
func (s *state) conditions() []*smt.Term {
	var terms []*smt.Term
	for _, c := range s.path.list() {
		terms = append(terms, c.term)
	}
	return terms
}

// eval returns an evaluator under the state's model.
func (s *state) eval() *smt.Evaluator {
	if s.memo == nil {
		s.memo = smt.NewEvaluator(s.model)
	}
	return s.memo
}

// assume adds what holds for the state's model to its path condition.
func (s *state) assume(c *smt.Term) {
	if _, isConst := c.Const(); !isConst && !s.known(c) {
		s.path = s.path.with(condition{term: c, thread: s.at})
		s.assumed = s.assumed.with(uint64(c.ID()), true)
	}
}

// known reports whether a condition is a part of the path condition.
func (s *state) known(c *smt.Term) bool {
	_, found := s.assumed.get(uint64(c.ID()))
	return found
}

// fork makes a path wait that differs in a condition, and goes on at pc.
func (s *state) fork(c *smt.Term, pc int, first BranchOutcome) {
	if v, isConst := c.Const(); isConst && v == 0 || s.known(s.x.b.Not(c)) {
		return
	}
	other := *s
	other.forked, other.first, other.memo = true, first, nil
	other.threads, other.barriers, other.memory = slices.Clone(s.threads), slices.Clone(s.barriers), slices.Clone(s.memory)
	other.now().pc = pc
	other.now().regs = slices.Clone(s.now().regs)
	other.path = s.path.with(condition{term: c, thread: s.at})
	other.assumed = s.assumed.with(uint64(c.ID()), true)
	s.x.wait(&other)
}

// retry makes a path wait that executes the instruction anew under another condition.
func (s *state) retry(c *smt.Term) {
	if s.known(s.x.b.Not(c)) {
		return
	}
	again := *s
	again.threads = slices.Clone(s.threads)
	again.now().steps--
	again.fork(c, s.now().pc, BranchOutcome{})
}

// pin returns the number that a term is for the state's model, and lets the paths wait for
// which it is another.
func (s *state) pin(t *smt.Term) uint64 {
	if value, isConst := t.Const(); isConst {
		return value
	}
	value := s.eval().Eval(t)
	is := s.x.b.Eq(t, s.x.b.Number(t.Width(), value))
	s.retry(s.x.b.Not(is))
	s.assume(is)
	return value
}

// constant returns the value of a source that no instruction assigns.
func (s *state) constant(o isa.Operand) (uint64, bool) {
	t := s.x.Threads[s.at]
	return s.x.launch.Constant(o, t.CTA, t.Warp, t.Lane)
}

// operand returns the value of a source.
func (s *state) operand(in *isa.Instr, o isa.Operand) (*smt.Term, error) {
	b := s.x.b
	switch o.Kind {
	case isa.KindReg:
		v := s.now().regs[o.Reg]
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
		return s.load(parameters, b.Number(indexBits, uint64(p.Offset)), p.Bytes), nil
	}
	if o.Kind == isa.KindSpecial {
		if v, ok := s.x.special(o.Special, s.x.Threads[s.at]); ok {
			return v, nil
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
	g := s.x.boolean(s.now().regs[in.Guard.Reg])
	if in.Guard.Not {
		return b.Not(g)
	}
	return g
}

// step executes one instruction.
func (s *state) step() error {
	t := s.now()
	in := &s.x.launch.Kernel().Instrs[t.pc]
	if s.x.open != nil {
		t.open = s.x.open.closed(t.open, t.pc)
	}
	for _, o := range in.Dst {
		if o.Kind == isa.KindReg && s.now().regs[o.Reg] == nil {
			return s.x.unsupported(in)
		}
	}
	t.steps++
	g := s.guard(in)
	switch {
	case in.Op == isa.Bra:
		s.branch(g, in.Target)
		return nil
	case s.x.launch.Pure(t.pc) && !ofLanes(in.Op):
		err := s.compute(in, g)
		t.pc++
		return err
	case !s.decide(g):
		s.take(BranchOutcome{Branch: t.pc, Target: t.pc + 1})
		t.pc++
		return nil
	}
	before := t.barriers
	err := s.effect(in)
	if s.fault != nil || s.unfollowed != nil { // the path ends before it
		t.steps--
		t.barriers = before
	}
	return err
}

// branch takes the outcome of the model, and lets the other wait.
func (s *state) branch(taken *smt.Term, target int) {
	at, next := s.now().pc, s.now().pc+1
	if _, isConst := taken.Const(); isConst && target == next {
		s.now().pc = next
		return
	}
	other := s.x.b.Not(taken)
	if s.eval().Eval(taken) == 1 {
		taken, other, target, next = other, taken, next, target
	}
	// The model takes other, to next.
	if s.turn(taken, BranchOutcome{Branch: at, Target: target}, BranchOutcome{Branch: at, Target: next}) {
		taken, other, target, next = other, taken, next, target
	}
	s.fork(taken, target, BranchOutcome{Branch: at, Target: target})
	s.assume(other)
	s.now().pc = next
	s.take(BranchOutcome{Branch: at, Target: next})
}

// take notes an outcome, if it is one of several.
func (s *state) take(outcome BranchOutcome) {
	if s.x.outcomes[outcome] {
		t := s.now()
		t.outcomes, t.marks = t.outcomes.with(outcome), t.marks.with(t.steps)
		if s.x.open != nil {
			t.open = s.x.open.with(t.open, outcome)
		}
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
	results, ok := lift(b, in, src, widths)
	if c := unsettled(b, in, src); c != nil {
		s.doubt(b.And(guard, c))
	}
	switch {
	case ok:
	case in.Op.Info().Effect&isa.Crosslane != 0:
		return s.x.unsupported(in)
	case !s.decide(guard):
		return nil
	default:
		var err error
		if results, err = s.evaluate(in, src, widths); err != nil {
			return err
		}
		guard = b.Truth(true)
	}
	for i, o := range in.Dst {
		if o.Kind == isa.KindReg {
			s.now().regs[o.Reg] = b.Ite(guard, results[i], s.now().regs[o.Reg])
		}
	}
	return nil
}

// doubt notes a condition under which a result on the path is unsettled.
func (s *state) doubt(c *smt.Term) {
	if v, isConst := c.Const(); !isConst || v == 1 {
		s.doubts = s.doubts.with(c)
	}
}

// evaluate returns the results of an instruction without a meaning as a formula, such as an approximation:
// those for the sources of the state's model. Other sources are other paths.
func (s *state) evaluate(in *isa.Instr, src []*smt.Term, widths []int) ([]*smt.Term, error) {
	var known, results []alu.Lanes
	for _, t := range src {
		x := s.pin(t)
		known = append(known, alu.Lanes{Num: []alu.Vector{{x}}, Bits: x & 1})
	}
	for range in.Dst {
		results = append(results, alu.Lanes{Num: make([]alu.Vector, 1)})
	}
	doubtful, err := s.x.launch.Evaluator().Eval(s.now().pc, 1, results, known)
	if err != nil {
		return nil, err
	}
	s.doubt(s.x.b.Truth(doubtful != 0))
	var terms []*smt.Term
	for i, r := range results {
		t := s.x.b.Number(widths[i], r.Num[0][0])
		if widths[i] == 1 {
			t = s.x.b.Truth(r.Bits&1 == 1)
		}
		terms = append(terms, t)
	}
	return terms, nil
}

// effect executes an instruction that does more than write registers.
func (s *state) effect(in *isa.Instr) error {
	t := s.now()
	switch in.Op {
	case isa.Ret, isa.Exit:
		s.end()
	case isa.Trap:
		s.fault = diag.Errorf(in.Pos, "%s ends the run", s.x.text(in))
	case isa.Bar:
		return s.arrive(in)
	case isa.Shfl, isa.Vote, isa.Match, isa.Redux, isa.Elect, isa.Activemask, isa.BarWarp:
		return s.joinLanes(in)
	case isa.Fence, isa.Nop, isa.Prefetch, isa.Reconverge, isa.Split, isa.Merge:
		t.pc++
	case isa.BrxIdx:
		return s.choose(in)
	case isa.Ld, isa.St, isa.Atom, isa.Red:
		if err := s.access(in); err != nil || s.fault != nil {
			return err
		}
		t.pc++
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
	at, n := s.now().pc, int(s.eval().Eval(index))
	inRange := b.Ult(b.ZeroExt(index, indexBits), b.Number(indexBits, uint64(len(in.Targets))))
	if n >= len(in.Targets) {
		s.retry(inRange)
		s.assume(b.Not(inRange))
		s.fault = diag.Errorf(in.Pos, "%s has no target %d", s.x.text(in), n)
		return nil
	}
	s.retry(b.Not(inRange))
	for _, outcome := range outcomesOf(at, in) {
		if outcome.Target == in.Targets[n] {
			continue
		}
		leads := b.Truth(false)
		for i, target := range in.Targets {
			if target == outcome.Target {
				leads = b.Or(leads, b.Eq(index, b.Number(index.Width(), uint64(i))))
			}
		}
		s.fork(leads, outcome.Target, outcome)
		s.assume(b.Not(leads))
	}
	s.assume(inRange)
	s.now().pc = in.Targets[n]
	s.take(BranchOutcome{Branch: at, Target: s.now().pc})
	return nil
}

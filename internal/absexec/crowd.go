package absexec

import (
	"math/bits"
	"slices"

	"warpbound/internal/isa"
	"warpbound/internal/saturating"
)

// This file bounds what lanes do that part at a branch in a loop and reconverge behind the loop only, because a break lies between
// them:
//
//	for (j = 0; j < n; j++) {
//		if (a[j] < limit)     // lanes that part here meet behind the loop: some may leave at the break
//			continue;
//		if (b[j] == 0)
//			break;
//	}
//
// Whoever parts there goes on alone, and parts again in the next iteration. An execution that follows both ways of each branch
// follows exponentially many paths, where a warp has not more than lanes. So what all of them execute up to the reconvergence point is
// bounded by what each lane executes by itself: the blocks on the way, each as often as the bounds of the loops allow. A way that
// several lanes go together costs no more than if each went it alone.

// way is what lies between a branch and its reconvergence point.
type way struct {
	blocks  []int        // in ascending order
	loops   map[int]bool // in the forest: those whose header is on the way
	written []isa.Reg
}

// wayFrom returns the way from the branch at the end of a block if lanes may come to the branch again on it whichever of several ways
// they go, and can be taken one by one. Else it is nil: where only one way leads back, as in a loop without further branches, paths
// do not multiply.
func (x *Executor) wayFrom(block int) *way {
	w, ok := x.ways[block]
	if !ok {
		if w = x.returnsTo(block); w != nil && !x.separable(w) {
			w = nil
		}
		x.ways[block] = w
	}
	return w
}

// returnsTo returns the way from the branch at the end of a block to its reconvergence point, or to the end of the kernel, if lanes
// may come to the branch again on it from several successors; else it is nil.
func (x *Executor) returnsTo(block int) *way {
	end := x.graph.Reconverge(block)
	on := make(map[int]bool)
	var queue []int
	enter := func(b int) {
		if b != end && b != x.graph.Exit() && !on[b] {
			on[b] = true
			queue = append(queue, b)
		}
	}
	for b := block; ; b, queue = queue[0], queue[1:] {
		for _, to := range x.graph.Succ(b) {
			enter(to)
		}
		if len(queue) == 0 {
			break
		}
	}
	if !x.severalLead(block, on) {
		return nil
	}
	w := &way{loops: make(map[int]bool)}
	for b := range on {
		w.blocks = append(w.blocks, b)
		for pc := x.graph.Blocks[b].Start; pc < x.graph.Blocks[b].End; pc++ {
			for _, o := range x.kernel.Instrs[pc].Dst {
				if o.Kind == isa.KindReg {
					w.written = append(w.written, o.Reg)
				}
			}
		}
	}
	slices.Sort(w.written)
	w.written = slices.Compact(w.written)
	slices.Sort(w.blocks)
	for i := range x.graph.Loops().Loops {
		if on[x.graph.Loops().Loops[i].Header] {
			w.loops[i] = true
		}
	}
	return w
}

// severalLead reports whether several successors of a block lead back to it within some blocks.
func (x *Executor) severalLead(block int, on map[int]bool) bool {
	before := make(map[int][]int)
	for b := range on {
		for _, to := range x.graph.Succ(b) {
			before[to] = append(before[to], b)
		}
	}
	leads := map[int]bool{block: true}
	queue := []int{block}
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		for _, from := range before[b] {
			if !leads[from] {
				leads[from] = true
				queue = append(queue, from)
			}
		}
	}
	several := 0
	for _, to := range x.graph.Succ(block) {
		if on[to] && leads[to] {
			several++
		}
	}
	return on[block] && several > 1
}

// separable reports whether lanes can be taken one by one on a way: none waits for others there.
func (x *Executor) separable(w *way) bool {
	for _, b := range w.blocks {
		for pc := x.graph.Blocks[b].Start; pc < x.graph.Blocks[b].End; pc++ {
			in := &x.kernel.Instrs[pc]
			if in.Op.Info().Effect&isa.Barriers != 0 || in.Op.Info().Unit == isa.UnitSync || in.Op == isa.Call {
				return false
			}
		}
	}
	return true
}

// crowd tells the visitor what the lanes of the running entry execute at most on the way from a branch to its reconvergence point,
// and lets them go on from there.
func (x *execution) crowd(w *way, r int) error {
	if x.body != nil {
		return errAbandoned
	}
	for l := range w.loops {
		if err := x.spend(l); err != nil {
			return err
		}
	}
	steps, err := x.survey(w)
	if err != nil {
		return err
	}
	top := x.top()
	x.visitor.Repeat(1) // what visitors conclude from the order of steps does not hold within
	for lanes := top.may; lanes != 0; lanes &= lanes - 1 {
		x.alone(w, w.blocks, steps, 0, 1<<bits.TrailingZeros64(lanes))
	}
	x.visitor.Repeated()
	for _, reg := range w.written {
		top.state.write(reg, unknown, top.may, top.may, x.owners())
	}
	top.state.forgetLocal(top.may)
	if r == none {
		all := top.may
		x.exit(all&top.must, all)
		top.may, top.must = 0, 0
		return nil
	}
	if r == top.rpc && top.to != nil {
		top.to.by = top.to.by.and(choice{mixed: true})
	}
	return x.transfer(r)
}

// spend notes that a loop may make as many iterations as its bound allows. It is an error if it has none.
func (x *execution) spend(loop int) error {
	header := x.graph.Loops().Loops[loop].Header
	bound, ok := 0, false
	if x.config.Bound != nil {
		bound, ok = x.config.Bound(header)
	}
	if !ok {
		return x.unbounded(loop)
	}
	x.facts[loop].Iterations = max(x.facts[loop].Iterations, bound)
	x.facts[loop].Forced = true
	return nil
}

// survey finds the steps of the blocks of a way. What any of them writes is unknown at the beginning of each.
func (x *execution) survey(w *way) (map[int][]Step, error) {
	lanes, at := x.top().may, x.top().pc
	begin := x.top().state.clone()
	for _, reg := range w.written {
		begin.regs[reg] = unknown
	}
	begin.forgetLocal(^uint64(0))
	steps, all := make(map[int][]Step), 0
	for _, b := range w.blocks {
		x.stack = append(x.stack, entry{rpc: none, must: lanes, may: lanes, state: begin.clone()})
		for pc := x.graph.Blocks[b].Start; pc < x.graph.Blocks[b].End; pc++ {
			s, err := x.surveyed(b, pc)
			if err != nil {
				return nil, err
			}
			steps[b] = append(steps[b], s)
			all++
		}
		x.pop()
	}
	if x.steps += int64(all * bits.OnesCount64(lanes)); x.steps > x.config.MaxSteps {
		return nil, x.tooLong(at)
	}
	return steps, nil
}

// surveyed returns the step of an instruction of a block on a way, and executes it.
func (x *execution) surveyed(block, pc int) (Step, error) {
	in := x.instr(pc)
	l := x.graph.Loops().Innermost(block)
	x.top().pc = pc
	must, may, err := x.guard(in)
	if err != nil {
		return Step{}, err
	}
	header := l >= 0 && x.graph.Loops().Loops[l].Header == block
	x.step = Step{PC: pc, Instr: in, Box: x.box, Back: header, Active: x.top().may, May: may, by: x}
	if accesses(in) {
		a, err := x.access(pc, may)
		if err != nil {
			return Step{}, err
		}
		own := *a
		x.step.Access = &own
	}
	if err := x.checkFixed(); err != nil {
		return Step{}, err
	}
	switch {
	case in.Op == isa.Ld:
		x.load(in, x.step.Access, must, may)
	case x.launch.Pure(pc):
		x.pure(pc, must, may)
	default:
		if x.step.Access != nil {
			x.store(in, x.step.Access, must, may)
		}
		for _, o := range in.Dst {
			if o.Kind == isa.KindReg {
				x.top().state.write(o.Reg, unknown, must, may, x.owners())
			}
		}
	}
	return x.step, nil
}

// alone tells the visitor what a lane executes at most in some blocks of a way, which lie in so many of its loops.
func (x *execution) alone(w *way, blocks []int, steps map[int][]Step, depth int, lane uint64) {
	done := make(map[int]bool)
	for i, b := range blocks {
		l := x.nest(w, b, depth)
		if l < 0 {
			for k := range steps[b] {
				x.stepAlone(&steps[b][k], lane)
			}
			continue
		}
		if done[l] {
			continue
		}
		done[l] = true
		var body []int
		for _, c := range blocks[i:] {
			if x.nest(w, c, depth) == l {
				body = append(body, c)
			}
		}
		bound, _ := x.config.Bound(x.graph.Loops().Loops[l].Header)
		// One more than the greatest bound does not fit: no bound of what is repeated so often does.
		x.visitor.Repeat(int(saturating.Of(bound).Add(1).Int64()))
		x.alone(w, body, steps, depth+1, lane)
		x.visitor.Repeated()
	}
}

// nest returns the loop of a way around a block that so many others of them are around, or -1.
func (x *execution) nest(w *way, block, depth int) int {
	for _, l := range x.around[block] {
		if !w.loops[l] {
			continue
		}
		if depth == 0 {
			return l
		}
		depth--
	}
	return -1
}

// stepAlone tells the visitor of a step of one lane. Loads and stores are those of this lane, since several together cause no more
// requests than each alone; all else is told as if all lanes were there, whatever that costs.
func (x *execution) stepAlone(s *Step, lane uint64) {
	x.step = *s
	if s.Access != nil && (s.Instr.Op == isa.Ld || s.Instr.Op == isa.St) {
		if x.step.May &= lane; x.step.May != 0 {
			own := *s.Access
			own.Known &= lane
			for i := range own.Lanes {
				own.Lanes[i] &= lane
			}
			x.acc = own
			x.step.Access, x.step.Active = &x.acc, lane
		} else {
			x.step.Access = s.Access
		}
	}
	x.visitor.Step(&x.step)
}

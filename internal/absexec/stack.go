package absexec

import "slices"

// This file holds the discipline by which lanes that parted run and come together, that
// of internal/emu's warps: where they reconverge is what the flow graph says. Kernels with the
// other discipline have syncs.go.

// entry is an element of the reconvergence stack, the last of which runs.
type entry struct {
	pc, rpc int
	must    uint64 // lanes that are there in every execution
	may     uint64 // lanes that can be there, those of must among them
	state   *state // what the lanes know if they are there
	loops   []loopCount
	to      *junction // where the lanes go when pc has become rpc
	waits   *junction // of an entry that has not run since its lanes parted
}

// back reports whether control has come back to the header of the innermost loop since it entered the loop.
func (e *entry) back() bool { return len(e.loops) > 0 && e.loops[len(e.loops)-1].n > 0 }

// junction gathers the lanes that come to a reconvergence point. Lanes that do not come
// have exited on the way.
type junction struct {
	arrived uint64
	state   *state
	loops   []loopCount
	by      choice // that brought lanes here from branches so far
}

// none stands where there is no instruction.
const none = -1

func (x *execution) top() *entry { return &x.stack[len(x.stack)-1] }

func (x *execution) pop() { x.stack = x.stack[:len(x.stack)-1] }

// owners returns the lanes that the running entry shares its state with, its own
// included, at most.
func (x *execution) owners() uint64 {
	all := uint64(0)
	for i := range x.stack {
		all |= x.stack[i].may
	}
	return all
}

// successor is a way that lanes go from a branch.
type successor struct {
	pc        int
	must, may uint64
}

// reconvergencePoint returns where lanes that part at the end of a block reconverge, or none.
func (x *execution) reconvergencePoint(block int) int {
	if r := x.graph.Reconverge(block); r != x.graph.Exit() {
		return x.graph.Blocks[r].Start
	}
	return none
}

// order sorts paths as a warp pushes them: the last runs first. Before it is the order of
// the targets, with the following instruction behind them.
func (x *execution) order(successors []successor) {
	awaits := func(s successor) bool { return x.graph.ReachesBarrier(x.graph.BlockOf(s.pc)) }
	slices.SortStableFunc(successors, func(a, b successor) int {
		switch {
		case awaits(a) == awaits(b):
			return 0
		case awaits(a):
			return -1
		}
		return 1
	})
}

// part makes the running entry wait for its lanes at r, the reconvergence point of the
// branch that it has come to or none. A choice tells which ways they go. It returns what the paths start from.
func (x *execution) part(r int, by choice) entry {
	top := x.top()
	from := *top
	switch {
	case r == none:
		from.rpc, from.to = none, nil
		x.pop()
	case r == top.rpc:
		x.pop()
	default:
		top.waits = &junction{}
		from.rpc, from.to = r, top.waits
		top.pc = r
	}
	if from.to != nil {
		from.to.by = from.to.by.and(by)
	}
	return from
}

// push makes the lanes of a path run from the branch to the reconvergence point.
func (x *execution) push(from entry, s successor, st *state) error {
	from.must, from.may, from.state = s.must, s.may, st
	x.stack = append(x.stack, from)
	return x.transfer(s.pc)
}

// arrive brings the running entry to its reconvergence point.
func (x *execution) arrive() {
	top := x.top()
	top.to.join(top.state, top.loops, top.may)
	x.pop()
}

// join adds lanes that come to the reconvergence point, with what they know.
func (j *junction) join(s *state, loops []loopCount, lanes uint64) {
	if j.arrived == 0 {
		j.state, j.loops = s, loops
	} else {
		j.state = j.state.merge(s, j.arrived, lanes, j.by)
		j.loops = fewest(j.loops, loops)
	}
	j.arrived |= lanes
}

// resume makes a waiting entry run with the lanes that have come.
func (x *execution) resume() {
	top := x.top()
	j := top.waits
	top.waits = nil
	top.may &= j.arrived
	top.must &= j.arrived
	top.state, top.loops = j.state, j.loops
}

// exit retires lanes of the running entry: those of must, if they are there, and
// perhaps the others of mask.
func (x *execution) exit(must, mask uint64) {
	top := x.top()
	gone := top.must & must
	top.may &^= must
	for i := range x.stack {
		x.stack[i].may &^= gone
		x.stack[i].must &^= mask
	}
}

// masks is what alternatives change of the entries below them.
type masks struct{ must, may uint64 }

func (x *execution) masks() []masks {
	all := make([]masks, len(x.stack))
	for i, e := range x.stack {
		all[i] = masks{e.must, e.may}
	}
	return all
}

func (x *execution) setMasks(all []masks) {
	for i, m := range all {
		x.stack[i].must, x.stack[i].may = m.must, m.may
	}
}

// alternatives executes paths of which the warp goes one. Each begins with the stack
// below as it is now, and what the stack is afterwards holds for all of them.
func (x *execution) alternatives(pc, r int, successors []successor) error {
	from := x.part(r, choice{})
	before := x.masks()
	joined := make([]masks, len(before))
	x.visitor.Fork(pc)
	x.alternative++
	for i, s := range successors {
		x.visitor.Alternative()
		x.setMasks(before)
		if err := x.push(from, s, from.state.clone()); err != nil {
			return err
		}
		if err := x.run(len(before)); err != nil {
			return err
		}
		for k, m := range x.masks() {
			if i == 0 {
				joined[k].must = ^uint64(0)
			}
			joined[k].must &= m.must
			joined[k].may |= m.may
		}
	}
	x.alternative--
	x.setMasks(joined)
	x.visitor.Join()
	return nil
}

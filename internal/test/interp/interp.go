// Package interp executes kernels in gated form, for one thread at a time. It is the
// evidence that forms mean what the kernels mean: it follows their branches, but what
// arrives where paths join it learns from the predicates of gammas alone, from the
// iterations of mus and from what etas took along, never from the path that it came.
//
// What a thread cannot compute by itself, as what it loads, is put in by the user.
//
// interp imports semantics, flow/gated and isa.
package interp

import (
	"fmt"

	"warpbound/internal/alu"
	"warpbound/internal/flow/gated"
	"warpbound/internal/isa"
	"warpbound/internal/semantics"
)

// Thread is a thread that executes a form. It may be used by one goroutine at a time.
type Thread struct {
	form   *gated.Form
	launch *semantics.Launch
	eval   *semantics.Evaluator
	ctaid  [3]int
	warp   int
	lane   int

	pc      int
	done    bool
	values  []uint64 // predicates are 0 or 1
	defined []bool   // whether a value has been computed from such as had been
}

// New returns a thread at the first instruction. The launch must be one of the form's
// kernel.
func New(f *gated.Form, l *semantics.Launch, ctaid [3]int, warp, lane int) *Thread {
	t := &Thread{
		form: f, launch: l, eval: l.Evaluator(), ctaid: ctaid, warp: warp, lane: lane,
		values: make([]uint64, len(f.Values)), defined: make([]bool, len(f.Values)),
	}
	for v := range f.Values {
		if kind := f.Values[v].Kind; kind == gated.Truth || kind == gated.Initial {
			t.defined[v] = true
		}
	}
	t.values[gated.True] = 1
	t.start(f.Graph.Entry())
	return t
}

// PC returns the index of the next instruction.
func (t *Thread) PC() int { return t.pc }

// Done reports whether the thread has ended.
func (t *Thread) Done() bool { return t.done }

// Reads returns the values of the registers that the next instruction reads, in the
// order of isa.Instr.Reads. It is an error if one was not computed.
func (t *Thread) Reads() ([]uint64, error) {
	var values []uint64
	for _, v := range t.form.Reads(t.pc) {
		if !t.defined[v] {
			return nil, fmt.Errorf("instruction %d reads %s, which has no value", t.pc, t.form.Name(v))
		}
		values = append(values, t.values[v])
	}
	return values, nil
}

// holds reports whether the guard of the next instruction holds.
func (t *Thread) holds() bool {
	g := t.instr().Guard
	return !g.Set || (t.values[t.form.Reads(t.pc)[0]] != 0) != g.Not
}

func (t *Thread) instr() *isa.Instr { return &t.form.Graph.Kernel.Instrs[t.pc] }

// Step executes the next instruction. Outside gives the result for the i-th destination
// of an instruction that the thread cannot compute by itself. It is an error if
// control goes where the form says that it does not.
func (t *Thread) Step(outside func(i int) uint64) error {
	holds := t.holds()
	if holds {
		if err := t.compute(outside); err != nil {
			return err
		}
	}
	for _, v := range t.form.Guarded(t.pc) {
		t.choose(v)
	}
	in, next := t.instr(), t.pc+1
	if holds {
		switch {
		case in.Op == isa.Bra:
			next = in.Target
		case in.Op == isa.BrxIdx:
			_, index := t.form.Selectors(t.form.Graph.BlockOf(t.pc))
			next = in.Targets[t.values[index]]
		case in.Op.Info().Effect&isa.Exits != 0:
			t.done = true
			return nil
		}
	}
	from := t.form.Graph.BlockOf(t.pc)
	if t.pc+1 < t.form.Graph.Blocks[from].End {
		t.pc = next
		return nil
	}
	t.pc = next
	return t.cross(from, t.form.Graph.BlockOf(next))
}

// compute computes the results of the next instruction.
func (t *Thread) compute(outside func(i int) uint64) error {
	in, writes := t.instr(), t.form.Writes(t.pc)
	results, own, err := t.evaluate()
	if err != nil {
		return err
	}
	for i, v := range writes {
		if v == gated.None {
			continue
		}
		x := uint64(0)
		switch {
		case !own:
			x = outside(i)
		case t.isPredicate(in.Dst[i]):
			x = results[i].Bits & 1
		default:
			x = results[i].Num[0][0]
		}
		t.values[v], t.defined[v] = x, true
	}
	return nil
}

// evaluate computes the results of an instruction in lane 0; it is false for one that
// depends on more than its sources in this thread.
func (t *Thread) evaluate() (results []alu.Lanes, own bool, err error) {
	in := t.instr()
	if !t.launch.Pure(t.pc) || in.Op.Info().Effect&isa.Crosslane != 0 {
		return nil, false, nil
	}
	lanes := func(x uint64) alu.Lanes {
		v := make([]alu.Vector, 1)
		v[0][0] = x
		return alu.Lanes{Num: v, Bits: x & 1}
	}
	values, err := t.Reads()
	if err != nil {
		return nil, false, err
	}
	if in.Guard.Set {
		values = values[1:]
	}
	var sources []alu.Lanes
	for _, o := range in.Src {
		if o.Kind == isa.KindReg {
			sources = append(sources, lanes(values[0]))
			values = values[1:]
			continue
		}
		x, known := t.launch.Constant(o, t.ctaid, t.warp, t.lane)
		if !known {
			return nil, false, nil
		}
		sources = append(sources, lanes(x))
	}
	for range in.Dst {
		results = append(results, lanes(0))
	}
	_, err = t.eval.Eval(t.pc, 1, results, sources) // the emulator's results, with which those of forms are compared
	return results, true, err
}

func (t *Thread) isPredicate(o isa.Operand) bool {
	return t.form.Graph.Kernel.Regs[o.Reg].Type == isa.Pred
}

// copy makes a value what another is.
func (t *Thread) copy(to, from gated.ID) {
	t.values[to], t.defined[to] = t.values[from], t.defined[from]
}

// choose computes a gamma. It has no value if what it is chosen by has none.
func (t *Thread) choose(v gated.ID) {
	value := &t.form.Values[v]
	t.defined[v] = false
	at := t.values[value.By]
	if !value.Indexed { // a guard may be a number
		at = 0
		if t.values[value.By] == 0 {
			at = 1
		}
	}
	if t.defined[value.By] && at < uint64(len(value.Args)) && value.Args[at] != gated.None {
		t.copy(v, value.Args[at])
	}
}

// cross goes along an edge from block to block.
func (t *Thread) cross(from, to int) error {
	g := t.form.Graph
	if !g.Reachable(to) {
		return fmt.Errorf("block %s is executed, from which every run ends with an error", g.Name(to))
	}
	loops := g.Loops()
	for l := loops.Innermost(from); l >= 0; l = loops.Loops[l].Parent {
		stays := loops.Loops[l].Contains(to)
		if stays && loops.Loops[l].Header != to {
			break
		}
		loop := &t.form.Loops[l]
		for _, v := range loop.Next {
			t.choose(v)
		}
		if !t.defined[loop.Leave] || (t.values[loop.Leave] == 0) != stays {
			return fmt.Errorf("the loop at %s is left from %s to %s against %s", g.Name(loops.Loops[l].Header), g.Name(from), g.Name(to), t.form.Name(loop.Leave))
		}
		if stays {
			t.iterate(l)
			return nil
		}
		for _, eta := range loop.Etas {
			t.copy(eta, t.form.Values[eta].Args[0])
		}
		t.forget(l)
	}
	t.start(to)
	return nil
}

// iterate begins another iteration of a loop.
func (t *Thread) iterate(l int) {
	loop := &t.form.Loops[l]
	type next struct {
		value   uint64
		defined bool
	}
	all := make([]next, len(loop.Mus))
	for i, mu := range loop.Mus {
		v := t.form.Values[mu].Args[1]
		all[i] = next{t.values[v], t.defined[v]}
	}
	t.forget(l)
	for i, mu := range loop.Mus {
		t.values[mu], t.defined[mu] = all[i].value, all[i].defined
	}
}

// forget drops the values that were computed in an iteration of a loop.
func (t *Thread) forget(l int) {
	loops := t.form.Graph.Loops().Loops
	for v := range t.defined {
		home := t.form.Home(gated.ID(v))
		for home > l { // loops stand before the loops inside them
			home = loops[home].Parent
		}
		if home == l {
			t.defined[v] = false
		}
	}
}

// start computes what is made where a block starts that is not come back to.
func (t *Thread) start(block int) {
	for _, v := range t.form.Start(block) {
		if t.form.Values[v].Kind == gated.Mu {
			t.copy(v, t.form.Values[v].Args[0])
			continue
		}
		t.choose(v)
	}
}

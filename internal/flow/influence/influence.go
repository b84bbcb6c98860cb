package influence

import (
	"math"

	"warpbound/internal/abi"
	"warpbound/internal/flow/gated"
	"warpbound/internal/isa"
)

// Level says how directly inputs reach a value.
type Level uint8

// The levels.
const (
	None     Level = iota // no input reaches it
	Counted               // threads count it with an atomic, or inputs choose between few values that they do not reach
	Direct                // it is computed of inputs that lie where no input decides
	Indirect              // inputs decide where it lies in memory
)

// Sources says where the inputs of a kernel are.
type Sources struct {
	Sampled func(offset, bytes int) bool           // whether bytes of the parameter block are sampled
	Buffer  func(offset int) (number int, ok bool) // to which buffer the parameter block points at an offset
	Buffers []Level                                // what buffers hold, by number
}

// Result is what inputs reach in a kernel.
type Result struct {
	form    *gated.Form
	from    Sources
	levels  []Level  // by value
	leads   []uint64 // by value: the memories to which it may lead, a bit for each
	memory  [64]Level
	control []Level // by block: of the branches on which it depends whether it is executed
	regions [][]int // by block: those whose execution depends on its branch
}

// Memories that are no buffers; of buffers from a number on nothing is told apart.
const (
	shared  = 63
	local   = 62
	further = 61
)

// Find finds what inputs reach.
func Find(f *gated.Form, from Sources) *Result {
	g := f.Graph
	r := &Result{
		form: f, from: from, levels: make([]Level, len(f.Values)), leads: make([]uint64, len(f.Values)),
		control: make([]Level, len(g.Blocks)), regions: make([][]int, len(g.Blocks)),
	}
	for i, level := range from.Buffers {
		raiseLevel(&r.memory[min(i, further)], level)
	}
	for b := range g.Blocks {
		if len(g.Succ(b)) > 1 {
			r.regions[b] = r.region(b)
		}
	}
	for r.runPass() {
	}
	return r
}

// region returns the blocks between a branch and where its lanes reconverge.
func (r *Result) region(branch int) (blocks []int) {
	g := r.form.Graph
	seen := map[int]bool{g.Reconverge(branch): true, g.Exit(): true}
	todo := append([]int(nil), g.Succ(branch)...)
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[b] {
			seen[b] = true
			blocks = append(blocks, b)
			todo = append(todo, g.Succ(b)...)
		}
	}
	return blocks
}

// runPass goes through all values and instructions, and reports whether anything is new.
func (r *Result) runPass() (news bool) {
	for v := range r.form.Values {
		news = r.chosen(gated.ID(v)) || news
	}
	for b := range r.form.Graph.Blocks {
		block := &r.form.Graph.Blocks[b]
		for i := block.Start; i < block.End; i++ {
			news = r.applyInstruction(b, i) || news
		}
		if level := r.Decides(b); level > None {
			for _, other := range r.regions[b] {
				news = raiseLevel(&r.control[other], level) || news
			}
		}
	}
	return news
}

// raiseLevel raises a level, and reports whether it was lower.
func raiseLevel(at *Level, to Level) bool {
	if to <= *at {
		return false
	}
	*at = to
	return true
}

// raiseValue notes what is known of a value, and reports whether that is new.
func (r *Result) raiseValue(v gated.ID, level Level, leads uint64) bool {
	if v == gated.None {
		return false
	}
	news := r.leads[v]|leads != r.leads[v]
	r.leads[v] |= leads
	return raiseLevel(&r.levels[v], level) || news
}

// chosen notes what is known of a value that is one of others. Where only one can be chosen it does
// not matter by what.
func (r *Result) chosen(v gated.ID) bool {
	value := &r.form.Values[v]
	level, leads, many := None, uint64(0), 0
	for _, arg := range value.Args {
		if arg != gated.None {
			many++
			level, leads = max(level, r.levels[arg]), leads|r.leads[arg]
		}
	}
	switch value.Kind {
	case gated.Gamma:
		by := r.levels[value.By]
		if r.form.Home(v) < 0 { // which is chosen once
			by = min(by, Counted)
		}
		if many > 1 {
			level = max(level, by)
		}
	case gated.Eta:
		level = max(level, r.levels[value.By])
	case gated.Mu:
	default:
		return false
	}
	return r.raiseValue(v, level, leads)
}

// visitOperands calls visit with the registers that an instruction reads besides its guard, and what
// they hold.
func (r *Result) visitOperands(i int, visit func(o *isa.Operand, v gated.ID)) {
	in, reads := &r.form.Graph.Kernel.Instrs[i], r.form.Reads(i)
	if in.Guard.Set && len(reads) > 0 {
		reads = reads[1:]
	}
	for k := range in.Src {
		o := &in.Src[k]
		held := gated.None
		reg := o.Kind == isa.KindReg || (o.Kind == isa.KindAddr || o.Kind == isa.KindVarAddr) && o.Reg != isa.NoReg
		if reg && len(reads) > 0 {
			held, reads = reads[0], reads[1:]
		}
		visit(o, held)
	}
}

// guardLevel is the level of the guardLevel of an instruction.
func (r *Result) guardLevel(i int) Level {
	if reads := r.form.Reads(i); r.form.Graph.Kernel.Instrs[i].Guard.Set && len(reads) > 0 {
		return r.levels[reads[0]]
	}
	return None
}

// sources is the level of what an instruction computes with, addresses included, and of its address
// alone, with the memories to which they lead.
func (r *Result) sources(i int) (level, address Level, leads uint64) {
	kernel := r.form.Graph.Kernel
	r.visitOperands(i, func(o *isa.Operand, v gated.ID) {
		if v != gated.None {
			level, leads = max(level, r.levels[v]), leads|r.leads[v]
			if o.Kind != isa.KindReg {
				address = max(address, r.levels[v])
			}
		}
		switch o.Kind {
		case isa.KindParam:
			p := &kernel.Params[o.Var]
			leads |= r.buffer(p.Offset)
			if r.from.Sampled(p.Offset, p.Bytes) {
				level = max(level, Direct)
			}
		case isa.KindVar, isa.KindVarAddr:
			leads |= r.variable(o.Var)
		}
	})
	return level, address, leads
}

// applyInstruction notes what an applyInstruction hands on.
func (r *Result) applyInstruction(block, i int) (news bool) {
	in := &r.form.Graph.Kernel.Instrs[i]
	level, address, leads := r.sources(i)
	effect := in.Op.Info().Effect
	lies := lies(in, leads)
	if effect&isa.WritesMem != 0 {
		stored := max(level, r.guardLevel(i), r.control[block])
		for m := range r.memory {
			if lies&(1<<m) != 0 {
				news = raiseLevel(&r.memory[m], stored) || news
			}
		}
	}
	if effect&isa.ReadsMem != 0 {
		level, leads = r.loaded(in, address, lies)
		if effect&isa.WritesMem != 0 {
			level = r.counted(i, address)
		}
	}
	for _, v := range r.form.Writes(i) {
		news = r.raiseValue(v, level, leads) || news
	}
	return news
}

// counted is the level of what an atomic returns: the order of threads decides it, and what they
// add.
func (r *Result) counted(i int, address Level) Level {
	level, _, _ := r.sources(i)
	switch {
	case address > None:
		return Indirect
	case level > None:
		return Direct
	}
	return Counted
}

// variable returns the memory of a variable of the kernel; none if that is constant.
func (r *Result) variable(number int32) uint64 {
	vars := r.form.Graph.Kernel.Vars
	if number < 0 || int(number) >= len(vars) {
		return 0
	}
	switch vars[number].Space {
	case isa.Shared:
		return 1 << shared
	case isa.Local:
		return 1 << local
	case isa.Global:
		return 1 << further
	}
	return 0
}

// buffer returns the memory to which a parameter points.
func (r *Result) buffer(offset int) uint64 {
	if number, ok := r.from.Buffer(offset); ok {
		return 1 << min(number, further)
	}
	return 0
}

// lies returns the memories that an instruction accesses, of those to which its operands lead: all
// if nothing is known.
func lies(in *isa.Instr, leads uint64) uint64 {
	switch in.Space {
	case isa.Shared:
		return 1 << shared
	case isa.Local:
		return 1 << local
	case isa.Const, isa.Param:
		return 0
	}
	if leads == 0 {
		return ^uint64(0)
	}
	return leads
}

// loaded is the level of what an instruction loads, and the memories to which that leads.
func (r *Result) loaded(in *isa.Instr, address Level, lies uint64) (level Level, leads uint64) {
	if in.Space == isa.Param {
		offset, bytes := 0, math.MaxInt32
		if at, ok := parameter(in); ok {
			offset, bytes = at, in.Type.Bytes()*max(len(in.Dst), 1)
			leads = r.buffer(offset)
		}
		if r.from.Sampled(offset, bytes) {
			level = Direct
		}
	}
	for m := range r.memory {
		if lies&(1<<m) != 0 {
			level = max(level, r.memory[m])
		}
	}
	if address > None {
		level = Indirect
	}
	return level, leads
}

// parameter returns where an instruction reads the parameter block at a place that is known.
func parameter(in *isa.Instr) (offset int, ok bool) {
	for _, o := range in.Src {
		if (o.Kind == isa.KindAddr || o.Kind == isa.KindVarAddr) && o.Reg == isa.NoReg {
			at := o.Imm
			if abi.InWindow(abi.ParamBase, at) {
				at -= abi.ParamBase
			}
			return int(at), true
		}
	}
	return 0, false
}

// Decides is the level of the condition that decides the way at the end of a block.
func (r *Result) Decides(block int) Level {
	level := None
	guard, index := r.form.Selectors(block)
	for _, v := range []gated.ID{guard, index} {
		if v != gated.None && len(r.form.Graph.Succ(block)) > 1 {
			level = max(level, r.levels[v])
		}
	}
	return level
}

// Region returns the blocks whose execution depends on the way at the end of a block, in no order.
func (r *Result) Region(block int) []int { return r.regions[block] }

// Branch is the level of what decides whether lanes take a way at the end of a block: its
// condition, and whether they come there.
func (r *Result) Branch(block int) Level { return max(r.Decides(block), r.control[block]) }

// Access is the level of the address of an instruction that accesses memory, and of the guard that
// decides whether it does. Both are None of others.
func (r *Result) Access(i int) (address, guard Level) {
	in := &r.form.Graph.Kernel.Instrs[i]
	if in.Op.Info().Effect&(isa.ReadsMem|isa.WritesMem) == 0 || in.Space == isa.Param {
		return None, None
	}
	_, address, _ = r.sources(i)
	return address, r.guardLevel(i)
}

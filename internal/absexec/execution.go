package absexec

import (
	"fmt"

	"warpbound/diag"
	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// execution is one abstract execution of a warp for a box of CTAs.
type execution struct {
	*Executor
	warp    int
	box     Box
	boxes   int // how many there are, this one included, if no more are cut
	visitor Visitor

	level  int           // of loops around whose iterations are summarised
	coarse [nesting]bool // by level: branches that depend on the iteration are undecided
	body   *iteration    // that is executed for many; nil if none is

	stack       []entry
	beyond      uint64      // lanes that entries have which are not on the stack while iterations are summarised
	frames      []syncFrame // of a kernel whose lanes reconverge at syncs
	alternative int         // how many alternatives the execution is in
	constants   [][]*value  // of each instruction: its sources that are no registers
	steps       int64
	facts       []LoopFact // of each loop of the forest
	undecided   []diag.Pos // of each loop that is open: a branch that may leave
	likens      bool       // it is told of which decisions values are functions
	decided     int32      // decisions so far

	step Step
	acc  Access
	src  [maxOperands]alu.Lanes
	dst  [maxOperands]alu.Lanes
}

// reason is why a value has to be known.
type reason int

const (
	forControl reason = iota
	forAddress
)

// cutError ends an execution whose box has to be cut.
type cutError struct{ cut }

func (e *cutError) Error() string { return fmt.Sprintf("the box has to be cut: %v", e.cut) }

// mayCut reports whether the box may be cut in a way and for a reason. Addresses leave most of the
// boxes to control, and all iterations.
func (x *execution) mayCut(c cut, why reason) bool {
	if c.axis >= ctaAxes {
		return why == forControl && !x.coarse[c.axis-ctaAxes]
	}
	if why == forAddress {
		return x.boxes < x.config.MaxBoxes/4
	}
	return x.boxes < x.config.MaxBoxes
}

// need returns an error that cuts the box if that tells more of a value in the lanes of
// mask.
func (x *execution) need(v *value, mask uint64, why reason) error {
	if v.nonAffine&mask == 0 || !x.mayCut(v.cut, why) {
		return nil
	}
	return &cutError{v.cut}
}

func (x *execution) instr(pc int) *isa.Instr { return &x.kernel.Instrs[pc] }

// source returns a source of an instruction.
func (x *execution) source(pc, i int) *value {
	if v := x.constants[pc][i]; v != nil {
		return v
	}
	return x.top().state.regs[x.instr(pc).Src[i].Reg]
}

// execution returns an execution at the beginning of the kernel, of one of so many boxes.
// The visitor is still missing.
func (x *Executor) execution(warp int, box Box, boxes int) *execution {
	loops := len(x.graph.Loops().Loops)
	e := &execution{
		Executor: x, warp: warp, box: box, boxes: boxes,
		facts: make([]LoopFact, loops), undecided: make([]diag.Pos, loops),
	}
	// Every step is then one of the concrete warp, with all lanes that come to it.
	e.likens = x.summaries == noSummaries && x.kernel.Reconvergence != isa.AtSyncs
	e.prepare()
	threads := x.launch.Threads(warp)
	e.stack = []entry{{
		pc: 0, rpc: none, must: threads, may: threads,
		state: newState(len(x.kernel.Regs)), loops: e.count(nil, x.graph.BlockOf(0)),
	}}
	return e
}

// prepare makes the values of the sources that no instruction assigns.
func (x *execution) prepare() {
	known := make(map[isa.Operand]*value)
	x.constants = make([][]*value, len(x.kernel.Instrs))
	for pc := range x.kernel.Instrs {
		in := x.instr(pc)
		x.constants[pc] = make([]*value, len(in.Src))
		for i, o := range in.Src {
			if o.Kind == isa.KindReg {
				continue
			}
			v, ok := known[o]
			if !ok {
				v = x.fixed(o)
				known[o] = v
			}
			x.constants[pc][i] = v
		}
	}
}

// fixed returns the value of a source that no instruction assigns.
func (x *execution) fixed(o isa.Operand) *value {
	if o.Kind == isa.KindParam {
		if p := &x.kernel.Params[o.Var]; x.isInput(abi.ParamAddress(p.Offset), p.Bytes) {
			return unknown
		}
	}
	v := &value{base: vectors(x.launch.Width())}
	for lane := range x.launch.Width() {
		n, ok := x.launch.Constant(o, x.box.Lo, x.warp, lane)
		if !ok {
			return unknown
		}
		set(v.base, lane, n)
	}
	v.known = ^uint64(0)
	if o.Kind == isa.KindImm && o.Imm != 0 {
		v.bits = ^uint64(0)
	}
	if axis := ctaAxis(o); axis >= 0 && x.box.extent(axis) > 1 {
		v.step[axis] = vectors(x.launch.Width())
		for lane := range x.launch.Width() {
			set(v.step[axis], lane, 1)
		}
	}
	return v
}

// ctaAxis returns the axis of the CTA index that an operand is, or -1. A cluster is one
// CTA.
func ctaAxis(o isa.Operand) int {
	if o.Kind != isa.KindSpecial {
		return -1
	}
	switch s := o.Special; s {
	case isa.CtaidX, isa.CtaidY, isa.CtaidZ:
		return int(s - isa.CtaidX)
	case isa.ClusteridX, isa.ClusteridY, isa.ClusteridZ:
		return int(s - isa.ClusteridX)
	}
	return -1
}

// run executes until no more than floor entries are on the stack.
func (x *execution) run(floor int) error {
	for len(x.stack) > floor {
		if x.top().waits != nil {
			x.resume()
		}
		if x.top().may == 0 && len(x.frames) > 0 {
			if err := x.other(); err != nil {
				return err
			}
			continue
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

// next executes one instruction.
func (x *execution) next() error {
	top := x.top()
	pc := top.pc
	in := x.instr(pc)
	if x.steps++; x.steps > x.config.MaxSteps {
		return x.tooLong(pc)
	}
	if x.steps&0xfff == 0 && x.ctx.Err() != nil {
		return x.ctx.Err()
	}
	must, mask, err := x.guard(in)
	if err != nil {
		return err
	}
	x.step = Step{PC: pc, Instr: in, Box: x.box, Certain: top.must != 0, Back: top.back(), Active: top.may, Must: top.must & must, May: mask, by: x}
	if waitsForThreads(in) {
		x.step.Missing = x.missingLanes(pc, must)
	}
	if accesses(in) {
		if x.step.Access, err = x.access(pc, mask); err != nil {
			return err
		}
	}
	if err := x.checkFixed(); err != nil {
		return err
	}
	x.visitor.Step(&x.step)
	switch {
	case x.kernel.Reconvergence == isa.AtSyncs && in.Op == isa.Bra && in.Guard.Set:
		return x.branchToSync(in, must, mask)
	case in.Op == isa.Reconverge:
		return x.sync()
	case x.kernel.Reconvergence == isa.AtSyncs && exits(in):
		return x.exitAtSyncs(must, mask)
	case in.Op == isa.Bra || in.Op == isa.BrxIdx:
		return x.branch(in, must, mask)
	case exits(in):
		if x.body != nil && mask != 0 {
			return errAbandoned
		}
		x.exit(must, mask)
		return x.advance()
	case in.Op == isa.Trap, in.Op == isa.RunSystem && (in.System == isa.SysAssert || in.System == isa.SysStop):
		if err := x.vanish(must); err != nil {
			return err
		}
	case in.Op == isa.Ld:
		x.load(in, x.step.Access, must, mask)
	case x.launch.Pure(pc):
		x.pure(pc, must, mask)
	default:
		if x.step.Access != nil {
			x.store(in, x.step.Access, must, mask)
		}
		for _, o := range in.Dst {
			if o.Kind == isa.KindReg {
				x.top().state.write(o.Reg, unknown, must, mask, x.owners())
			}
		}
	}
	return x.advance()
}

// tooLong is the error of a warp that executes too many instructions, the last of them at pc.
func (x *execution) tooLong(pc int) error {
	return diag.Errorf(x.instr(pc).Pos, "%w", &stepsError{kernel: x.kernel.Readable(), warp: x.warp, steps: x.config.MaxSteps, box: x.box})
}

// accesses reports whether an instruction accesses memory.
func accesses(in *isa.Instr) bool {
	return in.Op.Info().Effect&(isa.ReadsMem|isa.WritesMem) != 0
}

// advance goes on to the following instruction.
func (x *execution) advance() error {
	top := x.top()
	if top.may == 0 {
		return nil
	}
	next := top.pc + 1
	if x.graph.BlockOf(next) == x.graph.BlockOf(top.pc) {
		top.pc = next
		return nil
	}
	return x.transfer(next)
}

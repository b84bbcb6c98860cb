// Package taint follows what some of the inputs of a run can change, and what devices may make of
// NaN: registers lane by lane, and memory byte by byte. It tells whether they reach anything that
// the time of the run depends on, a sink: who executes which instruction, and at which addresses;
// and by which instructions they come there.
//
// If they do not, the run takes the same time with all values of these inputs, and warps are at the same places at the
// same times (docs/methods/oblivious.md has the argument). If they do, nothing is known.
//
// taint must not know how instructions are executed, nor when: it is told of each that was, in their order.
package taint

import (
	"slices"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
)

// Step is an instruction that a warp executed.
type Step struct {
	CTA, Warp int // the CTA in the grid, the warp in the CTA
	PC        int
	Active    uint64      // lanes that the warp ran with
	Effect    *emu.Effect // what it did; valid during the call only
	After     *emu.Warp   // as the instruction left it; likewise
}

// Sink is a place where inputs reach what time depends on.
type Sink struct {
	Kernel *isa.Kernel
	Instr  *isa.Instr // nil if it is the host that looks at a buffer
	Kind   Kind

	// Chain are the instructions by which an input comes there, from the last one to the one that
	// reads the input at Origin: an address in global memory or in the parameter block. There may
	// be others. It is no input that comes there if Unsettled is set, but what the last of them
	// made, of which a device may make something else; if Unordered is set, what the last of them
	// reads or writes, which the order of threads decides; and if Mixed is set, what a launch
	// before wrote, in which inputs or the order may have decided it.
	Chain     []*isa.Instr
	Origin    uint64
	Unsettled bool
	Unordered bool
	Mixed     bool
}

// Kind tells what inputs reach.
type Kind string

// What inputs reach.
const (
	Guard   Kind = "whether threads execute an instruction"
	Target  Kind = "where threads go on"
	Address Kind = "an address"
	Spin    Kind = "whether lanes that wait go on without those that spin"
	Operand Kind = "who waits for whom, or how much is copied"
	System  Kind = "a call of the runtime"
	Host    Kind = "whether there is another round"
	Unknown Kind = "an instruction whose time may depend on values"
)

// Tracker follows the inputs of one run after the other.
type Tracker struct {
	// Found, unless nil, is called when the first sink is reached.
	Found func()

	sink   *Sink
	global set
	given  set    // of global memory when the run began
	order  *order // nil if nobody asks what the order of threads decides

	// Of the launch under way.
	kernel *isa.Kernel
	warps  int // of a CTA
	params set
	ctas   map[int]*cta
	last   *cta // of the step before; nil if that is not known
	spread []spread
}

// spread is what is known of an instruction that handed taint on.
type spread struct {
	made      bool   // what it wrote was tainted
	unsettled bool   // of itself: a device may have made something else of its sources
	unordered bool   // of itself: the order of threads decides what it was
	read      uint64 // the address of a tainted byte that it read in memory; 0 if there was none
	wrote     set    // the addresses of tainted bytes that it wrote there
}

// cta is what is tainted of a CTA.
type cta struct {
	index  int // in the grid
	shared set
	warps  [maxWarps]*warp

	// Of Tracker.order.
	accesses accesses // to shared memory
	barriers int32    // that all warps have passed together
	exited   uint64   // warps
}

// maxWarps is how many warps a CTA has at most (emu.NewGrid).
const maxWarps = 64

// warp is what is tainted of a warp.
type warp struct {
	registers []uint64 // lanes, by register
	local     set      // of all lanes: see step.place
}

// Range is a range of bytes.
type Range struct{ Start, Bytes uint64 }

// NewTracker returns a tracker of inputs, or also of what nothing but the order in which threads
// run decides: what they read and write where no barrier lies between, clocks, and on which SM they
// run.
func NewTracker(orders bool) *Tracker {
	t := new(Tracker)
	if orders {
		t.order = &order{contested: make(map[place]*set)}
	}
	return t
}

// Begin begins a run of which the given global memory is tainted.
func (t *Tracker) Begin(memory []Range) {
	*t = Tracker{Found: t.Found, order: t.order, ctas: make(map[int]*cta)}
	if t.order != nil {
		t.order.beginRun()
	}
	for _, r := range memory {
		t.global.put(r.Start, r.Bytes, true)
		t.given.put(r.Start, r.Bytes, true)
	}
}

// Launch begins a launch in the run, of which the given parameters are tainted: ranges of the
// parameter block. CTAs have so many warps. Global memory is as the launch before left it.
func (t *Tracker) Launch(k *isa.Kernel, params []Range, warps int) {
	t.kernel, t.params, t.warps = k, set{}, warps
	if t.order != nil {
		t.order.beginLaunch(k)
	}
	clear(t.ctas)
	t.last = nil
	t.spread = make([]spread, len(k.Instrs))
	for _, r := range params {
		t.params.put(r.Start, r.Bytes, true)
	}
}

// Clear tells that the host has written bytes of global memory that do not depend on inputs.
func (t *Tracker) Clear(r Range) { t.global.put(r.Start, r.Bytes, false) }

// Host tells that the host looks at bytes of global memory to decide what to do.
func (t *Tracker) Host(r Range) {
	if t.sink == nil && t.global.any(r.Start, r.Bytes) {
		t.reach(&Sink{Kernel: t.kernel, Kind: Host, Origin: r.Start, Mixed: t.order.decides()})
	}
}

// reach notes the first sink.
func (t *Tracker) reach(s *Sink) {
	t.sink = s
	if t.Found != nil {
		t.Found()
	}
}

// Sink returns the first that inputs reached in the run, nil if they reached none.
func (t *Tracker) Sink() *Sink { return t.sink }

// Incomplete reports that too little was tainted: the same run has to be made again, and be
// followed from Begin on.
func (t *Tracker) Incomplete() bool { return t.sink == nil && t.order != nil && t.order.grown }

// Step takes note of an instruction. After the first sink nothing is followed any more.
func (t *Tracker) Step(s *Step) {
	if t.sink != nil {
		return
	}
	c := t.cta(s.CTA)
	w := c.warps[s.Warp]
	if w == nil {
		w = &warp{registers: make([]uint64, len(t.kernel.Regs))}
		c.warps[s.Warp] = w
	}
	x := step{Step: s, Tracker: t, cta: c, warp: w, in: &t.kernel.Instrs[s.PC], mask: s.Effect.Mask}
	if t.order != nil {
		t.order.steps = max(t.order.steps+1, 1)
	}
	kind := x.execute()
	if t.order != nil {
		x.passBarrier()
	}
	if kind == "" && s.Effect.Separate { // whose operands take part, and when, is not followed
		kind = Operand
	}
	if kind == "" && s.Effect.LookedLocal && !w.local.empty() {
		kind = Spin
	}
	if kind == "" && slices.ContainsFunc(s.Effect.Looked, func(r isa.Reg) bool { return w.registers[r] != 0 }) {
		kind = Spin
	}
	if kind != "" {
		s := &Sink{Kernel: t.kernel, Instr: x.in, Kind: kind}
		x.chain(s)
		t.reach(s)
	}
	if s.Effect.CTADone {
		delete(t.ctas, s.CTA)
		t.last = nil
	}
}

// cta returns what is tainted of a CTA.
func (t *Tracker) cta(index int) *cta {
	if t.last == nil || t.last.index != index {
		c := t.ctas[index]
		if c == nil {
			c = &cta{index: index}
			t.ctas[index] = c
		}
		t.last = c
	}
	return t.last
}

// step is an instruction whose effects are followed.
type step struct {
	*Step
	*Tracker
	cta  *cta
	warp *warp
	in   *isa.Instr
	mask uint64 // lanes that executed it
}

// execute follows the instruction, and returns what sink it is that inputs reach, if any.
func (x *step) execute() Kind {
	in := x.in
	if in.Guard.Set && x.warp.registers[in.Guard.Reg]&x.Active != 0 {
		return Guard
	}
	if x.mask == 0 {
		return ""
	}
	for _, o := range in.Src {
		if address := o.Kind == isa.KindAddr || o.Kind == isa.KindVarAddr; address && x.register(o)&x.mask != 0 {
			return Address
		}
	}
	switch in.Op {
	case isa.Ld:
		x.load()
	case isa.St:
		x.store()
	case isa.Atom, isa.Red:
		x.atomic()
	case isa.CpAsync, isa.BulkCopy:
		return x.copy()
	case isa.LdMatrix, isa.StMatrix:
		x.matrix()
	case isa.Vote, isa.Match, isa.Redux, isa.Shfl:
		if x.sources(1)&x.mask != 0 { // who takes part, and from whom a lane reads
			return Operand
		}
		x.together(x.source(in.Src[0]))
		x.taintUnsettled()
	case isa.Mma, isa.MovMatrix:
		x.together(x.sources(0))
	case isa.BrxIdx:
		if x.sources(0)&x.mask != 0 {
			return Target
		}
	case isa.Mbarrier:
		if x.sources(0)&x.mask != 0 || x.touched(0, 1) != 0 {
			return Operand
		}
		x.write(x.answeredInOrder())
	case isa.Elect:
		if x.sources(0)&x.mask != 0 {
			return Operand
		}
		x.write(0)
		x.taintUnsettled()
	case isa.Bar, isa.BarWarp, isa.Activemask, isa.Fence, isa.Nop, isa.Prefetch, isa.Bra, isa.Ret, isa.Exit, isa.Trap,
		isa.Reconverge, isa.Split, isa.Merge, isa.AsyncCommit, isa.AsyncWait, isa.BulkDrain, isa.BulkCommit, isa.BulkWait, isa.BulkWaitRead:
		if x.sources(0)&x.mask != 0 {
			return Operand
		}
		x.write(0)
	case isa.RunSystem:
		return System
	default:
		if in.Op.Info().Effect != 0 {
			return Unknown
		}
		x.write(x.sources(0))
		x.taintUnsettled()
	}
	return ""
}

// taintUnsettled taints the first result in the lanes in which a device may have another one. Which
// lane is elected both results say.
func (x *step) taintUnsettled() {
	unsettled := x.Effect.Unsettled & x.mask
	if unsettled == 0 {
		return
	}
	x.spread[x.PC].unsettled = true
	results := x.in.Dst[:1]
	if x.in.Op == isa.Elect {
		results = x.in.Dst
	}
	for _, o := range results {
		if o.Kind == isa.KindReg {
			x.warp.registers[o.Reg] |= unsettled
			x.hands(unsettled)
		}
	}
}

// register returns the lanes in which the register of an operand is tainted.
func (x *step) register(o isa.Operand) uint64 {
	if o.Reg == isa.NoReg {
		return 0
	}
	return x.warp.registers[o.Reg]
}

// source returns the lanes in which a source is tainted. Special registers are not by inputs: those
// that change tell times and places, which are the same as long as no sink is reached.
func (x *step) source(o isa.Operand) uint64 {
	switch o.Kind {
	case isa.KindReg, isa.KindAddr, isa.KindVarAddr:
		return x.register(o)
	case isa.KindParam:
		p := &x.kernel.Params[o.Var]
		if x.params.any(uint64(p.Offset), uint64(p.Bytes)) {
			return ^uint64(0)
		}
	case isa.KindSpecial:
		if x.order != nil && changesWithOrder(o.Special) {
			x.decidesHere()
			return ^uint64(0)
		}
	}
	return 0
}

// sources returns the lanes in which a source from number first on is tainted.
func (x *step) sources(first int) uint64 {
	lanes := uint64(0)
	for _, o := range x.in.Src[min(first, len(x.in.Src)):] {
		lanes |= x.source(o)
	}
	return lanes
}

// write makes the results tainted in those of the executing lanes that are given, and not in the others of these.
func (x *step) write(tainted uint64) {
	for i := range x.in.Dst {
		x.result(i, tainted)
	}
}

// result is write for one of the results.
func (x *step) result(i int, tainted uint64) {
	if o := x.in.Dst[i]; o.Kind == isa.KindReg {
		r := &x.warp.registers[o.Reg]
		*r = *r&^x.mask | tainted&x.mask
		x.hands(tainted & x.mask)
	}
}

// together writes results that depend on the sources of all executing lanes.
func (x *step) together(sources uint64) {
	x.write(everywhere(sources & x.mask))
}

// place returns where bytes that a lane accesses are noted, and under which number the first one is. Bytes of local
// memory lie apart.
func (x *step) place(lane int, addr uint64) (in *set, at uint64) {
	switch {
	case addr >= abi.GlobalBase:
		return &x.global, addr
	case addr >= abi.ParamBase:
		return &x.params, addr - abi.ParamBase
	case addr >= abi.LocalBase:
		return &x.warp.local, uint64(lane)<<32 | addr - abi.LocalBase
	}
	return &x.cta.shared, addr
}

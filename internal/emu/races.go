package emu

import (
	"math/bits"
	"slices"

	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
	"warpbound/internal/race"
)

// WithRaces returns code that does the same and besides finds data races between the threads of a
// launch (see Races) and barriers that only some threads of a CTA reach (see PartialBarriers). On a machine
// whose warps are in lock-step, instructions order what the lanes of a warp do that execute them together. Only
// instructions that access memory, synchronise or diverge are slower, and the code that it was made
// of is not changed.
func (c *Code) WithRaces(lockStep bool) *Code {
	out := *c
	out.raced, out.lockStep = true, lockStep
	out.instrs = slices.Clone(c.instrs)
	for pc := range out.instrs {
		in := &out.instrs[pc]
		if op := racing(c.Instr(pc), in.op); op != nil {
			in.op = op
			if r, ok := op.(*raced); ok && r.load && r.order != isa.OrderWeak {
				r.awaits = c.awaitsChange(pc)
			}
		}
	}
	return &out
}

// OrderDecides reports whether the order in which warps run may decide what threads access, or what
// orders accesses, even if nothing races: whether threads see what others have done so far, by atomic
// operations, strong loads or mbarriers. A reduction gives nobody anything; what a fence behind it
// orders is decided by those that came before.
func (c *Code) OrderDecides() bool {
	reduces, acquires := false, false
	for pc := range c.instrs {
		in := c.Instr(pc)
		order, _ := in.Strength()
		acquires = acquires || order.Acquires()
		switch {
		case order == isa.OrderWeak || in.Op.Info().Effect&isa.ReadsMem == 0:
		case in.Op == isa.Red:
			reduces = true
		default:
			return true
		}
	}
	return reduces && acquires
}

// Race is a pair of instructions that race, with the first example of it.
type Race struct {
	Kernel *isa.Kernel
	Kind   race.Kind
	Reach  race.Reach
	Space  isa.Space // Shared or Global
	Buffer string    // or variable
	Offset int64     // in it, of the lowest byte that both access
	First  RaceAccess
	Second RaceAccess // the later in the execution
	Count  int64      // of pairs of accesses that race at these instructions
}

// Same reports whether two races are of the same instructions and kind. Copies of an instruction count
// as one.
func (r *Race) Same(other *Race) bool {
	return r.Kind == other.Kind && r.Space == other.Space &&
		r.First.Instr.Pos == other.First.Instr.Pos && r.Second.Instr.Pos == other.Second.Instr.Pos
}

// RaceAccess is one of two accesses that race.
type RaceAccess struct {
	Instr  *isa.Instr
	CTA    [3]int
	Thread [3]int // within the CTA
	Write  bool
	Atomic bool
	Copy   bool // an asynchronous copy for which nobody has waited
}

// PartialBarrier is a barrier that let threads of a CTA go although others had exited, or had nothing but
// their end before them.
type PartialBarrier struct {
	Kernel  *isa.Kernel
	Instr   *isa.Instr
	CTA     [3]int // the first
	Missing int    // threads of it
	Count   int64  // of such barriers
}

// beginRaces prepares for a launch.
func (g *Grid) beginRaces() {
	if g.races == nil {
		g.races = race.New(g.width, g.code.lockStep)
	}
	g.races.Begin()
	g.partial = sized(g.partial, g.code.Len())
	clear(g.partial)
}

// Races lists the data races that the launch has had so far. There are none unless the code was made
// by WithRaces.
func (g *Grid) Races() []Race {
	if g.races == nil {
		return nil
	}
	return g.located(g.races.Races())
}

// Hazards lists the pairs of accesses so far that are no races, and that only lock-step of a warp
// orders. There are none unless the code was made by WithRaces, and threads are scheduled
// independently (see WithThreads).
func (g *Grid) Hazards() []Race {
	if g.races == nil || !g.code.independent() {
		return nil
	}
	return g.located(g.races.Hazards())
}

// located says of races where they are in memory and in the kernel.
func (g *Grid) located(found []race.Race) []Race {
	list := make([]Race, len(found))
	for i, r := range found {
		to := &list[i]
		*to = Race{Kernel: g.code.kernel, Kind: r.Kind, Reach: r.Reach, Space: isa.Global, First: g.participant(r.First), Second: g.participant(r.Second), Count: r.Count}
		if r.Shared {
			to.Space = isa.Shared
			to.Buffer, to.Offset = g.sharedPlace(r.Addr)
		} else if b := g.mem.nearest(r.Addr); b != nil {
			to.Buffer, to.Offset = b.name, int64(r.Addr-b.base)
		}
	}
	return list
}

// sharedPlace returns the variable of shared memory that an address lies in, and where.
func (g *Grid) sharedPlace(addr uint64) (name string, offset int64) {
	name, at := "shared memory", uint64(abi.SharedBase)
	for i := range g.code.kernel.Vars {
		if v := &g.code.kernel.Vars[i]; v.Space == isa.Shared && g.vars[i] <= addr && g.vars[i] >= at {
			name, at = v.Name, g.vars[i]
		}
	}
	return name, int64(addr - at)
}

func (g *Grid) participant(s race.Participant) RaceAccess {
	return RaceAccess{
		Instr: g.code.Instr(s.PC), CTA: unflatten(s.CTA, g.launch.Grid), Thread: unflatten(s.Warp*g.width+s.Lane, g.launch.Block),
		Write: s.Write, Atomic: s.Atomic, Copy: s.Copy,
	}
}

// PartialBarriers lists the barriers that only some threads reached, each instruction once, in the
// order of the kernel. There are none unless the code was made by WithRaces.
func (g *Grid) PartialBarriers() []PartialBarrier {
	var list []PartialBarrier
	for _, b := range g.partial {
		if b.Count > 0 {
			list = append(list, b)
		}
	}
	return list
}

// raced executes an operation and tells the detector.
type raced struct {
	operation
	in    *isa.Instr
	order isa.Order
	scope isa.Scope

	// Of accesses.
	load, store bool
	awaits      bool // a load that a loop repeats until it gives something else
	pieces      []race.Piece
	values      []alu.Slot // of a store, by piece
	copies      *access    // the destination of an asynchronous copy
}

// racing wraps an operation that matters to the order of accesses; nil if it does not.
func racing(in *isa.Instr, op operation) operation {
	if r := racingAsync(in, op); r != nil {
		return r
	}
	r := &raced{operation: op, in: in}
	r.order, r.scope = in.Strength()
	effect := in.Op.Info().Effect
	r.load, r.store = effect&isa.ReadsMem != 0, effect&isa.WritesMem != 0
	switch op := underlying(op).(type) {
	case *load:
		r.elements(in.Dst, op.bytes)
	case *store:
		r.elements(in.Src[1:], op.bytes)
		for _, s := range op.elems {
			if s != alu.SlotSink || len(op.elems) == 1 {
				r.values = append(r.values, s)
			}
		}
	case *atomic:
		r.load = true // also of reductions, which give no result
		r.elements(make([]isa.Operand, op.total/op.bytes), op.bytes)
	case *wideSwap:
		r.load = true
		r.pieces = []race.Piece{{Bytes: op.total}}
	case *matrixAccess:
		r.pieces = []race.Piece{{Bytes: isa.MatrixRow}} // of the lanes that give the addresses
	case *asyncCopy:
		r.pieces, r.copies = []race.Piece{{Bytes: op.bytes}}, &op.to
		r.store = false
	case *branch, *indexed:
	case *barrierOp, *clusterOp, *collective: // which tell the detector themselves
		return nil
	default:
		switch in.Op {
		case isa.Fence, isa.AsyncCommit, isa.AsyncWait, isa.BulkCommit, isa.BulkWait, isa.BulkWaitRead:
		default:
			return nil
		}
	}
	return r
}

// underlying returns the operation that others only watch.
func underlying(op operation) operation {
	switch op := op.(type) {
	case *raced:
		return underlying(op.operation)
	case *turningBranch:
		return underlying(op.operation)
	case *threadWait:
		return underlying(op.operation)
	case *doubtful:
		return underlying(op.op)
	case *checked:
		return op.operation
	case *checkedBulk:
		return op.op
	}
	return op
}

// barrier returns the barrier operation of an instruction.
func (c *Code) barrier(pc int32) *barrierOp { return underlying(c.instrs[pc].op).(*barrierOp) }

// elements sets the pieces: elements of so many bytes that are not dropped.
func (op *raced) elements(list []isa.Operand, bytes int) {
	for i, o := range list {
		if o.Kind != isa.KindSink || len(list) == 1 {
			op.pieces = append(op.pieces, race.Piece{Offset: i * bytes, Bytes: bytes})
		}
	}
}

func (op *raced) exec(w *Warp, mask uint64, eff *Effect) error {
	c, active := w.cta, w.Active()
	d := &c.races
	switch underlying(op.operation).(type) {
	case *branch, *indexed:
		d.Diverge(w.index, active)
	}
	if err := op.operation.exec(w, mask, eff); err != nil {
		return err
	}
	switch op.in.Op {
	case isa.Fence:
		d.Fence(w.index, active, mask, op.order, op.scope)
	case isa.AsyncCommit:
		d.Commit(w.index, race.UntilGroup)
	case isa.BulkCommit:
		d.Commit(w.index, race.UntilBulkGroup)
	case isa.BulkWait:
		d.Wait(w.index, active, race.UntilBulkGroup, int(op.in.Src[0].Imm))
	case isa.BulkWaitRead:
		d.WaitRead(w.index, active, int(op.in.Src[0].Imm))
	case isa.AsyncWait:
		pending := -1
		if len(op.in.Src) > 0 {
			pending = int(op.in.Src[0].Imm)
		}
		d.Wait(w.index, active, race.UntilGroup, pending)
	}
	if len(op.pieces) > 0 && eff.Access.Kind != NoAccess {
		op.access(w, active, mask, eff)
	}
	return nil
}

// access tells the detector of an access.
func (op *raced) access(w *Warp, active, mask uint64, eff *Effect) {
	acc := &eff.Access
	a := race.Access{
		PC: eff.PC, Active: active, Addr: &acc.Addr, Pieces: op.pieces, Load: op.load, Store: op.store, Unread: op.in.Op == isa.Red, Awaits: op.awaits, Order: op.order, Scope: op.scope,
	}
	if op.values != nil {
		a.Value = func(lane, piece int) uint64 { return w.regs.At(op.values[piece], lane) }
	}
	for _, space := range [2]isa.Space{isa.Shared, isa.Global} {
		if a.Lanes = acc.Lanes[space]; a.Lanes != 0 {
			a.Shared = space == isa.Shared
			w.cta.races.Access(w.index, &a)
		}
	}
	if op.copies == nil {
		return
	}
	var to [MaxWidth]uint64
	for m := mask; m != 0; m &= m - 1 {
		lane := alu.First(m)
		addr := w.regs.At(op.copies.base, lane) + op.copies.offset
		if op.copies.indexed {
			addr += w.regs.At(op.copies.index, lane)
		}
		to[lane] = addr & op.copies.wrap
	}
	a.Lanes, a.Addr, a.Shared, a.Load, a.Store, a.Copy = mask, &to, true, false, true, true
	w.cta.races.Access(w.index, &a)
}

// released tells the detector of warps that go on behind a barrier, and notes if it was one for all threads of the
// CTA and some did not come.
func (c *CTA) released(warps uint64) {
	if warps == 0 {
		return
	}
	c.races.Release(warps)
	missing := c.grid.Threads() + c.absent
	for i := range c.Warps {
		missing -= bits.OnesCount64(c.Warps[i].alive)
	}
	c.absent = 0
	if missing == 0 {
		return
	}
	at := c.Warps[alu.First(warps)].arrived
	if b, ok := underlying(c.grid.code.instrs[at].op).(*barrierOp); ok && !b.counted {
		c.note(at, missing)
	}
}

// note counts a barrier that so many threads of the CTA did not reach.
func (c *CTA) note(pc int32, missing int) {
	g := c.grid
	found := &g.partial[pc]
	found.Count++
	if found.Count == 1 {
		found.Kernel, found.Instr = g.code.kernel, g.code.Instr(int(pc))
		found.CTA, found.Missing = unflatten(c.Index, g.launch.Grid), missing
	}
}

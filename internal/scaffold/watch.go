package scaffold

import (
	"context"
	"errors"
	"math/bits"

	"warpbound/internal/abi"
	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
)

// width is the number of threads of a warp in trials.
const width = 32

// maxSteps bounds the instructions of the warps in a trial.
const maxSteps = 1 << 19

// errSteps says that a trial was given up.
var errSteps = errors.New("the kernel does not end soon")

// placed is a buffer in the memory of a trial: the address that is passed lies somewhere in it.
type placed struct {
	word    int // of the arguments that is the address
	address uint64
	before  int // bytes that can be accessed before the address
	bytes   int // and from it on
}

// outcome is what an execution has shown.
type outcome struct {
	err     error  // why it ended before the end; nil for none
	pc      int    // of the instruction that failed
	at      origin // on what the address depends that failed
	address uint64
	steps   int // instructions of warps
	reached []reached
	covered []bool // by block
	shared  uint64 // end of the dynamic shared memory that was accessed, from its begin
}

// watcher executes a kernel, and notes what its instructions do with the arguments.
type watcher struct {
	kernel   *isa.Kernel
	graph    *cfg.Graph
	code     *emu.Code
	evidence *evidence

	block   [3]int
	buffers []placed
	out     *outcome
	warps   []watched // of the CTA
	shared  map[uint64]origin
	of      []origin // of the operands of an instruction
	results []origin
}

// watched is what is known of the registers and the memory of a warp.
type watched struct {
	regs  []origin
	local map[uint64]origin
}

func newWatcher(k *isa.Kernel) (*watcher, error) {
	g, err := cfg.Build(k)
	if err != nil {
		return nil, err
	}
	code, err := emu.Decode(k, g)
	if err != nil {
		return nil, err
	}
	return &watcher{kernel: k, graph: g, code: code, evidence: newEvidence()}, nil
}

// run executes a launch on memory in which the buffers lie. An error is one of the launch as a whole, or of the
// context.
func (w *watcher) run(ctx context.Context, launch emu.Launch, mem *emu.Memory, buffers []placed) (*outcome, error) {
	grid, err := emu.NewGrid(w.code, launch, mem, width)
	if err != nil {
		return nil, err
	}
	w.buffers, w.block = buffers, launch.Block
	w.out = &outcome{covered: make([]bool, len(w.graph.Blocks)), reached: make([]reached, len(buffers))}
	var cta emu.CTA
	var eff emu.Effect
	env := &emu.Env{SMs: 1}
	for i := range grid.CTAs() {
		grid.StartCTA(&cta, i)
		w.begin(len(cta.Warps))
		for !cta.Done() {
			for k := range cta.Warps {
				warp := &cta.Warps[k]
				for !warp.Done() && !warp.AtBarrier() && !warp.Polled() {
					if w.out.steps++; w.out.steps > maxSteps {
						w.out.err, w.out.pc = errSteps, warp.PC()
						return w.out, nil
					}
					if w.out.steps%(1<<12) == 0 && ctx.Err() != nil {
						return nil, ctx.Err()
					}
					if err := w.step(warp, &w.warps[k], env, &eff); err != nil {
						w.out.err, w.out.pc = err, eff.PC
						return w.out, nil
					}
				}
			}
		}
	}
	return w.out, nil
}

// lane returns the number of a thread in its CTA.
func lane(thread, block [3]int) int { return thread[0] + block[0]*(thread[1]+block[1]*thread[2]) }

// begin forgets the registers and the memory of the CTA before.
func (w *watcher) begin(warps int) {
	for len(w.warps) < warps {
		w.warps = append(w.warps, watched{regs: make([]origin, len(w.kernel.Regs))})
	}
	for i := range w.warps {
		clear(w.warps[i].regs)
		w.warps[i].local = make(map[uint64]origin)
	}
	w.shared = make(map[uint64]origin)
}

// step executes an instruction of a warp.
func (w *watcher) step(warp *emu.Warp, at *watched, env *emu.Env, eff *emu.Effect) error {
	pc, active := warp.PC(), warp.Active()
	in := &w.kernel.Instrs[pc]
	block := w.graph.BlockOf(pc)
	w.out.covered[block] = true
	w.of = w.of[:0]
	for _, o := range in.Src {
		w.of = append(w.of, w.operand(o, at))
	}
	var guard origin
	if in.Guard.Set {
		guard = at.regs[in.Guard.Reg]
	}
	access := in.Op.Info().Effect&(isa.ReadsMem|isa.WritesMem) != 0
	switch {
	case in.Op == isa.Bra || in.Op == isa.BrxIdx:
		for _, f := range w.of {
			guard = guard.join(f)
		}
		w.evidence.branches[block] = w.evidence.branches[block].join(guard)
	case in.Op == isa.Setp, in.Op == isa.Set, in.Op == isa.Min, in.Op == isa.Max:
		lane := bits.TrailingZeros64(active)
		w.evidence.compare(pc, in, w.of, [2]int64{value(warp, in, 0, lane), value(warp, in, 1, lane)})
	}
	if !access {
		w.evidence.operands(in, w.of)
	} else if len(w.of) > 0 && in.Space != isa.Param {
		w.addressed(in, w.of[0])
	}
	if err := warp.Step(env, eff); err != nil {
		if access && len(w.of) > 0 {
			w.out.at = w.of[0]
			if fault := (*emu.Fault)(nil); errors.As(err, &fault) {
				w.out.address = eff.Access.Addr[lane(fault.Thread, w.block)%width]
			}
		}
		return err
	}
	w.results = w.results[:0]
	if access {
		w.accessed(in, at, eff)
	} else {
		w.results = append(w.results, computed(in, w.of))
	}
	for i, o := range in.Dst {
		if o.Kind != isa.KindReg {
			continue
		}
		var result origin
		if len(w.results) > 0 {
			result = w.results[min(i, len(w.results)-1)]
		}
		if eff.Mask != active { // other lanes keep what they have
			result = result.join(at.regs[o.Reg])
		}
		at.regs[o.Reg] = result
	}
	return nil
}

// operand returns where a source of an instruction comes from.
func (w *watcher) operand(o isa.Operand, at *watched) origin {
	switch o.Kind {
	case isa.KindReg:
		return at.regs[o.Reg]
	case isa.KindAddr, isa.KindVarAddr:
		if o.Reg != isa.NoReg {
			return at.regs[o.Reg]
		}
	case isa.KindSpecial:
		s := axis(o.Special)
		return origin{s, s}
	case isa.KindParam:
		return w.evidence.word(w.kernel.Params[o.Var].Offset, w.kernel.Params[o.Var].Type)
	}
	return origin{}
}

// value returns what a source of an instruction is in a lane.
func value(warp *emu.Warp, in *isa.Instr, i, lane int) int64 {
	typ := in.Type
	if in.SrcType != isa.Invalid {
		typ = in.SrcType
	}
	switch o := in.Src[i]; o.Kind {
	case isa.KindImm:
		return number(o.Imm, typ)
	case isa.KindReg:
		return number(warp.Register(o.Reg, lane), typ)
	}
	return 0
}

// addressed notes what the address of an access depends on.
func (w *watcher) addressed(in *isa.Instr, f origin) {
	f.all.each(func(s int) {
		src := &w.evidence.sources[s]
		term := f.base>>s&1 != 0
		src.shared = src.shared || term && in.Space == isa.Shared
		src.indexes = src.indexes || !term || src.word < 0
	})
}

// accessed notes which buffers an access has reached, and where its results come from, element by element.
func (w *watcher) accessed(in *isa.Instr, at *watched, eff *emu.Effect) {
	size, n := in.Type.Bytes(), max(len(in.Dst), len(w.of)-1, 1)
	if in.Op == isa.Ld && in.Space == isa.Param && in.Src[0].Kind == isa.KindVarAddr && in.Src[0].Reg == isa.NoReg {
		for i := range n {
			w.results = append(w.results, w.evidence.word(int(in.Src[0].Imm)+i*size, in.Type))
		}
		return
	}
	acc := &eff.Access
	if acc.Kind == emu.NoAccess || acc.Bulk {
		return
	}
	for len(w.results) < n {
		w.results = append(w.results, origin{})
	}
	stored := func(i int) origin {
		if len(w.of) > 1 {
			return w.of[min(1+i, len(w.of)-1)]
		}
		return origin{}
	}
	for m := eff.Mask; m != 0; m &= m - 1 {
		addr := acc.Addr[bits.TrailingZeros64(m)]
		if addr >= abi.GlobalBase {
			w.results[0] = w.results[0].join(w.reach(in, addr, eff))
			continue
		}
		if base := abi.SharedBase + w.code.DynamicSharedOffset(); addr < abi.LocalBase && addr >= base {
			w.out.shared = max(w.out.shared, addr+uint64(acc.Bytes)-base)
		}
		for i := range n {
			element := addr + uint64(i*size)
			var from origin
			switch {
			case addr >= abi.ParamBase:
				from = w.evidence.word(int(element-abi.ParamBase), in.Type)
			case addr >= abi.LocalBase:
				from = remember(at.local, element, size, stored(i), acc.Kind, m&(m-1) != eff.Mask&(eff.Mask-1))
			default:
				from = remember(w.shared, element, size, stored(i), acc.Kind, true)
			}
			w.results[i] = w.results[i].join(from)
		}
		if acc.AddrDiff == 0 { // all lanes do the same
			break
		}
	}
	if acc.Space == isa.Global || acc.Space == isa.Const || acc.Space == isa.Generic {
		for i := range w.results { // of one buffer
			w.results[i] = w.results[i].join(w.results[0])
		}
	}
}

// granule is the number of bytes of local and shared memory for which one origin is noted.
const granule = 4

// remember stores or loads where a number of some bytes in local or shared memory comes from. What several lanes store at
// one address is joined, and what does not fill a granule is joined with what else lies there.
func remember(memory map[uint64]origin, addr uint64, bytes int, stored origin, kind emu.AccessKind, join bool) origin {
	var old origin
	for at := addr / granule; at*granule < addr+uint64(bytes); at++ {
		there := memory[at]
		old = old.join(there)
		if kind == emu.Load {
			continue
		}
		if join || bytes < granule {
			there = stored.join(there)
		} else {
			there = stored
		}
		memory[at] = there
	}
	return old
}

// reach notes that a lane accesses global memory, and returns where what it loads comes from.
func (w *watcher) reach(in *isa.Instr, addr uint64, eff *emu.Effect) origin {
	i := w.in(addr)
	if i < 0 {
		return origin{}
	}
	r := &w.out.reached[i]
	r.access(eff.PC, int64(addr-w.buffers[i].address), eff.Access.Bytes)
	r.from |= w.of[0].all
	r.types[in.Type]++
	switch eff.Access.Kind {
	case emu.Load:
		r.loaded = true
	case emu.Store:
		r.stored = true
	case emu.Atomic:
		r.combined = true
	}
	w.of[0].base.each(func(s int) {
		if w.evidence.sources[s].word == w.buffers[i].word {
			w.evidence.sources[s].address = true
		}
	})
	w.of[0].all.each(func(s int) {
		src := &w.evidence.sources[s]
		src.chased = src.chased || src.buffer == w.buffers[i].word
	})
	if at := (addr - w.buffers[i].address) / 8; in.Type.Bytes() == 8 && at < 64 {
		r.wide |= 1 << at
	}
	if eff.Access.Kind != emu.Load {
		return origin{}
	}
	return w.evidence.contents(w.buffers[i].word)
}

// in returns the buffer in which an address lies, -1 for none.
func (w *watcher) in(addr uint64) int {
	for i, b := range w.buffers {
		if addr-(b.address-uint64(b.before)) < uint64(b.before+b.bytes) {
			return i
		}
	}
	return -1
}

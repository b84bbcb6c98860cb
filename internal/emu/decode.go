package emu

import (
	"slices"

	"warpbound/diag"
	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// Decode makes a kernel ready for execution. Diverged lanes reconverge where g, the
// kernel's flow graph, says. An instruction that
// is not known, an operation that has no meaning on its type, and a register that
// is too narrow for a result are errors with the instruction's position and text;
// Decode reports all that it finds.
func Decode(k *isa.Kernel, g *cfg.Graph) (*Code, error) {
	d := &decoder{
		kernel: k, graph: g, slots: make(map[constant]alu.Slot),
		code: &Code{kernel: k, graph: g, instrs: make([]instr, len(k.Instrs)), wordMasks: none},
	}
	if err := d.checkRegs(); err != nil {
		return nil, err
	}
	d.layOutRegs()
	d.code.awaits = make([]bool, len(k.Instrs))
	for i := range k.Instrs {
		d.code.awaits[i] = g.ReachesBarrier(g.BlockOf(i))
		d.code.learns = d.code.learns || learnsOfOthers(&k.Instrs[i])
	}
	if err := d.layOutVars(); err != nil {
		return nil, err
	}
	var errs diag.List
	for i := range k.Instrs {
		d.in, d.pc, d.err = &k.Instrs[i], i, nil
		d.out = &d.code.instrs[i]
		d.decode()
		if d.err != nil {
			errs.Add(diag.Errorf(d.in.Pos, "cannot execute %s: %w", k.Format(d.in), d.err))
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	joining := make([]int, len(d.joining))
	for i, pc := range d.joining {
		joining[i] = g.BlockOf(pc)
	}
	joins := g.Flow.Graph().Reverse().Reachable(joining...)
	d.code.joins = slices.Clone(d.code.awaits)
	for i := range k.Instrs {
		d.code.joins[i] = d.code.joins[i] || joins[g.BlockOf(i)]
	}
	d.code.layOutRuns(g)
	d.code.findDeciding()
	return d.code, nil
}

// checkRegs reports registers that the kernel does not have.
func (d *decoder) checkRegs() error {
	var errs diag.List
	for i := range d.kernel.Instrs {
		in := &d.kernel.Instrs[i]
		check := func(r isa.Reg) {
			if r < 0 || int(r) >= len(d.kernel.Regs) {
				errs.Add(diag.Errorf(in.Pos, "cannot execute %s: there is no register %d", in, r))
			}
		}
		in.Reads(check)
		in.Writes(check)
	}
	return errs.Err()
}

// layOutRegs gives every register a place or a mask, and every special register
// that changes while a warp runs a place.
func (d *decoder) layOutRegs() {
	registers, words, vectors := allocate(d.kernel, d.graph)
	d.registers = registers
	masks := alu.MaskRegs
	d.masks = make([]alu.MaskSlot, len(d.kernel.Regs))
	for i, r := range d.kernel.Regs {
		if r.Type == isa.Pred {
			d.masks[i] = masks
			masks++
		}
	}
	d.changing = make(map[isa.Special]alu.Slot)
	for i := range d.kernel.Instrs {
		for _, o := range d.kernel.Instrs[i].Src {
			if o.Kind != isa.KindSpecial || specialScope(o.Special) != ofStep {
				continue
			}
			if _, ok := d.changing[o.Special]; !ok {
				if o.Special.Bits() > 32 {
					d.changing[o.Special] = alu.WideSlot(alu.RegsBase + vectors)
					vectors++
				} else {
					d.changing[o.Special] = alu.Slot(alu.RegsBase + words)
					words++
				}
			}
		}
	}
	d.code.registers, d.code.slots = d.registers, d.masks
	d.code.words, d.code.vectors, d.code.masks = words, vectors, int(masks)
}

// layOutVars places the variables of shared and local memory and measures the
// parameter block.
func (d *decoder) layOutVars() error {
	k, c := d.kernel, d.code
	c.offsets = make([]uint64, len(k.Vars))
	shared, local, dynamicAlign := uint64(abi.SharedBase), uint64(abi.LocalBase), uint64(16)
	place := func(v *isa.Var, next *uint64, end uint64) (uint64, error) {
		at := abi.AlignUp(*next, uint64(max(v.Align, 1)))
		if v.Bytes < 0 || at > end || uint64(v.Bytes) > end-at {
			return 0, diag.Errorf(v.Pos, "variable %s of %d bytes does not fit into the %d bytes that are left of %s memory", v.Name, v.Bytes, end-*next, v.Space)
		}
		*next = at + uint64(v.Bytes)
		return at, nil
	}
	var err error
	for i := range k.Vars {
		switch v := &k.Vars[i]; {
		case v.Space == isa.Shared && v.Extern:
			dynamicAlign = max(dynamicAlign, uint64(v.Align))
		case v.Space == isa.Shared:
			c.offsets[i], err = place(v, &shared, abi.SharedBase+abi.MaxShared)
		case v.Space == isa.Local:
			c.offsets[i], err = place(v, &local, abi.LocalBase+abi.MaxLocal)
		case v.Space != isa.Global && v.Space != isa.Const:
			err = diag.Errorf(v.Pos, "variable %s is in %s space", v.Name, v.Space)
		}
		if err != nil {
			return err
		}
	}
	c.sharedBytes = int(shared - abi.SharedBase)
	c.localBytes = int(abi.AlignUp(local-abi.LocalBase, 16))
	c.dynamicBase = abi.AlignUp(shared, dynamicAlign)
	for i := range k.Vars {
		if v := &k.Vars[i]; v.Space == isa.Shared && v.Extern {
			c.offsets[i] = c.dynamicBase
		}
	}
	for _, p := range k.Params {
		c.paramBytes = max(c.paramBytes, p.Offset+p.Bytes)
	}
	return nil
}

// decode fills d.out from d.in.
func (d *decoder) decode() {
	in := d.in
	if obstacle := in.Obstacle(); obstacle != "" {
		d.fail("%s", obstacle)
		return
	}
	if err := in.CheckOperands(); err != nil {
		d.note(err)
		return
	}
	if in.Guard.Set && !d.testsNumber() {
		d.out.guard = d.test(isa.Operand{Kind: isa.KindReg, Reg: in.Guard.Reg, Not: in.Guard.Not})
	}
	if op := d.operation(); op != nil {
		d.out.op = op
		if !in.HasOnly(0) {
			d.unsupported()
		}
	} else if d.err == nil {
		d.compute()
	}
	d.out.branch = in.Op == isa.Bra || in.Op == isa.BrxIdx
	d.out.changes = canChangeOthers(in, d.out)
}

// operation returns how an instruction is executed that does not just compute, nil for
// all others.
func (d *decoder) operation() operation {
	in := d.in
	if d.kernel.Reconvergence == isa.AtSyncs {
		if op := d.atSyncs(); op != nil {
			return op
		}
	}
	switch in.Op {
	case isa.Bra, isa.BrxIdx:
		d.out.control = true
		return d.branch()
	case isa.Ret, isa.Exit:
		d.out.control = true
		return exit{}
	case isa.Trap:
		return trap{}
	case isa.RunSystem:
		return d.system()
	case isa.CpAsync:
		return d.asyncCopy()
	case isa.Mbarrier:
		return d.mbarrier()
	case isa.BulkCopy:
		return d.bulkCopy()
	case isa.AsyncCommit, isa.AsyncWait, isa.BulkDrain, isa.BulkCommit, isa.BulkWait, isa.BulkWaitRead, isa.Nop, isa.Fence, isa.Prefetch, isa.Split, isa.Merge:
		return nop{}
	case isa.Ld:
		return d.load()
	case isa.St:
		return d.store()
	case isa.Atom, isa.Red:
		return d.atomic()
	case isa.LdMatrix, isa.StMatrix:
		return d.matrixAccess()
	case isa.Bar:
		if in.Barrier == isa.BarrierClusterArrive || in.Barrier == isa.BarrierClusterWait {
			return d.clusterBarrier()
		}
		return d.barrier()
	case isa.Isspacep:
		return &isspacep{p: d.maskDest(0), a: d.source(0, true), space: in.Space}
	}
	return nil
}

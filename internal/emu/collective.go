package emu

import (
	"errors"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// collective is an operation in which the lanes take part that it names.
type collective struct {
	alu.Gathering
	members alu.Slot // the mask that names them
	orders  bool     // what the lanes did to memory
}

// exec executes the operation. It is an error if a lane is named that is not among those that
// execute it: on a machine with one stack per warp it never arrives. Lanes that have
// exited do not count, nor do those on their way to the exit: that wait where no
// instruction is ahead which names members, and no barrier.
func (op *collective) exec(w *Warp, mask uint64, eff *Effect) error {
	members, err := w.uniform(op.members, mask, int32(eff.PC), "member mask")
	if err != nil {
		return err
	}
	if lanes := w.beyond(members & w.whole().alive); lanes != 0 {
		return w.faultf(int32(eff.PC), lanes, "the thread is named in the member mask 0x%x and is diverged from the others of its warp, "+
			"which has split", members)
	}
	if lanes, entry := w.missing(members&w.alive&^mask, w.code.joins); lanes != 0 {
		return w.faultf(int32(eff.PC), lanes, "the thread is named in the member mask 0x%x and does not take part: %s. "+
			"Name only those that do, let them reconverge first, or let the others exit before", members, w.pending(lanes, entry, "instruction"))
	}
	if err := alu.CheckNamed(members, mask); err != nil {
		return w.laneFault(int32(eff.PC), err)
	}
	op.Exec(&w.regs, mask)
	op.noteOrder(w, w.Active(), mask)
	return nil
}

// execAt executes the operation for lanes that are at several instructions.
func (op *collective) execAt(w *Warp, groups []parkedGroup, all uint64) error {
	c := w.cta
	c.gathered = alu.Gathered{}
	for _, g := range groups {
		w.code.waitAt(g.pc).collective.Gather(&w.regs, g.lanes, &c.gathered)
	}
	for _, g := range groups {
		w.code.waitAt(g.pc).collective.Deliver(&w.regs, g.lanes, all, &c.gathered)
	}
	op.noteOrder(w, all, all)
	return nil
}

// noteOrder tells the detector of races what the operation orders.
func (op *collective) noteOrder(w *Warp, active, lanes uint64) {
	if op.orders && w.cta.grid.races != nil {
		w.cta.races.WarpSync(w.index, active, lanes)
	}
}

// laneFault makes the error of a lane that package alu found.
func (w *Warp) laneFault(pc int32, err error) error {
	var e *alu.LaneError
	if !errors.As(err, &e) {
		return err
	}
	return w.fault(pc, e.Lane, e.Err)
}

// compute decodes an instruction that computes. One that names the lanes which take part is
// executed by an operation of this package, which looks for those that are missing.
func (d *decoder) compute() {
	instr, err := alu.Decode(d.in, alu.ResultWidth(d.kernel, d.in), operands{d})
	d.note(err)
	d.out.Instr = instr
	if alu.HasLaneMask(d.in) {
		d.code.wordMasks = int32(d.pc)
	}
	if c, ok := instr.Op.(alu.Collective); ok && c.Aligned() {
		d.out.op, d.out.Op = &aligned{c}, nil
	} else if ok {
		if members, named := c.Members(); named {
			d.joining = append(d.joining, d.pc)
			d.out.op, d.out.Op = &collective{c.(alu.Gathering), members, d.in.Op == isa.BarWarp}, nil
		}
	}
}

// operands are those of the instruction that is being decoded.
type operands struct{ *decoder }

func (o operands) Source(i int, wide bool) alu.Slot { return o.source(i, wide) }
func (o operands) Dest(i, bits int) alu.Slot        { return o.dest(i, bits) }
func (o operands) Test(i int) alu.Predicate         { return o.test(o.in.Src[i]) }
func (o operands) MaskDest(i int) alu.MaskSlot      { return o.maskDest(i) }
func (o operands) Zero() alu.Slot                   { return o.constant(constant{}) }

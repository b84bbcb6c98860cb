package alu

import "warpbound/internal/isa"

// Lanes is a source or a result of a Pure: a number for each lane of a warp, or a
// truth value for each where the operand is a predicate.
type Lanes struct {
	Num  []Vector // as many as it takes for the lanes of the warp
	Bits uint64
}

// Pure is an instruction whose results depend on nothing but its sources: not on
// memory, other warps or time. It does not change and may be shared.
type Pure struct {
	instr     Instr
	together  Collective // instr.Op if it is one
	constants []*Vector  // values of the slots behind those of the operands
}

// IsPure reports whether an operation has results and they depend on nothing but
// its sources; for operations with the effect isa.Crosslane, on those of all
// lanes that take part.
func IsPure(op isa.Op) bool {
	switch info := op.Info(); info.Unit {
	case isa.NoUnit, isa.UnitMem, isa.UnitCtl:
		return false
	case isa.UnitSync:
		return info.Effect == isa.Crosslane && info.Dst[1] > 0
	}
	return op != isa.Isspacep && op != isa.Nop
}

// NewPure makes a Pure of an instruction of a kernel, whose operation must be
// pure. The guard is left out.
func NewPure(k *isa.Kernel, in *isa.Instr) (*Pure, error) {
	if err := in.CheckOperands(); err != nil {
		return nil, err
	}
	at := &unattached{kernel: k, in: in}
	instr, err := Decode(in, ResultWidth(k, in), at)
	if at.err != nil {
		err = at.err // noted before what Decode found, if that found anything
	}
	if err != nil {
		return nil, err
	}
	p := &Pure{instr: instr, constants: at.constants}
	p.together, _ = instr.Op.(Collective)
	return p, nil
}

// unattached gives every operand of an instruction a place of its own, the sources before the
// results and behind them the immediates.
type unattached struct {
	kernel    *isa.Kernel
	in        *isa.Instr
	constants []*Vector
	err       error // the first
}

// note keeps the first error.
func (a *unattached) note(err error) {
	if a.err == nil {
		a.err = err
	}
}

// Source implements Operands. Whatever no instruction assigns is a source like a register,
// but immediates are known.
func (a *unattached) Source(i int) Slot {
	switch o := a.in.Src[i]; {
	case o.Kind == isa.KindImm:
		return a.constant(o.Imm)
	case o.Kind == isa.KindReg:
		a.note(CheckNumber(a.kernel, o))
	case o.Kind == isa.KindSink, o.Kind == isa.KindSpecial && o.Special.Bits() == 1:
		a.note(sourceError(i, o))
	}
	return SlotRegs + Slot(i)
}

// Dest implements Operands.
func (a *unattached) Dest(i, bits int) Slot {
	switch o := a.in.Dst[i]; o.Kind {
	case isa.KindSink:
		return SlotSink
	case isa.KindReg:
		a.note(CheckNumber(a.kernel, o))
		a.note(CheckWidth(a.kernel, o, bits))
	default:
		a.note(resultError(i, o))
	}
	return SlotRegs + Slot(len(a.in.Src)+i)
}

// Test implements Operands.
func (a *unattached) Test(i int) Predicate {
	o := a.in.Src[i]
	if p, known, err := Truth(a.kernel, o); known || err != nil {
		a.note(err)
		return p
	}
	return Predicate{Slot: MaskRegs + MaskSlot(i), Not: Spread(o.Not)}
}

// MaskDest implements Operands.
func (a *unattached) MaskDest(i int) MaskSlot {
	switch o := a.in.Dst[i]; o.Kind {
	case isa.KindSink:
		return MaskSink
	case isa.KindReg:
		a.note(CheckPredicate(a.kernel, o))
	default:
		a.note(resultError(i, o))
	}
	return MaskRegs + MaskSlot(len(a.in.Src)+i)
}

// Zero implements Operands.
func (a *unattached) Zero() Slot { return a.constant(0) }

// constant returns the slot of a value.
func (a *unattached) constant(x uint64) Slot {
	v := new(Vector)
	v.Fill(x)
	a.constants = append(a.constants, v)
	return SlotRegs + Slot(len(a.in.Src)+len(a.in.Dst)+len(a.constants)-1)
}

// Evaluator computes instructions on values that its user holds. It may be used by one
// goroutine at a time.
type Evaluator struct {
	regs    Registers
	sink    [MaxWidth / lanes]Vector
	scratch Vector
}

// NewEvaluator returns an evaluator for warps of width lanes.
func NewEvaluator(width int) *Evaluator {
	e := &Evaluator{}
	e.regs.Chunks = (width + lanes - 1) / lanes
	e.regs.Scratch = &e.scratch
	return e
}

// Do computes the results of p from its sources, in order, for the lanes of mask;
// of other lanes the results are undefined. Immediates among the sources need no
// value. A result's vectors must not be those of a source. An error is a *LaneError.
func (e *Evaluator) Do(p *Pure, mask uint64, dst, src []Lanes) error {
	e.bind(p, dst, src)
	e.regs.Full = mask
	if p.together != nil {
		if err := checkMembers(p.together, &e.regs, mask); err != nil {
			return err
		}
	}
	e.execute(p, mask)
	for i := range dst {
		dst[i].Bits = e.regs.Preds[int(MaskRegs)+len(src)+i]
	}
	return nil
}

// bind makes registers of the operands of p.
func (e *Evaluator) bind(p *Pure, dst, src []Lanes) {
	r := &e.regs
	for k := range r.Chunks {
		table := append(r.Vecs[k][:0], &e.sink[k])
		for _, operands := range [2][]Lanes{src, dst} {
			for _, o := range operands {
				v := &e.sink[k]
				if o.Num != nil {
					v = &o.Num[k]
				}
				table = append(table, v)
			}
		}
		r.Vecs[k] = append(table, p.constants...)
	}
	r.Preds = append(r.Preds[:0], ^uint64(0), 0)
	for _, o := range src {
		r.Preds = append(r.Preds, o.Bits)
	}
	for range dst {
		r.Preds = append(r.Preds, 0)
	}
}

// execute executes p on the registers for the lanes of mask.
func (e *Evaluator) execute(p *Pure, mask uint64) {
	if p.instr.Func != nil {
		e.regs.Compute(&p.instr, mask)
		return
	}
	p.instr.Op.Exec(&e.regs, mask)
}

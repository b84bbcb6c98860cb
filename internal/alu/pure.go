package alu

import (
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

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
	operands  []operand
	constants []constant // values of the slots behind those of the operands

	unsettled  func(l *InLane) bool // see Unsettled
	immediates [maxSources]uint64
}

// IsPure reports whether an operation has results and they depend on nothing but
// its sources; for operations with the effect isa.Crosslane, on those of all
// lanes that take part. Products of matrices are not counted among them: what is left open of
// their sums is nothing to conclude from.
func IsPure(op isa.Op) bool {
	switch info := op.Info(); info.Unit {
	case isa.NoUnit, isa.UnitMem, isa.UnitCtl, isa.UnitTensor:
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
	at := &unattached{kernel: k, in: in, operands: make([]operand, len(in.Src)+len(in.Dst))}
	instr, err := Decode(in, ResultWidth(k, in), at)
	if at.err != nil {
		err = at.err // noted before what Decode found, if that found anything
	}
	if err != nil {
		return nil, err
	}
	p := &Pure{instr: instr, operands: at.operands, constants: at.constants, unsettled: Unsettled(in)}
	for i, o := range in.Src[:min(len(in.Src), maxSources)] {
		if o.Kind == isa.KindImm {
			p.immediates[i] = o.Imm
		}
	}
	p.together, _ = instr.Op.(Collective)
	return p, nil
}

// Unsettled returns the lanes of mask in which bounds must not rest on what the first result is for
// these sources.
func (p *Pure) Unsettled(mask uint64, dst, src []Lanes) (unsettled uint64) {
	if p.unsettled == nil {
		return 0
	}
	for m := mask; m != 0; m &= m - 1 {
		lane := First(m)
		l := InLane{Src: p.immediates, Lane: lane, Mask: mask}
		for i := range src[:min(len(src), maxSources)] {
			if o := p.operands[i]; o.word || o.wide {
				l.Src[i] = src[i].Num[lane/vec.Lanes][lane%vec.Lanes]
			}
		}
		if o := p.operands[len(src)]; len(dst) > 0 && (o.word || o.wide) {
			l.Dst = dst[0].Num[lane/vec.Lanes][lane%vec.Lanes]
		}
		if p.unsettled(&l) {
			unsettled |= 1 << lane
		}
	}
	return unsettled
}

// unattached gives every operand of an instruction a place of its own in either table, the
// sources before the results and behind them the immediates.
type unattached struct {
	kernel    *isa.Kernel
	in        *isa.Instr
	operands  []operand // the sources and then the results
	constants []constant
	err       error // the first
}

// operand says where the values of an operand are needed: in which of the tables, if in any.
type operand struct{ word, wide bool }

// constant is the value of an immediate for either table.
type constant struct {
	words  Words
	vector Vector
}

// note keeps the first error.
func (a *unattached) note(err error) {
	if a.err == nil {
		a.err = err
	}
}

// Source implements Operands. Whatever no instruction assigns is a source like a register,
// but immediates are known.
func (a *unattached) Source(i int, wide bool) Slot {
	switch o := a.in.Src[i]; {
	case o.Kind == isa.KindImm:
		return a.constant(o.Imm, wide)
	case o.Kind == isa.KindReg:
		a.note(CheckNumber(a.kernel, o))
		wide = a.kernel.Regs[o.Reg].Type.Bits() > 32
	case o.Kind == isa.KindSink, o.Kind == isa.KindSpecial && o.Special.Bits() == 1:
		a.note(sourceError(i, o))
	}
	return a.place(i, wide)
}

// Dest implements Operands.
func (a *unattached) Dest(i, bits int) Slot {
	wide := false
	switch o := a.in.Dst[i]; o.Kind {
	case isa.KindSink:
		return SlotSink
	case isa.KindReg:
		wide = a.kernel.Regs[o.Reg].Type.Bits() > 32
		a.note(CheckNumber(a.kernel, o))
		a.note(CheckWidth(a.kernel, o, bits))
	default:
		a.note(resultError(i, o))
	}
	return a.place(len(a.in.Src)+i, wide)
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
func (a *unattached) Zero() Slot { return a.constant(0, false) }

// place returns the slot of operand n.
func (a *unattached) place(n int, wide bool) Slot {
	if wide {
		a.operands[n].wide = true
		return WideSlot(RegsBase + n)
	}
	a.operands[n].word = true
	return RegsBase + Slot(n)
}

// constant returns the slot of a value.
func (a *unattached) constant(x uint64, wide bool) Slot {
	var c constant
	c.words.Fill(uint32(x))
	c.vector.Fill(x)
	a.constants = append(a.constants, c)
	n := RegsBase + len(a.in.Src) + len(a.in.Dst) + len(a.constants) - 1
	if wide {
		return WideSlot(n)
	}
	return Slot(n)
}

// Evaluator computes instructions on values that its user holds. It may be used by one
// goroutine at a time.
type Evaluator struct {
	regs    Registers
	scratch Scratch
	words   [MaxWidth / lanes][]*Words // room for operands of up to 32 bits
}

// NewEvaluator returns an evaluator for warps of width lanes.
func NewEvaluator(width int) *Evaluator {
	e := &Evaluator{}
	e.regs.Chunks = (width + lanes - 1) / lanes
	e.regs.Scratch = &e.scratch
	for k := range e.regs.Chunks {
		e.regs.Words[k], e.regs.Vecs[k] = e.scratch.Words(k, 0), e.scratch.Vecs(k, 0)
	}
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
	e.regs.Compute(&p.instr, mask)
	for i := range dst {
		n := len(src) + i
		if p.operands[n].word && dst[i].Num != nil {
			for k := range e.regs.Chunks {
				vec.Extend(&dst[i].Num[k], e.words[k][n])
			}
		}
		dst[i].Bits = e.regs.Preds[int(MaskRegs)+n]
	}
	return nil
}

// bind makes registers of the operands of p.
func (e *Evaluator) bind(p *Pure, dst, src []Lanes) {
	r := &e.regs
	for k := range r.Chunks {
		words, vecs := r.Words[k][:RegsBase], r.Vecs[k][:RegsBase]
		for n := range len(src) + len(dst) {
			o := Lanes{}
			if n < len(src) {
				o = src[n]
			} else {
				o = dst[n-len(src)]
			}
			word, v := words[SlotSink], vecs[SlotSink]
			switch {
			case o.Num == nil:
			case p.operands[n].word:
				word = e.room(k, n)
				if n < len(src) {
					vec.Truncate(word, &o.Num[k])
				}
			default:
				v = &o.Num[k]
			}
			words, vecs = append(words, word), append(vecs, v)
		}
		for i := range p.constants {
			words, vecs = append(words, &p.constants[i].words), append(vecs, &p.constants[i].vector)
		}
		r.Words[k], r.Vecs[k] = words, vecs
	}
	r.Preds = append(r.Preds[:0], ^uint64(0), 0)
	for _, o := range src {
		r.Preds = append(r.Preds, o.Bits)
	}
	for range dst {
		r.Preds = append(r.Preds, 0)
	}
}

// room returns storage for the words of operand n in chunk k.
func (e *Evaluator) room(k, n int) *Words {
	for len(e.words[k]) <= n {
		e.words[k] = append(e.words[k], new(Words))
	}
	return e.words[k][n]
}

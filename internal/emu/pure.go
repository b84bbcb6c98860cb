package emu

import (
	"warpbound/internal/abi"
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// Vector holds the values of a register in 32 lanes.
type Vector = vec.Vector

// Lanes is a source or a result of a Pure: a number for each lane of a warp, or a
// truth value for each where the operand is a predicate.
type Lanes struct {
	Num  []Vector // as many as it takes for the lanes of the warp
	Bits uint64
}

// Pure is an instruction whose results depend on nothing but its sources: not on
// memory, other warps or time. It does not change and may be shared.
type Pure struct {
	in        instr
	code      *Code
	constants []*vector // values of the slots behind those of the operands
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

// DecodePure makes a Pure of an instruction of a kernel, whose operation must be
// pure. The guard is left out.
func DecodePure(k *isa.Kernel, in *isa.Instr) (*Pure, error) {
	alone := *in
	alone.Guard = isa.Guard{}
	alone.Src, alone.Dst = make([]isa.Operand, len(in.Src)), make([]isa.Operand, len(in.Dst))
	one := &isa.Kernel{Name: k.Name, AddressBits: k.AddressBits, Instrs: []isa.Instr{alone}}
	d := &decoder{kernel: one, in: &one.Instrs[0], slots: make(map[constant]slot)}
	// Every operand gets a register of its own, immediates excepted.
	replace := func(o isa.Operand) isa.Operand {
		t := isa.B64
		switch {
		case o.Kind == isa.KindReg:
			t = k.Regs[o.Reg].Type
		case o.Kind == isa.KindSpecial && o.Special.Bits() == 1, o.Kind == isa.KindImm, o.Kind == isa.KindSink:
			return d.operand(o, t)
		}
		return d.operand(isa.Operand{Kind: isa.KindReg, Reg: isa.Reg(len(one.Regs)), Not: o.Not}, t)
	}
	for i, o := range in.Src {
		alone.Src[i] = replace(o)
	}
	for i, o := range in.Dst {
		alone.Dst[i] = replace(o)
	}
	d.code = &Code{kernel: one, instrs: make([]instr, 1), vectors: int(slotRegs) + len(one.Regs), wordMasks: none}
	d.out = &d.code.instrs[0]
	d.decode()
	if d.err != nil {
		return nil, d.err
	}
	p := &Pure{in: *d.out, code: d.code}
	for _, c := range d.code.constants {
		v := new(vector)
		v.Fill(c.value)
		p.constants = append(p.constants, v)
	}
	return p, nil
}

// operand adds a register for an operand of a Pure.
func (d *decoder) operand(o isa.Operand, t isa.Type) isa.Operand {
	n := len(d.kernel.Regs)
	d.kernel.Regs = append(d.kernel.Regs, isa.RegDecl{Name: "operand", Type: t})
	d.registers = append(d.registers, slotRegs+slot(n))
	d.masks = append(d.masks, maskRegs+maskSlot(n))
	return o
}

// ALU computes instructions on values that its user holds. It may be used by one
// goroutine at a time.
type ALU struct {
	w    Warp
	cta  CTA
	grid Grid
	sink [MaxWidth / lanes]vector
	eff  Effect
}

// NewALU returns an ALU for warps of width lanes.
func NewALU(width int) *ALU {
	a := &ALU{}
	a.grid.width = width
	a.grid.chunks = (width + lanes - 1) / lanes
	a.grid.launch = Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{width, 1, 1}}
	a.cta.grid = &a.grid
	a.w.cta, a.w.halves = &a.cta, a.grid.chunks
	return a
}

// Do computes the results of p from its sources, in order, for the lanes of mask;
// of other lanes the results are undefined. Immediates among the sources need no
// value. A result's vectors must not be those of a source. An error is a *Fault.
func (a *ALU) Do(p *Pure, mask uint64, dst, src []Lanes) error {
	w := &a.w
	a.grid.code, w.code, w.alive, w.full = p.code, p.code, mask, mask
	w.preds = append(w.preds[:0], ^uint64(0), 0)
	for k := range a.grid.chunks {
		table := append(w.vecs[k][:0], &a.sink[k])
		for _, operands := range [2][]Lanes{src, dst} {
			for _, o := range operands {
				v := &a.sink[k]
				if o.Num != nil {
					v = &o.Num[k]
				}
				table = append(table, v)
			}
		}
		w.vecs[k] = append(table, p.constants...)
	}
	for _, o := range src {
		w.preds = append(w.preds, o.Bits)
	}
	for range dst {
		w.preds = append(w.preds, 0)
	}
	a.eff = Effect{Mask: mask}
	if p.in.alu != nil {
		w.compute(&p.in, mask)
	} else if err := p.in.op.exec(w, mask, &a.eff); err != nil {
		return err
	}
	for i := range dst {
		dst[i].Bits = w.preds[int(maskRegs)+len(src)+i]
	}
	return nil
}

// Constant returns the value of a source that no instruction assigns, an immediate,
// an address or a special register, in a lane of a warp of the CTA at ctaid. It is
// false for other operands and for special registers that change while a warp runs.
func (g *Grid) Constant(o isa.Operand, ctaid [3]int, warp, lane int) (uint64, bool) {
	k := constant{value: o.Imm}
	switch o.Kind {
	case isa.KindImm:
	case isa.KindVar, isa.KindVarAddr:
		k.isVar, k.v = true, o.Var
	case isa.KindParam:
		k.isParam, k.v = true, o.Var
	case isa.KindSpecial:
		if specialScope(o.Special) == ofStep {
			return 0, false
		}
		k = constant{special: o.Special}
	default:
		return 0, false
	}
	n := g.launch.Grid
	return g.value(k, (ctaid[2]*n[1]+ctaid[1])*n[0]+ctaid[0], warp, lane), true
}

// ReadOnly returns n bytes from addr in the parameters or in a variable of constant
// memory, which no instruction can write; nil if they do not lie there.
func (g *Grid) ReadOnly(addr uint64, n int) []byte {
	r := &g.params
	if addr >= abi.GlobalBase {
		r = g.mem.find(addr)
	}
	if r == nil || !r.readOnly() || addr < r.base || addr-r.base > r.size || r.size-(addr-r.base) < uint64(n) {
		return nil
	}
	return r.data[addr-r.base:][:n]
}

// InConstants reports whether some of the addresses from lo to hi lie in a variable in
// constant memory, and whether all of them lie in one.
func (g *Grid) InConstants(lo, hi uint64) (some, all bool) {
	for i := range g.code.kernel.Vars {
		if v := &g.code.kernel.Vars[i]; v.Space == isa.Const {
			first, last := g.vars[i], g.vars[i]+uint64(len(g.mem.Bytes(g.vars[i])))-1
			some = some || lo <= last && first <= hi
			all = all || first <= lo && hi <= last
		}
	}
	return some, all
}

// Contents returns n bytes from addr in a buffer or a variable in global or constant
// memory as they are now; nil if they do not lie there.
func (g *Grid) Contents(addr uint64, n int) []byte { return g.mem.Contents(addr, n) }

// Code returns the code that the launch executes.
func (g *Grid) Code() *Code { return g.code }

// Launch returns how the kernel is started.
func (g *Grid) Launch() Launch { return g.launch }

// Width returns the number of lanes of a warp.
func (g *Grid) Width() int { return g.width }

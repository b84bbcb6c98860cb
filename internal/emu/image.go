package emu

import (
	"warpbound/internal/abi"
	"warpbound/internal/isa"
)

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
		p := &g.code.kernel.Params[o.Var]
		k = constant{isParam: true, value: uint64(p.Offset), bytes: min(p.Bytes, 8)}
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
		r = g.mem.findReserved(addr)
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

// Regions returns where the buffers and variables in global and constant memory lie, by ascending address.
func (g *Grid) Regions() []abi.Region {
	var all []abi.Region
	for i := range g.mem.buffers {
		if b := &g.mem.buffers[i]; b.size > 0 {
			all = append(all, abi.Region{Addr: b.base, Bytes: b.size})
		}
	}
	return all
}

// LocalBytes returns the bytes of local memory of a thread.
func (g *Grid) LocalBytes() int { return g.code.localBytes }

// Kernel returns the kernel that is launched.
func (g *Grid) Kernel() *isa.Kernel { return g.code.kernel }

// GridDim returns the CTAs of the launch in x, y and z.
func (g *Grid) GridDim() [3]int { return g.launch.Grid }

// Code returns the code that the launch executes.
func (g *Grid) Code() *Code { return g.code }

// Launch returns how the kernel is started.
func (g *Grid) Launch() Launch { return g.launch }

// Width returns the number of lanes of a warp.
func (g *Grid) Width() int { return g.width }

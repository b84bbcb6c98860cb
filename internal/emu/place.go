package emu

import (
	"fmt"

	"warpbound/internal/abi"
	"warpbound/internal/isa"
)

// place says for a message how a generic address lies to a region, and to the variable
// or parameter in it that begins at the address or is the last to begin before.
func (g *Grid) place(r *region, addr uint64) string {
	text := fmt.Sprintf(", offset %d of %s (%d bytes", int64(addr-r.base), r.name, r.size)
	if windowOf(r.space) == 0 {
		text += fmt.Sprintf(" at 0x%x", r.base)
	}
	name, start := "", uint64(0)
	nearer := func(what string, at uint64) {
		if at <= addr && at >= start {
			name, start = what, at
		}
	}
	switch r.space {
	case isa.Shared, isa.Local:
		for i := range g.code.kernel.Vars {
			if v := &g.code.kernel.Vars[i]; v.Space == r.space {
				nearer(v.Name, g.vars[i])
			}
		}
	case isa.Param:
		for _, p := range g.code.kernel.Params {
			nearer(p.Name, abi.ParamBase+uint64(p.Offset))
		}
	}
	if name == "" {
		return text + ")"
	}
	return fmt.Sprintf("%s; %s%+d)", text, name, addr-start)
}

// windows are the spaces that have one.
var windows = [...]isa.Space{isa.Shared, isa.Local, isa.Param}

// windowOf returns the base of the window of a space, 0 for a space that has none.
func windowOf(s isa.Space) uint64 {
	switch s {
	case isa.Shared:
		return abi.SharedBase
	case isa.Local:
		return abi.LocalBase
	case isa.Param:
		return abi.ParamBase
	}
	return 0
}

// nowhere says for a message how an address that lies in no region lies to the nearest buffer, or
// how it may have come about that it is below all of them. It is generic or one of a space without
// a window.
func (g *Grid) nowhere(space isa.Space, addr uint64) string {
	if addr < abi.SharedBase {
		return ", in no window and below all memory: the base of the address may be a null pointer or an offset alone" + g.unconverted(space, addr)
	}
	for _, s := range windows {
		if addr < abi.GlobalBase && abi.InWindow(windowOf(s), addr-windowOf(s)) {
			return fmt.Sprintf(", in no window: cvta.%s may have converted the address twice", s)
		}
	}
	b := g.mem.nearest(addr)
	if b == nil {
		return "; there are no buffers"
	}
	return g.place(b, addr)
}

// unconverted says for a message which conversion lacks if an address is an offset in a window in
// which the kernel has something there.
func (g *Grid) unconverted(space isa.Space, offset uint64) string {
	params := 0
	if g.code.kernel.TakesParamAddress() {
		params = g.code.paramBytes
	}
	text := ""
	for i, bytes := range [...]int{g.shape.shared, g.code.localBytes, params} { // as windows
		switch s := windows[i]; {
		case offset >= uint64(bytes):
		case space == isa.Generic:
			text += fmt.Sprintf("; an offset in %s space must be converted by cvta.%s", s, s)
		default:
			text += fmt.Sprintf("; an offset in %s space is no address in %s space", s, space)
		}
	}
	return text
}

// beyondWindow says for a message why the address of an access to a space is none of an offset in
// its window.
func (g *Grid) beyondWindow(space isa.Space, addr uint64) string {
	for _, s := range windows {
		switch {
		case !abi.InWindow(windowOf(s), addr):
		case s == space:
			return fmt.Sprintf(" in %s space; that is a generic address of it: convert it by cvta.to.%s, or leave .%s out", s, s, s)
		default:
			return fmt.Sprintf(" in %s space; that is a generic address in %s space", space, s)
		}
	}
	if addr >= abi.GlobalBase {
		if b := g.mem.find(addr); b != nil {
			return fmt.Sprintf(" in %s space; the address lies in %s space%s", space, b.space, g.place(b, addr))
		}
	}
	return fmt.Sprintf(", beyond the window of %s space", space)
}

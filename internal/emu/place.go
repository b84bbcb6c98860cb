package emu

import (
	"fmt"

	"warpbound/internal/abi"
	"warpbound/internal/isa"
)

// place says for a message how an address lies to a region, and to the variable
// or parameter in it that begins at the address or is the last to begin before.
func (g *Grid) place(r *region, addr uint64) string {
	text := fmt.Sprintf(", offset %d of %s (%d bytes at 0x%x", int64(addr-r.base), r.name, r.size, r.base)
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

// nowhere says for a message how an address that lies in no region lies to the
// nearest buffer.
func (g *Grid) nowhere(addr uint64) string {
	if addr < abi.SharedBase {
		return ", below all memory: the base of the address may be a null pointer or an offset alone"
	}
	b := g.mem.nearest(addr)
	if b == nil {
		return "; there are no buffers"
	}
	return g.place(b, addr)
}

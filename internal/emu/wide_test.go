package emu

import (
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/isa"
)

// TestWideAccesses loads and stores with warps of several vectors, in the way that all lanes are
// accessed together and lane by lane: registers, memory, errors and what is told of addresses
// must be the same.
func TestWideAccesses(outer *testing.T) {
	const width = 2 * lanes
	rapid.Check(outer, func(t *rapid.T) {
		typ := rapid.SampledFrom([]isa.Type{isa.U32, isa.U64}).Draw(t, "type")
		space := rapid.SampledFrom([]isa.Space{isa.Shared, isa.Global, isa.Local, isa.Generic}).Draw(t, "space")
		in := isa.Instr{Op: isa.Ld, Type: typ, Space: space, Dst: ops(reg(1)), Src: ops(at(0, 8))}
		if rapid.Bool().Draw(t, "store") {
			in = isa.Instr{Op: isa.St, Type: typ, Space: space, Src: ops(at(0, 8), reg(1))}
		}
		k := &isa.Kernel{
			Name: "wide", AddressBits: 64, Regs: regs(isa.U64, typ), Instrs: []isa.Instr{in, {Op: isa.Exit}},
			Vars: []isa.Var{{Name: "l", Space: isa.Local, Type: isa.B8, Bytes: 64, Align: 8}},
		}
		bytes := uint64(typ.Bytes())
		mask := rapid.Uint64Range(1, 1<<width-1).Draw(t, "mask")
		if rapid.Bool().Draw(t, "all") {
			mask = 1<<width - 1
		}
		var element [width]uint64
		maximum := rapid.Uint64Range(0, 5).Draw(t, "most")
		for i := range element {
			element[i] = rapid.Uint64Range(0, maximum).Draw(t, "element") * bytes
		}
		if rapid.IntRange(0, 4).Draw(t, "wrong") == 0 {
			element[rapid.IntRange(0, width-1).Draw(t, "lane")] += rapid.SampledFrom([]uint64{1, bytes / 2, 1 << 12, 1 << 40}).Draw(t, "by")
		}
		run := func(simple bool) accessed {
			code := decode(outer, k)
			var a *access
			switch op := code.instrs[0].op.(type) {
			case *load:
				a = &op.access
			case *store:
				a = &op.access
			}
			if !a.simple {
				t.Fatal("the access is not simple")
			}
			a.simple = simple
			o := newOnce(t, code, space, width)
			for i := range o.data {
				o.data[i] = byte(i)
			}
			for i := range width {
				o.set(0, i, o.start+element[i]-8)
				o.set(1, i, uint64(1000+i))
			}
			return o.access(mask)
		}
		run(true).equal(t, run(false))
	})
}

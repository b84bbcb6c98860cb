package emu

import (
	"slices"
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
		most := rapid.Uint64Range(0, 5).Draw(t, "most")
		for i := range element {
			element[i] = rapid.Uint64Range(0, most).Draw(t, "element") * bytes
		}
		if rapid.IntRange(0, 4).Draw(t, "wrong") == 0 {
			element[rapid.IntRange(0, width-1).Draw(t, "lane")] += rapid.SampledFrom([]uint64{1, bytes / 2, 1 << 12, 1 << 40}).Draw(t, "by")
		}
		run := func(simple bool) (string, Effect, []uint64, []byte) {
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
			mem := new(Memory)
			buffer, err := mem.Alloc("buffer", 64)
			if err != nil {
				t.Fatal(err)
			}
			g, err := NewGrid(code, Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{width, 1, 1}, DynamicShared: 64}, mem, width)
			if err != nil {
				t.Fatal(err)
			}
			var cta CTA
			g.StartCTA(&cta, 0)
			w := &cta.Warps[0]
			start, data := buffer, mem.Bytes(buffer)
			switch space {
			case isa.Shared:
				start, data = SharedBase, cta.shared.data
			case isa.Local:
				start, data = LocalBase, w.local.data
			}
			for i := range data {
				data[i] = byte(i)
			}
			for i := range width {
				w.broadcast(code.registers[0], start+element[i]-8, 1<<i)
				w.broadcast(code.registers[1], uint64(1000+i), 1<<i)
			}
			var eff Effect
			if err := code.instrs[0].op.exec(w, mask, &eff); err != nil {
				return err.Error(), Effect{}, nil, data
			}
			result := make([]uint64, width)
			for i := range result {
				result[i] = w.at(code.registers[1], i)
				if mask>>i&1 == 0 {
					eff.Access.Addr[i] = 0
				}
			}
			return "", eff, result, data
		}
		gotErr, gotEff, got, gotData := run(true)
		wantErr, wantEff, want, wantData := run(false)
		if gotErr != wantErr {
			t.Fatalf("error %q, want %q", gotErr, wantErr)
		}
		if gotEff != wantEff {
			t.Fatalf("apart %#x, want %#x; %+v, want %+v", gotEff.Access.Apart, wantEff.Access.Apart, gotEff, wantEff)
		}
		if !slices.Equal(got, want) || string(gotData) != string(wantData) {
			t.Fatalf("results %v, want %v; memory %x, want %x", got, want, gotData, wantData)
		}
	})
}

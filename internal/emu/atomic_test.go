package emu

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/isa"
)

// TestAtomicsTogether compares atomic operations on one element with what the path that
// looks at every lane gives.
func TestAtomicsTogether(outer *testing.T) {
	type form struct {
		op isa.AtomOp
		t  isa.Type
	}
	forms := []form{
		{isa.AtomAdd, isa.U32}, {isa.AtomAdd, isa.S32}, {isa.AtomAdd, isa.U64}, {isa.AtomAdd, isa.F32}, {isa.AtomAdd, isa.F64},
		{isa.AtomMin, isa.S32}, {isa.AtomMax, isa.U64}, {isa.AtomInc, isa.U32}, {isa.AtomDec, isa.U32},
		{isa.AtomExch, isa.B64}, {isa.AtomXor, isa.B32}, {isa.AtomCas, isa.B32}, {isa.AtomCas, isa.B64},
	}
	rapid.Check(outer, func(t *rapid.T) {
		f := rapid.SampledFrom(forms).Draw(t, "form")
		space := rapid.SampledFrom([]isa.Space{isa.Shared, isa.Global, isa.Generic}).Draw(t, "space")
		in := isa.Instr{Op: isa.Atom, Atom: f.op, Type: f.t, Space: space, Dst: ops(reg(1)), Src: ops(at(0, 8), reg(2))}
		if f.op == isa.AtomCas {
			in.Src = append(in.Src, reg(3))
		}
		k := &isa.Kernel{Name: "atomic", AddressBits: 64, Regs: regs(isa.U64, f.t, f.t, f.t), Instrs: []isa.Instr{in, {Op: isa.Exit}}}
		bytes := uint64(f.t.Bytes())
		mask := rapid.Uint64Range(1, 1<<lanes-1).Draw(t, "mask")
		var element, b, c [lanes]uint64
		for i := range lanes {
			element[i] = rapid.Uint64Range(0, 5).Draw(t, "element") * bytes
			b[i], c[i] = rapid.Uint64Range(0, 3).Draw(t, "b"), rapid.Uint64Range(0, 3).Draw(t, "c")
		}
		if rapid.IntRange(0, 4).Draw(t, "wrong") == 0 {
			element[rapid.IntRange(0, lanes-1).Draw(t, "lane")] += rapid.SampledFrom([]uint64{1, bytes / 2, 1 << 12, 1 << 40}).Draw(t, "by")
		}
		run := func(simple bool) (string, Effect, []uint64, []byte) {
			code := decode(outer, k)
			op := code.instrs[0].op.(*atomic)
			if !op.simple {
				t.Fatal("the access is not simple")
			}
			op.simple = simple
			mem := new(Memory)
			buffer, err := mem.Alloc("buffer", 64)
			if err != nil {
				t.Fatal(err)
			}
			g, err := NewGrid(code, Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{lanes, 1, 1}, DynamicShared: 64}, mem, lanes)
			if err != nil {
				t.Fatal(err)
			}
			var cta CTA
			g.StartCTA(&cta, 0)
			start, data := buffer, mem.Bytes(buffer)
			if space == isa.Shared {
				start, data = SharedBase, cta.shared.data
			}
			w := &cta.Warps[0]
			for i := range lanes {
				w.broadcast(code.registers[0], start+element[i]-8, 1<<i)
				w.broadcast(code.registers[2], b[i], 1<<i)
				if f.op == isa.AtomCas {
					w.broadcast(code.registers[3], c[i], 1<<i)
				}
			}
			var eff Effect
			if err := op.exec(w, mask, &eff); err != nil {
				return err.Error(), eff, nil, nil
			}
			result := make([]uint64, lanes)
			for i := range result {
				if mask>>i&1 != 0 {
					result[i] = w.at(code.registers[1], i)
				} else {
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
		if gotErr == "" && (gotEff != wantEff || !slices.Equal(got, want) || string(gotData) != string(wantData)) {
			t.Fatalf("results %v, want %v; memory %x, want %x", got, want, gotData, wantData)
		}
	})
}

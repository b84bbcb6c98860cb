package emu

import (
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
		run := func(simple bool) accessed {
			code := decode(outer, k)
			op := code.instrs[0].op.(*atomic)
			if !op.simple {
				t.Fatal("the access is not simple")
			}
			op.simple = simple
			o := newOnce(t, code, space, lanes)
			for i := range lanes {
				o.set(0, i, o.start+element[i]-8)
				o.set(2, i, b[i])
				if f.op == isa.AtomCas {
					o.set(3, i, c[i])
				}
			}
			return o.access(mask)
		}
		run(true).equal(t, run(false))
	})
}

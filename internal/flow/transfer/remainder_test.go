package transfer

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
	"warpbound/internal/test/flowtest"
)

// The range of remainders holds what all words leave, whatever the factor, and for factors of compilers nothing more.
func TestRangeOfRemainders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const width = 8
		q := quotient{signed: rapid.Bool().Draw(t, "signed")}
		d := rapid.Int64Range(2, 130).Draw(t, "divisor")
		power := rapid.Int64Range(0, 18).Draw(t, "power")
		times := rapid.Int64Range(1, 600).Draw(t, "times")
		if rapid.Bool().Draw(t, "close") {
			times = max(1, (1<<power)/d+rapid.Int64Range(0, 2).Draw(t, "more"))
		}
		q.times, q.per = big.NewInt(times), big.NewInt(1<<power)
		q.truncated = q.signed && rapid.Bool().Draw(t, "truncated")
		set := strided.Between(width, uint64(rapid.Byte().Draw(t, "first")), uint64(rapid.Byte().Draw(t, "last")))
		q.words = set
		lo, hi, ok := q.rangeOfRemainders(d)
		if !ok {
			return
		}
		for w := range uint64(1 << width) {
			if !set.Contains(w) {
				continue
			}
			x := int64(w)
			if q.signed {
				x = int64(int8(w))
			}
			r := x - d*new(big.Int).Div(big.NewInt(x*times), q.per).Int64()
			if q.truncated && x < 0 {
				r -= d
			}
			if r < lo || r > hi {
				t.Fatalf("%d leaves %d, not from %d to %d", x, r, lo, hi)
			}
		}
	})
}

// A range that needs more than 64 bits is none.
func TestRangeOfRemaindersDoesNotFit(t *testing.T) {
	q := quotient{words: strided.Any(32), times: new(big.Int).Lsh(big.NewInt(1), 80), per: big.NewInt(1)}
	if lo, hi, ok := q.rangeOfRemainders(3); ok {
		t.Errorf("from %d to %d", lo, hi)
	}
}

// What an operation gave is known only where it has been executed since its arguments were.
func TestOperationBefore(t *testing.T) {
	g := flowtest.BodyGraph(t, `
ld.global.u32 %r1, [%buf]; setp.lt.u32 %p1, %r1, 9; @%p1 bra A;
and.b32 %r2, %r1, 31; add.u32 %r4, %r2, 1; st.global.u32 [%buf], %r4; bra E;
A: @!%p1 and.b32 %r3, %r1, 7; st.global.u32 [%buf], %r3;
E: st.global.u32 [%buf+8], %r1;`)
	m := NewMachine(g, graph.Dominators(g.Flow.Graph(), g.Entry()), new(launchfacts.Launch), nil, nil)
	st := NewState(len(g.Kernel.Regs))
	for pc := range g.Kernel.Instrs {
		m.Execute(st, pc)
	}
	at := make(map[string]int)
	var word, masked, guarded affine.Symbol
	for pc := range g.Kernel.Instrs {
		in := &g.Kernel.Instrs[pc]
		if len(in.Dst) != 1 || in.Dst[0].Kind != isa.KindReg {
			continue
		}
		name := g.Kernel.Regs[in.Dst[0].Reg].Name
		at[name] = pc
		s := m.Syms.Places[affine.Place{Origin: affine.Defined, At: pc, Reg: in.Dst[0].Reg}]
		switch name {
		case "%r1":
			word = s
		case "%r2":
			masked = s
		case "%r3":
			guarded = s
		}
	}
	last := len(g.Kernel.Instrs) - 1
	known := func(s affine.Symbol, pc int) bool { return m.operationBefore(s, pc) != nil }
	if !known(masked, at["%r4"]) {
		t.Error("the mask is not known right behind it")
	}
	for _, pc := range []int{at["%r1"], at["%r2"], at["%r3"], last} {
		if known(masked, pc) {
			t.Errorf("the mask is known at %s, where it need not have been executed", g.Kernel.Format(&g.Kernel.Instrs[pc]))
		}
	}
	if known(guarded, at["%r3"]+1) {
		t.Error("what is masked under a guard is known")
	}
	if known(word, at["%r4"]) {
		t.Error("what is loaded is the result of an operation")
	}
	elsewhere := g.BlockOf(at["%r3"])
	merged := m.Syms.AddAt(affine.Place{Origin: affine.Merged, At: elsewhere, Reg: 0}, elsewhere, "elsewhere", 32)
	for _, s := range []affine.Symbol{guarded, merged} {
		m.Syms.Symbols[masked].Args[0] = affine.OfSymbol(32, s)
		if known(masked, at["%r4"]) {
			t.Errorf("the mask of %s, which is assigned elsewhere, is known", m.Syms.NameOf(s))
		}
	}
}

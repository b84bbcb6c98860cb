package symexec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
	"warpbound/internal/test/effort"
)

// exchanges are instructions on several lanes without their operands, which are registers: the
// results, the sources, and the lanes that take part.
func exchanges() []isa.Instr {
	var all []isa.Instr
	for _, mode := range []isa.LaneOp{isa.ShflIdx, isa.ShflUp, isa.ShflDown, isa.ShflBfly} {
		all = append(all, isa.Instr{Op: isa.Shfl, Lane: mode, Type: isa.B32})
	}
	for _, mode := range []isa.LaneOp{isa.VoteAll, isa.VoteAny, isa.VoteUni, isa.VoteBallot} {
		all = append(all, isa.Instr{Op: isa.Vote, Lane: mode, Type: isa.Pred})
	}
	for _, t := range []isa.Type{isa.B32, isa.B64} {
		for _, mode := range []isa.LaneOp{isa.MatchAny, isa.MatchAll} {
			all = append(all, isa.Instr{Op: isa.Match, Lane: mode, Type: t})
		}
	}
	for _, op := range []isa.AtomOp{isa.AtomAdd, isa.AtomMin, isa.AtomMax} {
		for _, t := range []isa.Type{isa.U32, isa.S32} {
			all = append(all, isa.Instr{Op: isa.Redux, Atom: op, Type: t})
		}
	}
	for _, op := range []isa.AtomOp{isa.AtomAnd, isa.AtomOr, isa.AtomXor} {
		all = append(all, isa.Instr{Op: isa.Redux, Atom: op, Type: isa.B32})
	}
	for flags := range 8 {
		in := isa.Instr{Op: isa.Redux, Atom: isa.AtomMin, Type: isa.F32, NaN: flags&1 == 1, Abs: flags&2 == 2}
		if flags&4 == 4 {
			in.Atom = isa.AtomMax
		}
		all = append(all, in)
	}
	return append(all, isa.Instr{Op: isa.Elect, Type: isa.B32}, isa.Instr{Op: isa.Activemask, Type: isa.B32})
}

// withOperands gives an instruction registers in a kernel of its own.
func withOperands(in isa.Instr) *isa.Kernel {
	k := &isa.Kernel{Name: "exchange", AddressBits: 64}
	add := func(t isa.Type) isa.Operand {
		k.Regs = append(k.Regs, isa.RegDecl{Name: fmt.Sprint("r", len(k.Regs)), Type: t})
		return isa.RegOperand(isa.Reg(len(k.Regs) - 1))
	}
	sources := map[isa.Op][]isa.Type{
		isa.Shfl: {isa.B32, isa.B32, isa.B32, isa.B32}, isa.Vote: {isa.Pred, isa.B32}, isa.Match: {in.Type, isa.B32},
		isa.Redux: {isa.B32, isa.B32}, isa.Elect: {isa.B32},
	}
	for _, t := range sources[in.Op] {
		in.Src = append(in.Src, add(t))
	}
	results := []isa.Type{isa.B32}
	switch {
	case in.Op == isa.Vote && in.Lane != isa.VoteBallot:
		results = []isa.Type{isa.Pred}
	case in.Op == isa.Shfl, in.Op == isa.Elect, in.Lane == isa.MatchAll:
		results = append(results, isa.Pred)
	}
	for _, t := range results {
		in.Dst = append(in.Dst, add(t))
	}
	k.Instrs = []isa.Instr{in}
	return k
}

// TestExchanges compares the terms of every operation on several lanes with what the emulator makes
// of random sources and lanes, and where results are unsettled.
func TestExchanges(t *testing.T) {
	eval := alu.NewEvaluator(testLanes)
	const plain = 6
	var tries []uint64
	for try := range uint64(plain) {
		tries = append(tries, try)
	}
	for _, try := range effort.Draw(t, 1000) {
		tries = append(tries, plain+try)
	}
	unsettled := 0
	for i, in := range exchanges() {
		k := withOperands(in)
		p, err := alu.NewPure(k, &k.Instrs[0])
		if err != nil {
			t.Fatalf("%+v: %v", in, err)
		}
		for _, try := range tries {
			n, err := compareExchange(rand.New(rand.NewPCG(try, uint64(i))), eval, p, k)
			if err != nil {
				t.Fatalf("%v (%+v): %v", &k.Instrs[0], k.Instrs[0], err)
			}
			unsettled += n
		}
	}
	if unsettled == 0 {
		t.Error("no result is unsettled")
	}
}

// compareExchange executes an instruction once, and returns how many of its results are unsettled.
func compareExchange(r *rand.Rand, eval *alu.Evaluator, p *alu.Pure, k *isa.Kernel) (int, error) {
	in, b, m := &k.Instrs[0], smt.NewBuilder(), smt.NewModel()
	mask := r.Uint64() & allLanes >> r.IntN(testLanes)
	if mask == 0 || r.IntN(3) == 0 {
		mask = allLanes
	}
	e := &exchange{lifter: lifter{b: b, in: in, width: in.Type.Bits()}, mask: mask}
	alike := r.IntN(2) == 0 // few numbers
	var src, dst []alu.Lanes
	sources := make([][]*smt.Term, testLanes)
	for i, o := range in.Src {
		numbers, truths := make([]alu.Vector, 1), uint64(0)
		t := k.Regs[o.Reg].Type
		for lane := range testLanes {
			x := number(r)
			if alike {
				x &= 1
			}
			if i == memberSource(in.Op) {
				x = mask
			}
			name := fmt.Sprint("s", i, "lane", lane)
			if t == isa.Pred {
				x &= 1
				truths |= x << lane
			}
			if numbers[0][lane] = x; t == isa.Pred {
				sources[lane] = append(sources[lane], b.Var(name, smt.Bool))
			} else if i != memberSource(in.Op) {
				sources[lane] = append(sources[lane], b.Var(name, smt.Bits(t.Bits())))
				x &= 1<<(t.Bits()-1)<<1 - 1
			}
			m.Numbers[name] = x
		}
		src = append(src, alu.Lanes{Num: numbers, Bits: truths})
	}
	for range in.Dst {
		dst = append(dst, alu.Lanes{Num: make([]alu.Vector, 1)})
	}
	for lane := range testLanes {
		if mask>>lane&1 == 1 {
			e.lanes, e.sources = append(e.lanes, lane), append(e.sources, sources[lane])
		}
	}
	if err := eval.Do(p, mask, dst, src); err != nil {
		return 0, err
	}
	open, count, evaluator, result := p.Unsettled(mask, dst, src), 0, smt.NewEvaluator(m), e.results()
	for n, lane := range e.lanes {
		values, doubt := result(n)
		for i, o := range in.Dst {
			want, isPred := dst[i].Num[0][lane], k.Regs[o.Reg].Type == isa.Pred
			if isPred {
				want = dst[i].Bits >> lane & 1
			}
			if got := evaluator.Eval(values[i]); got != want || isPred != (values[i].Sort() == smt.Bool) {
				return 0, fmt.Errorf("result %d of lane %d is %#x, want %#x", i, lane, got, want)
			}
		}
		if got := evaluator.Eval(doubt); got != open>>lane&1 {
			return 0, fmt.Errorf("whether lane %d is unsettled is %d, want %d", lane, got, open>>lane&1)
		}
		count += int(open >> lane & 1)
	}
	return count, nil
}

package transfer

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/alu"
	"warpbound/internal/budget"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
	"warpbound/internal/test/flowtest"
)

// The operations whose results are only known to be words of their width, and why.
var opaque = map[isa.Op]string{
	isa.CvtPack:   "packed numbers, which nothing counts with",
	isa.VAvrg:     "on halves and bytes only",
	isa.VShl:      "a single result may be cut, clamped and shifted out",
	isa.VMad:      "a single result may be negated, shifted and clamped",
	isa.Mma:       "sums of products over lanes",
	isa.MovMatrix: "pairs of numbers of other lanes",
	isa.Fma:       "two roundings would have to be told from one",
	isa.Sqrt:      "no counter of a loop has been seen to be a root",
}

// shapes returns instructions of an operation on integers, with every combination of types
// and modifiers that it may have, whether or not there is such an instruction.
func shapes(op isa.Op) []isa.Instr {
	types := []isa.Type{isa.B16, isa.B32, isa.B64, isa.U8, isa.S8, isa.U16, isa.S16, isa.U32, isa.S32, isa.U64, isa.S64}
	switch op {
	case isa.Add, isa.Sub, isa.Mul, isa.Div, isa.Neg, isa.Abs, isa.Cvt, isa.Setp, isa.Mov, isa.Selp, isa.Min, isa.Fma, isa.Sqrt:
		types = append(types, isa.F32, isa.F64)
	}
	all := []isa.Instr{}
	for _, t := range types {
		all = append(all, isa.Instr{Op: op, Type: t})
	}
	// vary adds to every instruction those that have one value of several besides.
	vary := func(n int, change func(in *isa.Instr, i int)) {
		for _, in := range all {
			for i := range n {
				other := in
				change(&other, i)
				all = append(all, other)
			}
		}
	}
	sources := func(types ...isa.Type) { vary(len(types), func(in *isa.Instr, i int) { in.SrcType = types[i] }) }
	compared := func() { vary(int(isa.NaN), func(in *isa.Instr, i int) { in.Cmp = isa.Eq + isa.Cmp(i) }) }
	flushing := func() { vary(1, func(in *isa.Instr, _ int) { in.FTZ = true }) }
	saturated := func() { vary(1, func(in *isa.Instr, _ int) { in.Sat = true }) }
	wrapped := func() { vary(1, func(in *isa.Instr, _ int) { in.Wrap = true }) }
	switch op {
	case isa.Cvt:
		sources(append(types, isa.F32, isa.F64, isa.F16)...)
		vary(4, func(in *isa.Instr, i int) { in.Round = isa.RoundIntRN + isa.Round(i) })
		flushing()
		saturated()
	case isa.Set:
		sources(append(types, isa.F32)...)
		compared()
	case isa.Slct:
		sources(isa.S32, isa.F32)
	case isa.Dp4a, isa.Dp2a, isa.Dp2aHi:
		sources(isa.U32, isa.S32)
	case isa.Add, isa.Sub, isa.Mul, isa.Div:
		flushing()
		saturated()
		vary(5, func(in *isa.Instr, i int) { in.Round, in.Approx = isa.Round(i), i == 4 })
	case isa.Setp:
		flushing()
		compared()
	case isa.Neg, isa.Abs:
		flushing()
	case isa.MadHi, isa.Mad24Hi:
		saturated()
	case isa.Min, isa.Max:
		vary(1, func(in *isa.Instr, _ int) { in.Relu = true })
	case isa.ShfL, isa.ShfR, isa.Szext, isa.Bmsk:
		wrapped()
	case isa.Bfind:
		vary(1, func(in *isa.Instr, _ int) { in.ShiftAmt = true })
	case isa.Prmt:
		vary(int(isa.PermuteRC16), func(in *isa.Instr, i int) { in.Permute = isa.PermuteF4E + isa.Permute(i) })
	case isa.Vote, isa.Match, isa.Shfl:
		vary(int(isa.ShflIdx), func(in *isa.Instr, i int) { in.Lane = isa.VoteAll + isa.LaneOp(i) })
	case isa.Redux:
		vary(int(isa.AtomXor), func(in *isa.Instr, i int) { in.Atom = isa.AtomAdd + isa.AtomOp(i) })
	case isa.VAdd, isa.VSub, isa.VAbsDiff, isa.VMin, isa.VMax, isa.VAvrg, isa.VShl, isa.VShr, isa.VSet, isa.VMad:
		all = []isa.Instr{{Op: op, Type: isa.U32, SrcType: isa.U32}, {Op: op, Type: isa.S32, SrcType: isa.U32}, {Op: op, Type: isa.U32, SrcType: isa.S32}}
		videos := []isa.Video{
			{TypeB: isa.U32, Parts: 1, A: isa.Selection{Bits: 32}, B: isa.Selection{Bits: 32}, Into: 1, Width: 32},
			{TypeB: isa.S32, Parts: 1, A: isa.Selection{Bits: 8, At: [4]uint8{2}}, B: isa.Selection{Bits: 16, At: [4]uint8{1}}, Into: 1, Width: 32},
			{TypeB: isa.U32, Parts: 1, A: isa.Selection{Bits: 16, At: [4]uint8{1}}, B: isa.Selection{Bits: 8}, Into: 2, Width: 8},
			{TypeB: isa.S32, Parts: 2, A: isa.Selection{Bits: 16, At: [4]uint8{0, 3}}, B: isa.Selection{Bits: 16, At: [4]uint8{1, 2}}, Into: 3, Width: 16},
		}
		vary(len(videos), func(in *isa.Instr, i int) { in.Video = &videos[i] })
		saturated()
		vary(2, func(in *isa.Instr, i int) { in.Atom = isa.AtomAdd + 2*isa.AtomOp(i) })
		switch op {
		case isa.VSet:
			compared()
		case isa.VShl, isa.VShr:
			wrapped()
		}
	}
	return all
}

// trial is an instruction of which results are compared with what is known of them, and a
// kernel that holds nothing else.
type trial struct {
	Machine
	pure *alu.Pure
}

// newTrial makes a trial of an instruction with so many results and sources; nil if there
// is no such instruction. Bits of immediates say which sources are numbers, which are sampled.
func newTrial(shape isa.Instr, results, sources int, immediates uint, draw *rand.Rand) *trial {
	k := &isa.Kernel{AddressBits: 64}
	in := shape
	operand := func(width int, truth bool) isa.Operand {
		t := map[int]isa.Type{8: isa.B16, 16: isa.B16, 32: isa.B32, 64: isa.B64}[width]
		if truth {
			t = isa.Pred
		}
		k.Regs = append(k.Regs, isa.RegDecl{Name: fmt.Sprint("%r", len(k.Regs)), Type: t})
		return isa.RegOperand(isa.Reg(len(k.Regs) - 1))
	}
	in.Src = make([]isa.Operand, sources) // their number tells the width of parts
	in.Dst = make([]isa.Operand, results)
	for i := range in.Src {
		width := 32
		if in.Op != isa.Set && in.Op != isa.Redux && in.Op != isa.Match || i == 0 {
			width = sourceBits(&in, i)
		}
		truth := readsTruth(&in, i) || (in.Op == isa.Set || in.Op == isa.Selp || in.Op == isa.Setp) && i == 2
		switch {
		case in.Op == isa.Set && i < 2:
			width = max(in.SrcType.Bits(), 16)
		case in.Op == isa.MadWide && i == 2:
			width *= 2
		}
		switch {
		case immediates>>i&1 != 0 && !truth, in.Op == isa.Lop3 && i == 3:
			in.Src[i] = isa.ImmOperand(draw.Uint64() >> draw.IntN(64) & strided.Mask(width))
		default:
			in.Src[i] = operand(width, truth)
		}
	}
	for i := range in.Dst {
		width := in.Type.Bits()
		switch in.Op {
		case isa.MulWide, isa.MadWide:
			width *= 2
		case isa.Unpack:
			width /= results
		case isa.Popc, isa.Clz, isa.Bfind, isa.Vote, isa.Match:
			width = 32
		}
		if in.Op == isa.Cvt && draw.IntN(2) == 0 {
			width = max(width, 32)
		}
		if width > 64 || width < 8 {
			return nil
		}
		in.Dst[i] = operand(width, i > 0 && in.Op != isa.Unpack || in.Op == isa.Setp)
	}
	pure, err := alu.NewPure(k, &in)
	if err != nil {
		return nil
	}
	k.Instrs = []isa.Instr{in}
	return &trial{Machine: Machine{Work: budget.NewWork(1), kernel: k, launch: &launchfacts.Launch{}}, pure: pure}
}

// trials returns trials of all the instructions of an operation.
func trials(op isa.Op) []*trial {
	draw := rand.New(rand.NewPCG(uint64(op), 1))
	info := op.Info()
	var all []*trial
	for _, shape := range shapes(op) {
		for results := info.Dst[0]; results <= min(info.Dst[1], 4); results++ {
			for sources := info.Src[0]; sources <= min(info.Src[1], 5); sources++ {
				for _, immediates := range []uint{0, 0b10, 0b110, 0b1100} {
					if x := newTrial(shape, results, sources, immediates, draw); x != nil {
						all = append(all, x)
					}
				}
			}
		}
	}
	return all
}

// Every operation on integers has a rule, or a reason why it has none, and what is known of its
// results holds of them.
func TestOperationsOfTheISA(t *testing.T) {
	for op := isa.Opaque; op.Info().Name != isa.Unknown.Info().Name; op++ {
		if !alu.IsPure(op) {
			continue
		}
		all := trials(op)
		_, ruled := rules[op]
		switch op {
		case isa.Mad, isa.MadWide, isa.Selp, isa.Set, isa.Setp, isa.Vote, isa.Match, isa.Activemask, isa.Elect, isa.Shfl, isa.Redux:
			ruled = true
		}
		switch _, listed := opaque[op]; {
		case len(all) > 0 && !ruled && !listed:
			t.Errorf("nothing is known of %s", op)
		case listed && ruled:
			t.Errorf("%s has a rule and is listed as opaque", op)
		case len(all) == 0 && ruled:
			t.Errorf("no instruction of %s is tried", op)
		case len(all) > 0:
			t.Run(op.String(), func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { all[rapid.IntRange(0, len(all)-1).Draw(t, "trial")].check(t) })
			})
		}
	}
}

// check executes the instruction on words of sets that are sampled.
func (x *trial) check(t *rapid.T) {
	k := x.kernel
	in := &k.Instrs[0]
	x.Syms = affine.NewTable()
	x.alike = newAlike(x.Syms)
	st := NewState(len(k.Regs))
	sampled := make([]strided.Interval, len(in.Src))
	src := make([]alu.Lanes, len(in.Src))
	draw := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "words"), 0))
	for i, o := range in.Src {
		src[i].Num = make([]alu.Vector, 1)
		if o.Kind != isa.KindReg {
			continue
		}
		width := x.registerWidth(o.Reg)
		name := fmt.Sprint("source ", i)
		s, member := flowtest.DrawInterval(t, width, name)
		switch rapid.IntRange(0, 5).Draw(t, name+" kind") {
		case 2, 3: // about one, or its negative, as a floating-point number
			one := map[int]uint64{32: 0x3f800000, 64: 0x3ff << 52}[width] | s.Base()<<(width-1)
			wide := rapid.Uint64Range(0, 1<<(width*5/8)).Draw(t, name+" width")
			if in.Type.IsFloat() || in.SrcType.IsFloat() {
				s = strided.Between(width, one-wide, one+rapid.Uint64Range(0, wide).Draw(t, name+" above"))
			}
		case 0:
			s = strided.Const(width, s.Base())
		case 1:
			s = strided.Between(width, 0, rapid.Uint64Range(0, min(strided.Mask(width), 300)).Draw(t, name+" most"))
		}
		if in.Op == isa.Match || in.Op == isa.Redux || in.Op == isa.Elect || in.Op == isa.Shfl || in.Op == isa.Vote {
			if i == len(in.Src)-1 && i > 0 || in.Op == isa.Elect {
				s = strided.Const(width, strided.Mask(width)) // the lanes that take part
			}
		}
		sampled[i] = s
		st.Set(o.Reg, &Value{Set: s})
		for lane := range 32 {
			n := uint64(lane)
			switch {
			case lane == 31:
				n = s.Count()
			case lane > 3 && s.Count() < 1<<63:
				n = draw.Uint64N(s.Count() + 1)
			}
			word := (s.Base() + min(n, s.Count())*s.Step()) & strided.Mask(s.Bits())
			if !s.Contains(word) { // some bits are known
				word = member
			}
			src[i].Num[0][lane] = word
			src[i].Bits |= word & 1 << lane
		}
	}
	dst := make([]alu.Lanes, len(in.Dst))
	for i := range dst {
		dst[i].Num = make([]alu.Vector, 1)
	}
	x.Execute(st, 0)
	if err := alu.NewEvaluator(32).Do(x.pure, 1<<32-1, dst, src); err != nil {
		t.Skip(err)
	}
	for i, o := range in.Dst {
		known := st.Get(o.Reg).Set
		for lane := range 32 {
			got := dst[i].Num[0][lane]
			if k.Regs[o.Reg].Type == isa.Pred {
				got = dst[i].Bits >> lane & 1
			}
			if !known.Contains(got) {
				text := ""
				for j := range src {
					text += fmt.Sprintf(" %#x of %s", src[j].Num[0][lane], sampled[j])
				}
				t.Fatalf("%s: result %d is %#x, not in %s (%+v), from%s", k.Format(in), i, got, known, known, text)
			}
		}
	}
}
